#include "rgu/global/drift_program.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "laws/models.hpp"
#include "rgu/global/drift_newton.hpp"

namespace rgu {
namespace {

using Columns = Eigen::MatrixXd;
using Elimination = DriftNewton::Elimination;

Columns normal_matrix(Index rows, Index columns, Rng& rng) {
  return Columns::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

Columns positive_definite(Index order, Rng& rng) {
  const Columns root = normal_matrix(order, order + 1, rng);
  return root * root.transpose();
}

Columns symmetric(Index order, Rng& rng) {
  const Columns any = normal_matrix(order, order, rng);
  return any + any.transpose();
}

Vector positive_vector(Index size, Rng& rng) {
  return Vector::NullaryExpr(size, [&] { return rng.exponential() + 0.1; });
}

TEST(ScaledPair, KeepsBothMatricesAndMakesThemTheSameDiagonal) {
  Rng rng(1);
  const Columns f = positive_definite(5, rng), q = positive_definite(5, rng);
  const ScaledPair<Eigen::Dynamic> pair(f, q);
  EXPECT_LT((pair.first() - f).norm(), 1e-12 * f.norm());
  EXPECT_LT((pair.second() - q).norm(), 1e-12 * q.norm());
  EXPECT_LT((pair.second_factor() * pair.second_factor().transpose() - q).norm(), 1e-12 * q.norm());
  EXPECT_LT((pair.scaled_first(f) - pair.scaled()).norm(), 1e-10);
  EXPECT_LT((pair.scaled_second(q) - pair.scaled()).norm(), 1e-10);
  EXPECT_LT((pair.from_first() * pair.to_first() - Columns::Identity(5, 5)).norm(), 1e-11);
  EXPECT_NEAR(pair.gap(), f.cwiseProduct(q).sum(), 1e-11 * pair.gap());
}

TEST(ScaledPair, MovesInItsOwnCoordinates) {
  Rng rng(2);
  ScaledPair<Eigen::Dynamic> pair(positive_definite(4, rng), positive_definite(4, rng));
  const ScaledPair<Eigen::Dynamic> before = pair;
  const Columns df = 0.1 * positive_definite(4, rng), dq = 0.1 * positive_definite(4, rng);
  ASSERT_TRUE(pair.move_to(before.scaled() + before.scaled_first(df),
                           before.scaled() + before.scaled_second(dq)));
  EXPECT_LT((pair.first() - before.first() - df).norm(), 1e-11);
  EXPECT_LT((pair.second() - before.second() - dq).norm(), 1e-11);
  EXPECT_FALSE(pair.move_to(pair.scaled(), -pair.scaled()));
  EXPECT_LT((pair.first() - before.first() - df).norm(), 1e-11);  // as it was
}

// diag(2, 1) moved by diag(-8, 1): 2 - 8 a = 0.
TEST(ScaledPair, StepsToTheBoundaryAndNoFurtherThanOne) {
  const Eigen::Matrix2d s = Eigen::Vector2d(2, 1).asDiagonal();
  const ScaledPair<2> pair(s, s);
  const Eigen::Vector2d values = pair.scaled().diagonal();
  Eigen::Matrix2d move =
      Eigen::Vector2d(values(0) > 1.5 ? -8 : 1, values(1) > 1.5 ? -8 : 1).asDiagonal();
  EXPECT_NEAR(pair.step(move), 0.25, 1e-15);
  EXPECT_EQ(pair.step(s), 1);
}

// (S + dF)(S + dQ), symmetrised, is the target in second order.
TEST(ScaledPair, CentresTheProduct) {
  Rng rng(3);
  const ScaledPair<Eigen::Dynamic> pair(positive_definite(4, rng), positive_definite(4, rng));
  const Columns s = pair.scaled(), first = symmetric(4, rng);
  const Columns second = pair.centring(0.7) - first;
  const Columns linear = s * s + 0.5 * (s * (first + second) + (first + second) * s);
  EXPECT_LT((linear - 0.7 * Columns::Identity(4, 4)).norm(), 1e-12);
  const Columns corrected = pair.centring(0.7, first, second);
  const Columns product = first * second;
  const Columns whole =
      s * s + 0.5 * (s * corrected + corrected * s + product + product.transpose());
  EXPECT_LT((whole - 0.7 * Columns::Identity(4, 4)).norm(), 1e-12);
}

TEST(Packed, IsAnIsometryWithAnInverse) {
  Rng rng(4);
  const Columns a = symmetric(5, rng), b = symmetric(5, rng);
  EXPECT_NEAR(packed(a).dot(packed(b)), a.cwiseProduct(b).sum(), 1e-12);
  EXPECT_LT((unpacked(packed(a), 5) - a).norm(), 1e-15);
}

struct NewtonCase {
  Index states, actions, order, rows;
  bool sparse;
};

class DriftNewtonTest : public testing::TestWithParam<NewtonCase> {
 protected:
  DriftNewtonTest()
      : rng_(7),
        mdp_(GetParam().sparse
                 ? testing_models::random_sparse(GetParam().states, GetParam().actions, 0.9, 5)
                 : testing_models::random_dense(GetParam().states, GetParam().actions, 0.9, 5)),
        program_{.features = normal_matrix(GetParam().order, mdp_.states() * mdp_.actions(), rng_),
                 .axes = normal_matrix(GetParam().order, GetParam().order, rng_),
                 .gains = positive_vector(GetParam().rows, rng_),
                 .radius = 0.1,
                 .mdp = mdp_} {
    const Index r = program_.order();
    const Columns scaling = normal_matrix(r, r, rng_);
    const Columns any = normal_matrix(program_.rows() + 4, program_.rows() + 2, rng_);
    at_ = {.theta = positive_vector(program_.features.cols(), rng_),
           .scaling = scaling,
           .inverse = scaling.inverse(),
           .root = Eigen::HouseholderQR<Columns>(any)
                       .matrixQR()
                       .topRows(program_.rows() + 2)
                       .triangularView<Eigen::Upper>()};
    side_ = {.pairs = normal_matrix(program_.features.cols(), 1, rng_),
             .flow = normal_matrix(mdp_.states(), 1, rng_),
             .moment = symmetric(r, rng_),
             .free = normal_matrix(program_.rows() + 2, 1, rng_)};
  }

  Rng rng_;
  FiniteMdp mdp_;
  DriftProgram program_;
  DriftNewton::Coefficients at_;
  DriftNewton::Side side_;
};

// Written out with loops over pairs, states and axes.
TEST_P(DriftNewtonTest, SolvesAllFourEquationsByBothEliminations) {
  const Index n = at_.theta.size(), r = program_.order(), d = program_.rows();
  const Matrix b = program_.balance_matrix();
  const Columns w = at_.scaling * at_.scaling.transpose();
  const Columns h = at_.root.transpose() * at_.root;
  for (const Elimination elimination : {Elimination::kPairs, Elimination::kMoment}) {
    const DriftNewton newton(program_, at_, elimination);
    ASSERT_TRUE(newton.solvable());
    const DriftNewton::Solution found = newton.solve(side_);
    Columns moment = w * found.second * w;
    for (Index i = 0; i < n; ++i) {
      const Vector phi = program_.features.col(i);
      moment += found.lambda(i) * phi * phi.transpose();
      EXPECT_NEAR(
          found.lambda(i) / at_.theta(i) + b.row(i).dot(found.y) - phi.dot(found.second * phi),
          side_.pairs(i), 1e-8);
    }
    Vector free = h * found.free;
    for (Index j = 0; j < r; ++j) {
      const Vector a = program_.axes.col(j);
      moment += (j < d ? -found.free(j) : found.free(d)) * a * a.transpose();
      free(std::min(j, d)) -= (j < d ? -1 : 1) * a.dot(found.second * a);
    }
    EXPECT_LT((moment - side_.moment).norm(), 1e-8);
    EXPECT_LT((free - side_.free).norm(), 1e-8);
    EXPECT_LT((b.transpose() * found.lambda - side_.flow).norm(), 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DriftNewtonTest,
                         testing::Values(NewtonCase{3, 2, 4, 2, false},
                                         NewtonCase{3, 2, 3, 3, true},
                                         NewtonCase{12, 4, 3, 1, false},
                                         NewtonCase{150, 3, 4, 2, true},
                                         NewtonCase{100, 4, 2, 2, false}));

TEST(DriftNewton, IsNotSolvableWithAWeightThatIsNotANumber) {
  const FiniteMdp mdp = testing_models::random_dense(3, 2, 0.9, 5);
  Rng rng(8);
  const DriftProgram program{.features = normal_matrix(2, 6, rng),
                             .axes = Columns::Identity(2, 2),
                             .gains = Vector::Ones(1),
                             .radius = 0.1,
                             .mdp = mdp};
  const DriftNewton::Coefficients at{.theta = Vector::Constant(6, std::nan("")),
                                     .scaling = Columns::Identity(2, 2),
                                     .inverse = Columns::Identity(2, 2),
                                     .root = Columns::Identity(3, 3)};
  EXPECT_FALSE(DriftNewton(program, at, Elimination::kPairs).solvable());
  EXPECT_FALSE(DriftNewton(program, at, Elimination::kMoment).solvable());
}

// One state, actions with features e_a, W0 = I: t - kappa e^2 = (1 - e)^2 / A at the uniform
// policy.
TEST(DriftProgramPoint, ClosesTheGapAtTheHandSolution) {
  const Index axes = 3;
  const FiniteMdp mdp(Matrix::Ones(axes, 1), Vector::Ones(1), 0.8);
  const DriftProgram program{.features = std::sqrt(3.0) * Columns::Identity(axes, axes),
                             .axes = std::sqrt(3.0) * Columns::Identity(axes, axes),
                             .gains = Vector::Ones(axes),
                             .radius = 0.4,
                             .mdp = mdp};
  DriftProgramPoint point(program, Vector{{0.5, 0.3, 0.2}});
  double before = point.gap();
  for (int k = 0; k < 12; ++k) {
    ASSERT_TRUE(point.advance()) << k;
    EXPECT_LT(point.gap(), before);
    before = point.gap();
  }
  EXPECT_LT(before, 1e-9);
  EXPECT_NEAR(point.objective(), 0.36 / 3, 1e-9);
  EXPECT_LT((point.lambda().array() - 1.0 / 3).abs().maxCoeff(), 1e-6);
}

}  // namespace
}  // namespace rgu
