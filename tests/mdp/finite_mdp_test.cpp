#include "rgu/mdp/finite_mdp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/base/check.hpp"

namespace rgu {
namespace {

using testing_models::as_sparse;
using testing_models::random_dense;

Matrix kernel() {
  Matrix p(4, 2);  // S = 2, A = 2
  p << 1.0, 0.0, 0.5, 0.5, 0.25, 0.75, 0.0, 1.0;
  return p;
}

Vector start() { return Vector::Constant(2, 0.5); }

// Builds the model with both kinds of kernel and expects the same complaint.
void expect_refused(const Matrix& p, const Vector& rho, double discount, const char* message) {
  expect_invalid([&] { FiniteMdp(p, rho, discount); }, message);
  expect_invalid([&] { FiniteMdp(SparseMatrix(p.sparseView(0, 0)), rho, discount); }, message);
}

TEST(FiniteMdp, KnowsItsSizes) {
  const FiniteMdp mdp(kernel(), start(), 0.9);
  EXPECT_EQ(mdp.states(), 2);
  EXPECT_EQ(mdp.actions(), 2);
  EXPECT_EQ(mdp.transitions(), 8);
  EXPECT_FALSE(mdp.is_sparse());
  const FiniteMdp sparse = as_sparse(mdp);
  EXPECT_TRUE(sparse.is_sparse());
  EXPECT_EQ(sparse.transitions(), 6);
}

TEST(FiniteMdp, NamesTheRowThatDoesNotSumToOne) {
  Matrix p = kernel();
  p(1, 0) += 1e-6;
  expect_refused(p, start(), 0.9, "transition row s=0 a=1 sums to 1.00000");
  expect_refused(p, start(), 0.9, "must be 1 within 1e-09");
  p(1, 0) -= 2e-6;
  expect_refused(p, start(), 0.9, "transition row s=0 a=1 sums to 0.99999");
}

TEST(FiniteMdp, AcceptsRowsOffByLessThanTheToleranceAndKeepsThemAsTheyAre) {
  Matrix p = kernel();
  p(1, 0) += 5e-10;
  const FiniteMdp mdp(p, start(), 0.9);
  EXPECT_EQ(mdp.dense_kernel(), p);
}

TEST(FiniteMdp, RefusesNegativeAndNonFiniteProbabilities) {
  Matrix p = kernel();
  p.row(2) << -0.25, 1.25;
  expect_refused(p, start(), 0.9, "transition probability s=1 a=0 s'=0 is -0.25");
  p.row(2) << 0.5, std::numeric_limits<double>::quiet_NaN();
  expect_refused(p, start(), 0.9, "transition probability s=1 a=0 s'=1 is nan");
  p.row(2) << 0.5, std::numeric_limits<double>::infinity();
  expect_refused(p, start(), 0.9, "transition probability s=1 a=0 s'=1 is inf");
}

TEST(FiniteMdp, RefusesBadDiscounts) {
  for (const double discount : {0.0, 1.0, -0.5, 1.5}) {
    expect_refused(kernel(), start(), discount, "must lie strictly between 0 and 1");
  }
  expect_refused(kernel(), start(), std::numeric_limits<double>::quiet_NaN(), "discount is nan");
}

TEST(FiniteMdp, RefusesBadStarts) {
  expect_refused(kernel(), Vector::Constant(3, 1.0 / 3), 0.9,
                 "start distribution has 3 entries, must have 2");
  expect_refused(kernel(), Vector::Constant(2, 0.6), 0.9, "start distribution sums to 1.2");
  Vector rho(2);
  rho << 1.5, -0.5;
  expect_refused(kernel(), rho, 0.9, "start probability s=1 is -0.5");
  rho << 1.0, std::numeric_limits<double>::quiet_NaN();
  expect_refused(kernel(), rho, 0.9, "start probability s=1 is nan");
}

TEST(FiniteMdp, RefusesShapesThatAreNoModel) {
  expect_refused(Matrix::Constant(3, 2, 0.5), start(), 0.9, "kernel has 3 rows for 2 states");
  expect_invalid([] { FiniteMdp(Matrix(0, 0), Vector(0), 0.9); }, "number of states is 0");
  expect_invalid([] { FiniteMdp(Matrix(0, 2), Vector::Constant(2, 0.5), 0.9); },
                 "kernel has 0 rows for 2 states");
}

TEST(FiniteMdp, ProductsOfDenseAndSparseKernelsAgreeWithTheDefinition) {
  const FiniteMdp dense = random_dense(5, 3, 0.9, 1);
  const FiniteMdp sparse = as_sparse(dense);
  Rng rng(2);
  const Vector value = normal_vector(5, rng);
  const Matrix mass = testing_models::random_stochastic(5, 3, rng);
  Matrix next = Matrix::Zero(5, 3);
  Vector pushed = Vector::Zero(5);
  for (Index s = 0; s < 5; ++s) {
    for (Index a = 0; a < 3; ++a) {
      for (Index t = 0; t < 5; ++t) {
        next(s, a) += dense.dense_kernel()(s * 3 + a, t) * value(t);
        pushed(t) += dense.dense_kernel()(s * 3 + a, t) * mass(s, a);
      }
    }
  }
  for (const FiniteMdp* mdp : {&dense, &sparse}) {
    EXPECT_TRUE(mdp->expected_next(value).isApprox(next, 1e-14));
    EXPECT_TRUE(mdp->push_forward(mass).isApprox(pushed, 1e-14));
  }
}

}  // namespace
}  // namespace rgu
