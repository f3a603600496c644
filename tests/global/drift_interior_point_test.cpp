#include "rgu/global/drift_interior_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "global/drift_instances.hpp"
#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/global/witness_bound.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {
namespace {

using testing_models::random_dense;
using testing_models::random_sparse;

struct Instance {
  FiniteMdp mdp;
  Drift drift;
  Matrix centre;

  FrobeniusBall ball(double radius) const { return {centre, radius}; }
};

Matrix normal_matrix(Index rows, Index columns, Rng& rng) {
  return Matrix::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

Drift normal_drift(const FiniteMdp& mdp, Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed);
  return Drift({.actions = mdp.actions(),
                .features = normal_matrix(mdp.states() * mdp.actions(), columns, rng),
                .dimension = rows});
}

// Singular values of the centre: 1.
Instance with_features(FiniteMdp mdp, Index rows, Index columns, std::uint64_t seed) {
  Drift drift = normal_drift(mdp, rows, columns, seed);
  return {std::move(mdp), std::move(drift), Matrix::Identity(rows, columns)};
}

Instance random_instance(std::uint64_t seed) {
  return with_features(random_dense(6, 3, 0.9, seed), 4, 7, seed + 1000);
}

// Everything the solution says, from the raw data; returns the recomputed relative gap.
double checked_gap(const Instance& instance, const ConvexSet& ball,
                   const GlobalSolution& solution) {
  EXPECT_LE(flow_residual(instance.mdp, solution.occupancy), 1e-12);
  EXPECT_LE((occupancy(instance.mdp, solution.policy) - solution.occupancy).norm(), 1e-14);
  const WorstCase worst = worst_case(instance.drift, ball, solution.occupancy);
  const double scale = instance.drift.second_moment(solution.occupancy).trace();
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
  EXPECT_EQ(solution.kind, AnswerKind::kExact);
  EXPECT_NEAR(worst.value, solution.value, 1e-11 * scale);
  EXPECT_GE(solution.gap(), -1e-13 * scale);
  EXPECT_FALSE(solution.method.empty());
  return (worst.value + worst.gap - solution.lower_bound) / std::abs(worst.value);
}

// One state and actions with features e_a: Lambda is the simplex and M = diag(lambda). The uniform
// policy is optimal by symmetry; there nature shortens one row by e: -(1 - e)^2 / A.
TEST(DriftInteriorPoint, OnTheSimplexMatchesTheHandSolution) {
  const Index axes = 4;
  const FiniteMdp mdp(Matrix::Ones(axes, 1), Vector::Ones(1), 0.8);
  const Drift drift({.actions = axes, .features = Matrix::Identity(axes, axes), .dimension = axes});
  for (const double e : {0.0, 1e-9, 1e-3, 0.3, 0.9}) {
    const FrobeniusBall ball(Matrix::Identity(axes, axes), e);
    const GlobalSolution found = drift_interior_point(mdp, drift, ball);
    EXPECT_EQ(found.status, GlobalStatus::kCertified) << e;
    const double optimum = -(1 - e) * (1 - e) / axes;
    EXPECT_NEAR(found.value, optimum, 1e-8 * std::abs(optimum)) << e;
    EXPECT_NEAR(found.lower_bound, optimum, 1e-8 * std::abs(optimum)) << e;
    EXPECT_LT((found.policy.array() - 0.25).abs().maxCoeff(), 1e-4) << e;
  }
}

// The same with features a e_1 and b e_2 and one row W0 = (1, 0): only action 0 counts, and nature
// subtracts e from the entry that does: -a^2 (1 - e)^2.
TEST(DriftInteriorPoint, WithOneRowMatchesTheHandSolution) {
  const FiniteMdp mdp(Matrix::Ones(2, 1), Vector::Ones(1), 0.5);
  const Drift drift({.actions = 2, .features = Matrix{{2, 0}, {0, 3}}, .dimension = 1});
  const GlobalSolution found = drift_interior_point(mdp, drift, FrobeniusBall(Matrix{{1, 0}}, 0.5));
  EXPECT_EQ(found.status, GlobalStatus::kCertified);
  EXPECT_NEAR(found.value, -1, 1e-8);
  EXPECT_NEAR(found.policy(0, 0), 1, 1e-6);
}

// To 1e-6, which leaves room for rounding: not every instance gets to 1e-8 at the large radii.
TEST(DriftInteriorPoint, IsCertifiedFromRawDataForManyModelsAndRadii) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Instance instance = random_instance(seed);
    for (const double e : {0.0, 1e-10, 1e-5, 0.05, 0.4, 0.7, 0.9}) {
      const FrobeniusBall ball = instance.ball(e);
      const GlobalSolution found =
          drift_interior_point(instance.mdp, instance.drift, ball, {.tolerance = 1e-6});
      EXPECT_EQ(found.status, GlobalStatus::kCertified) << seed << " radius " << e;
      EXPECT_LE(checked_gap(instance, ball, found), 1.1e-6) << seed << " radius " << e;
      EXPECT_LE(found.iterations, 50) << seed << " radius " << e;
    }
  }
}

