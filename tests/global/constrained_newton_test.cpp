#include "rgu/global/constrained_newton.hpp"

#include <gtest/gtest.h>

#include "rgu/base/rng.hpp"

namespace rgu {
namespace {

Matrix normal_matrix(Index rows, Index columns, Rng& rng) {
  return Matrix::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

TEST(ConstrainedNewton, SolvesBothEquations) {
  for (const Index n : {1, 5, 40, 130}) {
    Rng rng(static_cast<std::uint64_t>(n));
    const Matrix root = normal_matrix(n, n, rng);
    const Eigen::MatrixXd hessian = root * root.transpose() + Matrix::Identity(n, n);
    const Matrix constraints = normal_matrix(n, (n + 2) / 3, rng);
    const Vector g = normal_vector(n, rng), h = normal_vector(constraints.cols(), rng);
    Eigen::MatrixXd lower = hessian.triangularView<Eigen::Lower>();  // the rest must not be read
    const ConstrainedNewton newton(lower, constraints);
    ASSERT_TRUE(newton.solvable());
    const auto [x, y] = newton.solve(g, h);
    EXPECT_LT((hessian * x + constraints * y - g).norm(), 1e-9) << n;
    EXPECT_LT((constraints.transpose() * x - h).norm(), 1e-9) << n;
  }
}

TEST(ConstrainedNewton, IsNotSolvableWhereAFactorDoesNotExist) {
  const Matrix constraints{{1}, {1}};
  EXPECT_TRUE(ConstrainedNewton(Eigen::MatrixXd::Identity(2, 2), constraints).solvable());
  const Eigen::MatrixXd indefinite{{1, 2}, {2, 1}};
  EXPECT_FALSE(ConstrainedNewton(indefinite, constraints).solvable());
  EXPECT_FALSE(ConstrainedNewton(Eigen::MatrixXd::Identity(2, 2), Matrix::Zero(2, 1)).solvable());
}

}  // namespace
}  // namespace rgu
