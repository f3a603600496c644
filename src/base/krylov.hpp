// Eigen's Krylov solvers for a matrix that is known only by its product with a vector.
#pragma once

#include <Eigen/IterativeLinearSolvers>
#include <utility>

#include "rgu/base/types.hpp"

namespace rgu {

// Product: a callable (const Vector& x, Vector& y) that sets y = A x.
template <class Product>
struct LinearMap;

}  // namespace rgu

namespace Eigen::internal {

template <class Product>
struct traits<rgu::LinearMap<Product>> : traits<Eigen::SparseMatrix<double>> {};

template <class Product, class Right>
struct generic_product_impl<rgu::LinearMap<Product>, Right, SparseShape, DenseShape, GemvProduct>
    : generic_product_impl_base<rgu::LinearMap<Product>, Right,
                                generic_product_impl<rgu::LinearMap<Product>, Right>> {
  // The solvers only assign products, so nothing is copied or added here.
  template <class Result>
  static void evalTo(Result& result, const rgu::LinearMap<Product>& map, const Right& x) {
    map.product(x, result);
  }
};

}  // namespace Eigen::internal

namespace rgu {

template <class Product>
struct LinearMap : Eigen::EigenBase<LinearMap<Product>> {
  using Scalar = double;
  using RealScalar = double;
  using StorageIndex = Index;
  enum {
    ColsAtCompileTime = Eigen::Dynamic,
    MaxColsAtCompileTime = Eigen::Dynamic,
    IsRowMajor = false
  };

  LinearMap(Index order_, const Product& product_) : order(order_), product(product_) {}
  Index rows() const { return order; }
  Index cols() const { return order; }
  template <class Right>
  Eigen::Product<LinearMap, Right, Eigen::AliasFreeProduct> operator*(
      const Eigen::MatrixBase<Right>& x) const {
    return {*this, x.derived()};
  }

  Index order;
  const Product& product;
};

struct KrylovOptions {
  double relative_residual = 1e-12;  // |b - A x|_2 / |b|_2
  Index iterations = 1000;
};

// An approximate solution of A x = b by BiCGSTAB [vanDerVorst1992], started at `guess`. It may stop
// short: the caller checks the residual.
template <class Product>
Vector bicgstab(const Product& product, const Vector& right, const Vector& guess,
                KrylovOptions options) {
  const LinearMap<Product> map(right.size(), product);
  Eigen::BiCGSTAB<LinearMap<Product>, Eigen::IdentityPreconditioner> solver;
  solver.compute(map);
  solver.setTolerance(options.relative_residual);
  solver.setMaxIterations(options.iterations);
  return solver.solveWithGuess(right, guess);
}

// The same by conjugate gradients, for a symmetric positive definite A, started at 0.
template <class Product>
Vector conjugate_gradient(const Product& product, const Vector& right, KrylovOptions options) {
  const LinearMap<Product> map(right.size(), product);
  Eigen::ConjugateGradient<LinearMap<Product>, Eigen::Lower | Eigen::Upper,
                           Eigen::IdentityPreconditioner>
      solver;
  solver.compute(map);
  solver.setTolerance(options.relative_residual);
  solver.setMaxIterations(options.iterations);
  return solver.solve(right);
}

}  // namespace rgu