// The witness from the raw data: members of the ball, weights of sum 1, V <= slope + g P V + e.
void expect_witness(const testing_drift::DriftInstance& instance, const GlobalSolution& solution) {
  const FiniteMdp& mdp = instance.mdp;
  const Drift& drift = instance.drift;
  Vector slope = Vector::Zero(drift.features().rows());
  double total = 0;
  ASSERT_FALSE(solution.witness.pieces.empty()) << instance.about;
  for (const WitnessPiece& piece : solution.witness.pieces) {
    const auto map = as_matrix(piece.at->nature, drift.dimension(), drift.feature_dimension());
    EXPECT_LE((map - instance.ball.centre()).norm(), instance.ball.radius()) << instance.about;
    EXPECT_NEAR(piece.at->direction.norm(), 1, 1e-14);
    EXPECT_EQ(piece.at->occupancy, solution.occupancy);
    total += piece.weight;
    const Vector seen = drift.features() * (map.transpose() * piece.at->direction);
    slope -= piece.weight * seen.cwiseAbs2();
  }
  EXPECT_NEAR(total, 1, 1e-13) << instance.about;
  const Vector& v = solution.witness.potential;
  const Matrix after =
      as_matrix(slope, mdp.states(), mdp.actions()) + mdp.discount() * mdp.expected_next(v);
  const double e = (v - after.rowwise().minCoeff()).maxCoeff();
  const double bound = (1 - mdp.discount()) * mdp.start().dot(v) - e;
  const double rounding = 1e-13 * (v.cwiseAbs().maxCoeff() + slope.cwiseAbs().maxCoeff());
  EXPECT_NEAR(solution.lower_bound, bound, rounding) << instance.about;
  const WitnessBound proven = witness_bound(mdp, drift, solution.witness);
  EXPECT_LE(solution.lower_bound, proven.bound + 2 * proven.rounding) << instance.about;
}

TEST(DriftInteriorPoint, ProvesEveryInstanceOfABroadFamilyWithAWitness) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const auto instance = testing_drift::random_drift(seed);
    const GlobalSolution found =
        drift_interior_point(instance.mdp, instance.drift, instance.ball, {.tolerance = 1e-6});
    EXPECT_EQ(found.status, GlobalStatus::kCertified) << instance.about;
    EXPECT_LE(flow_residual(instance.mdp, found.occupancy), 1e-11) << instance.about;
    const double attained = instance.drift.evaluate(found.occupancy, found.nature).value;
    const double scale = instance.drift.second_moment(found.occupancy).trace() *
                         instance.ball.centre().squaredNorm();
    EXPECT_GE(found.gap(), -1e-13 * scale) << instance.about;
    EXPECT_NEAR(attained, found.value, 1e-9 * std::abs(found.value) + 1e-13 * scale)
        << instance.about;
    expect_witness(instance, found);
  }
}

