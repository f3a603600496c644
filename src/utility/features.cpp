#include "rgu/utility/features.hpp"

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/base/decompositions.hpp"

namespace rgu {

double largest_row_norm(const Matrix& matrix) { return matrix.rowwise().norm().maxCoeff(); }

double spectral_norm(const Matrix& matrix) {
  // The smaller Gram matrix: its largest eigenvalue has full relative accuracy, which is all that
  // is asked for here, at a fraction of the cost of a singular value decomposition.
  const bool tall = matrix.rows() >= matrix.cols();
  const Eigen::MatrixXd gram =
      tall ? (matrix.transpose() * matrix).eval() : (matrix * matrix.transpose()).eval();
  const SymmetricEigen solver(gram, Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(0.0, solver.eigenvalues().maxCoeff()));
}

Matrix Features::combined(const Vector& weights) const {
  Matrix sum(shape.states, shape.actions);
  Eigen::Map<Vector>(sum.data(), sum.size()).noalias() = table * weights;
  return sum;
}

Vector Features::moments(const Matrix& mass) const {
  return table.transpose() * Eigen::Map<const Vector>(mass.data(), mass.size());
}

Features stacked(std::string_view name, const std::vector<Matrix>& functions) {
  check_count(fmt::format("number of {} matrices", name), std::ssize(functions));
  const Matrix& first = functions.front();
  Features features{.shape = {.states = first.rows(), .actions = first.cols()},
                    .table = Matrix(first.size(), std::ssize(functions))};
  for (Index i = 0; i < features.count(); ++i) {
    const Matrix& function = functions[static_cast<std::size_t>(i)];
    const std::string label = fmt::format("{} {}", name, i);
    check_shape(label, function, {first.rows(), first.cols()});
    check_finite(label, function);
    features.table.col(i) = Eigen::Map<const Vector>(function.data(), function.size());
  }
  return features;
}

}  // namespace rgu