TEST(DriftInteriorPoint, HasABoundBelowTheEnvelopeAtRandomPolicies) {
  Rng rng(7);
  for (std::uint64_t seed = 20; seed < 22; ++seed) {
    const Instance instance = random_instance(seed);
    const FrobeniusBall ball = instance.ball(0.3);
    const GlobalSolution found = drift_interior_point(instance.mdp, instance.drift, ball);
    for (int k = 0; k < 1000; ++k) {
      // Near the solution as well as far from it.
      const double share = k % 2 == 0 ? 1 : std::pow(10, -rng.uniform(0, 6));
      const Matrix other = testing_models::random_stochastic(6, 3, rng);
      const Matrix policy = (1 - share) * found.policy + share * other;
      const Matrix lambda = occupancy(instance.mdp, policy);
      EXPECT_GE(worst_case(instance.drift, ball, lambda).value, found.lower_bound);
    }
  }
}

// What the method reaches in few steps is bad, but the bounds hold.
TEST(DriftInteriorPoint, StoppedEarlyStillBoundsTheMinimum) {
  const Instance instance = random_instance(30);
  const FrobeniusBall ball = instance.ball(0.3);
  const double optimum = drift_interior_point(instance.mdp, instance.drift, ball).value;
  double gap = std::numeric_limits<double>::infinity();
  for (const int steps : {1, 3, 5, 8}) {
    const GlobalSolution found =
        drift_interior_point(instance.mdp, instance.drift, ball, {.iterations = steps});
    EXPECT_EQ(found.status, GlobalStatus::kLimit) << steps;
    EXPECT_EQ(found.iterations, steps);
    EXPECT_GE(found.value, optimum - 1e-7) << steps;
    EXPECT_LE(found.lower_bound, optimum) << steps;
    EXPECT_LT(found.gap(), gap) << steps;
    gap = found.gap();
  }
}

TEST(DriftInteriorPoint, StopsAtTheGapThatWasAskedFor) {
  const Instance instance = random_instance(31);
  const FrobeniusBall ball = instance.ball(0.3);
  int before = 0;
  for (const double tolerance : {0.1, 1e-3, 1e-6}) {
    const GlobalSolution found =
        drift_interior_point(instance.mdp, instance.drift, ball, {.tolerance = tolerance});
    EXPECT_EQ(found.status, GlobalStatus::kCertified);
    EXPECT_LE(found.gap(), tolerance * std::abs(found.value));
    EXPECT_GT(found.iterations, before);
    before = found.iterations;
  }
}

TEST(DriftInteriorPoint, FallsContinuouslyToTheNominalMinimum) {
  const Instance instance = random_instance(32);
  const double nominal = drift_interior_point(instance.mdp, instance.drift, instance.ball(0)).value;
  double before = nominal;
  for (const double e : {1e-12, 1e-6, 1e-3, 0.1, 0.5}) {
    const double value = drift_interior_point(instance.mdp, instance.drift, instance.ball(e)).value;
    EXPECT_GE(value, before - 1e-8 * std::abs(nominal)) << e;
    EXPECT_LE(value, nominal + 40 * e * std::abs(nominal) + 1e-8) << e;
    before = value;
  }
}

// The value shrinks with (1 - e)^2 and the numbers it is the difference of do not: the gap stays
// small beside those numbers, not beside the value.
TEST(DriftInteriorPoint, NearTheSmallestSingularValueLosesDigitsButNotTheBounds) {
  for (std::uint64_t seed = 40; seed < 43; ++seed) {
    const Instance instance = random_instance(seed);
    const double scale = instance.drift.features().rowwise().squaredNorm().maxCoeff();
    for (const double margin : {1e-2, 1e-3, 1e-4}) {
      const FrobeniusBall ball = instance.ball(1 - margin);
      const GlobalSolution found = drift_interior_point(instance.mdp, instance.drift, ball);
      EXPECT_GE(checked_gap(instance, ball, found) * std::abs(found.value), -1e-13 * scale)
          << seed << " margin " << margin;
      EXPECT_LE(found.gap(), 1e-10 * scale) << seed << " margin " << margin;
      EXPECT_LT(found.value, 0) << seed << " margin " << margin;
    }
  }
}

TEST(DriftInteriorPoint, IsTheSameOnFrobeniusSpectralAndEuclideanBalls) {
  const Instance instance = random_instance(50);
  const double value = drift_interior_point(instance.mdp, instance.drift, instance.ball(0.3)).value;
  const SpectralBall spectral(instance.centre, 0.3);
  const LpBall flat({.centre = flatten(instance.centre), .radius = 0.3, .p = 2});
  EXPECT_EQ(drift_interior_point(instance.mdp, instance.drift, spectral).value, value);
  EXPECT_EQ(drift_interior_point(instance.mdp, instance.drift, flat).value, value);
}

TEST(DriftInteriorPoint, DoesNotDependOnTheUnitsOfTheFeatures) {
  const Instance instance = random_instance(51);
  const double value = drift_interior_point(instance.mdp, instance.drift, instance.ball(0.3)).value;
  for (const double unit : {1e-6, 1e5}) {
    const Drift scaled(
        {.actions = 3, .features = unit * instance.drift.features(), .dimension = 4});
    const GlobalSolution found = drift_interior_point(instance.mdp, scaled, instance.ball(0.3));
    EXPECT_EQ(found.status, GlobalStatus::kCertified) << unit;
    EXPECT_NEAR(found.value / (unit * unit), value, 2e-8 * std::abs(value)) << unit;
  }
}

TEST(DriftInteriorPoint, TakesSparseModelsAndCentresOfAnyShape) {
  FiniteMdp sparse = random_sparse(12, 3, 0.95, 60);
  const FiniteMdp dense(Matrix(sparse.sparse_kernel()), sparse.start(), sparse.discount());
  Instance instance = with_features(std::move(sparse), 3, 5, 61);
  Rng rng(62);
  instance.centre = normal_matrix(3, 5, rng);
  const FrobeniusBall ball = instance.ball(0.2);
  const GlobalSolution found = drift_interior_point(instance.mdp, instance.drift, ball);
  EXPECT_EQ(found.status, GlobalStatus::kCertified);
  EXPECT_LE(checked_gap(instance, ball, found), 2e-8);
  const double value = drift_interior_point(dense, instance.drift, ball).value;
  EXPECT_NEAR(found.value, value, 2e-8 * std::abs(value));
}

// No run reaches states 1 and 4; what they have of transitions and features changes nothing.
TEST(DriftInteriorPoint, LeavesUnreachableStatesOut) {
  const FiniteMdp small = random_dense(3, 2, 0.9, 70);
  const std::vector<Index> place{0, 2, 3};
  Matrix kernel = Matrix::Zero(10, 5);
  kernel.col(0).setOnes();  // of the unreachable states
  Vector start = Vector::Zero(5);
  const Drift narrow = normal_drift(small, 2, 3, 71);
  Matrix features = Matrix::Constant(10, 3, 50.0);
  for (Index k = 0; k < 3; ++k) {
    start(place[k]) = small.start()(k);
    for (Index a = 0; a < 2; ++a) {
      kernel.row(2 * place[k] + a).setZero();
      features.row(2 * place[k] + a) = narrow.features().row(2 * k + a);
      for (Index j = 0; j < 3; ++j) {
        kernel(2 * place[k] + a, place[j]) = small.dense_kernel()(2 * k + a, j);
      }
    }
  }
  const Drift wide({.actions = 2, .features = features, .dimension = 2});
  const Instance instance{FiniteMdp(kernel, start, 0.9), wide, Matrix::Identity(2, 3)};
  const FrobeniusBall ball = instance.ball(0.3);
  const GlobalSolution found = drift_interior_point(instance.mdp, wide, ball);
  EXPECT_EQ(found.status, GlobalStatus::kCertified);
  EXPECT_LE(checked_gap(instance, ball, found), 2e-8);
  EXPECT_EQ(found.occupancy.row(1).norm() + found.occupancy.row(4).norm(), 0);
  const double value = drift_interior_point(small, narrow, ball).value;
  EXPECT_NEAR(found.value, value, 2e-8 * std::abs(value));
}

// With one action there is one policy, and Lambda is one point.
TEST(DriftInteriorPoint, WithOneActionCertifiesTheOnlyPolicy) {
  const Instance instance = with_features(random_dense(8, 1, 0.95, 80), 3, 5, 81);
  for (const double e : {0.0, 0.3}) {
    const FrobeniusBall ball = instance.ball(e);
    const GlobalSolution found = drift_interior_point(instance.mdp, instance.drift, ball);
    EXPECT_EQ(found.status, GlobalStatus::kCertified);
    EXPECT_EQ(found.policy, Matrix::Ones(8, 1));
    EXPECT_LE(checked_gap(instance, ball, found), 2e-8);
  }
}

// A ring of states that every run walks in turn: one action, no randomness.
TEST(DriftInteriorPoint, OnADeterministicRingMatchesTheHandSolution) {
  const Matrix kernel{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  const FiniteMdp mdp(kernel, Vector{{1, 0, 0}}, 0.5);
  const Drift drift({.actions = 1, .features = Matrix::Identity(3, 3), .dimension = 3});
  // lambda = (1/2)(1, 1/2, 1/4)/(1 - 1/8) = (4, 2, 1)/7, and the least of M = diag(lambda) is 1/7.
  const GlobalSolution found =
      drift_interior_point(mdp, drift, FrobeniusBall(Matrix::Identity(3, 3), 0));
  EXPECT_EQ(found.status, GlobalStatus::kCertified);
  EXPECT_NEAR(found.value, -1.0 / 7, 1e-14);
  EXPECT_NEAR(found.lower_bound, -1.0 / 7, 2e-9);
}

// A long corridor against a current: some pairs have an occupancy below 1e-12 under every policy.
TEST(DriftInteriorPoint, TakesModelsWithPairsThatAreHardlyEverVisited) {
  const Index states = 12;
  Matrix kernel = Matrix::Zero(2 * states, states);
  for (Index s = 0; s < states; ++s) {
    kernel(2 * s, std::max<Index>(s - 1, 0)) = 1;
    kernel(2 * s + 1, std::min(s + 1, states - 1)) += 0.1;
    kernel(2 * s + 1, 0) += 0.9;
  }
  Instance instance = with_features(FiniteMdp(kernel, Vector::Unit(states, 0), 0.9), 2, 3, 90);
  const FrobeniusBall ball = instance.ball(0.2);
  const GlobalSolution found = drift_interior_point(instance.mdp, instance.drift, ball);
  EXPECT_EQ(found.status, GlobalStatus::kCertified);
  EXPECT_LE(checked_gap(instance, ball, found), 2e-8);
}

// Three pairs cannot span four directions, nor can features that are zero: the minimum is 0.
TEST(DriftInteriorPoint, OfFeaturesWithoutFullRankIsZero) {
  const FiniteMdp mdp = random_dense(3, 1, 0.9, 95);
  const Matrix centre = Matrix::Identity(4, 6);
  for (const double unit : {0.0, 1.0}) {
    Rng rng(96);
    const Drift drift({.actions = 1, .features = unit * normal_matrix(3, 6, rng), .dimension = 4});
    const GlobalSolution found = drift_interior_point(mdp, drift, FrobeniusBall(centre, 0.3));
    EXPECT_EQ(found.status, GlobalStatus::kCertified) << unit;
    EXPECT_NEAR(found.value, 0, 1e-13) << unit;
    EXPECT_LE(found.lower_bound, 0) << unit;
    EXPECT_NEAR(found.lower_bound, 0, 1e-10) << unit;
  }
}

TEST(DriftInteriorPoint, SolvesAModelOfAFewHundredPairs) {
  const Instance instance = with_features(random_dense(50, 4, 0.95, 97), 6, 12, 98);
  const FrobeniusBall ball = instance.ball(0.5);
  const GlobalSolution found = drift_interior_point(instance.mdp, instance.drift, ball);
  EXPECT_EQ(found.status, GlobalStatus::kCertified);
  EXPECT_LE(checked_gap(instance, ball, found), 2e-8);
  EXPECT_LE(found.iterations, 40);
}

TEST(DriftInteriorPoint, RefusesWhatItCannotSolve) {
  const Instance instance = random_instance(99);
  const FiniteMdp& mdp = instance.mdp;
  const Drift& drift = instance.drift;
  const auto refused = [&](const Drift& utility, const ConvexSet& set,
                           const DriftInteriorPointOptions& options, const std::string& part) {
    expect_invalid([&] { drift_interior_point(mdp, utility, set, options); }, part);
  };
  const FrobeniusBall ball = instance.ball(0.3);
  refused(drift, ball, {.tolerance = 0}, "tolerance");
  refused(drift, ball, {.iterations = 0}, "number of iterations");
  refused(drift, instance.ball(1), {}, "radius of the ambiguity set is 1, must be below 1");
  refused(drift, FrobeniusBall(Matrix::Zero(4, 7), 0), {}, "must be below 0");
  refused(drift, uniform_box(28, {.lower = -1, .upper = 1}), {}, "must be a Frobenius");
  refused(drift, SpectralBall(Matrix::Identity(7, 4), 0.3), {}, "ball of 4 x 7 maps");
  const Drift smooth({.actions = 3, .features = drift.features(), .dimension = 4, .smoothing = 5});
  refused(smooth, ball, {}, "smoothing of the drift utility is 5, must be 0");
  const Drift other({.actions = 2, .features = drift.features(), .dimension = 4});
  refused(other, ball, {}, "drift utility is of 9 states and 2 actions, the model has 6 and 3");
}

// All of the 10,000 states of the first model can be reached, and only one of the second.
TEST(DriftInteriorPoint, RefusesMoreStatesThanFitInMemoryUnlessTheyAreUnreachable) {
  const Index states = kLargestDriftOrder;
  SparseMatrix stay(states, states);
  stay.setIdentity();
  const Drift drift({.actions = 1, .features = Matrix::Ones(states, 1), .dimension = 1});
  const FrobeniusBall ball(Matrix{{1}}, 0.5);
  const FiniteMdp all(stay, Vector::Constant(states, 1.0 / static_cast<double>(states)), 0.5);
  expect_invalid([&] { drift_interior_point(all, drift, ball); },
                 "reachable states (10000) and products of two of the 1 features are 10001 "
                 "equations, must be at most 10000");
  EXPECT_EQ(drift_program_order(all, drift), 10001);
  const FiniteMdp one(stay, Vector::Unit(states, 3), 0.5);
  EXPECT_NEAR(drift_interior_point(one, drift, ball).value, -0.25, 1e-12);
}

TEST(DriftInteriorPoint, IgnoresTheSmoothingOfOneRow) {
  const FiniteMdp mdp = random_dense(4, 2, 0.9, 3);
  const Drift plain = normal_drift(mdp, 1, 3, 4);
  const Drift smooth({.actions = 2, .features = plain.features(), .dimension = 1, .smoothing = 5});
  const FrobeniusBall ball(Matrix{{1, 0, 0}}, 0.4);
  const GlobalSolution found = drift_interior_point(mdp, smooth, ball);
  EXPECT_NEAR(found.value, drift_interior_point(mdp, plain, ball).value, 1e-12);
  const WitnessBound proven = witness_bound(mdp, smooth, found.witness);
  EXPECT_NEAR(proven.bound, found.lower_bound, 2 * proven.rounding);
}

}  // namespace
}  // namespace rgu
