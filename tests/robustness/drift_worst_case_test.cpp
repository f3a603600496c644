#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <string>

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/robustness/rules.hpp"
#include "rgu/utility/drift.hpp"
#include "robustness/helpers.hpp"

namespace rgu {
namespace {

// One state per feature axis, with features sqrt(d') e_j: under the uniform occupancy M = I, and in
// general M = d' diag(lambda).
Drift axis_features(Index axes, Index dimension, double smoothing = 0) {
  return Drift({.actions = 1,
                .features = std::sqrt(static_cast<double>(axes)) * Matrix::Identity(axes, axes),
                .dimension = dimension,
                .smoothing = smoothing});
}
// The occupancy under which M = diag(moments) for axis_features.
Matrix occupancy_of(const Vector& moments) {
  return (moments / static_cast<double>(moments.size())).reshaped(moments.size(), 1);
}

struct Instance {
  Drift drift;
  Matrix centre;
  double radius;
  Matrix occupancy;

  FrobeniusBall ball() const { return {centre, radius}; }
};

Instance random_instance(std::uint64_t seed, Index rows = 3, Index columns = 5) {
  Rng rng(seed);
  return {.drift =
              Drift({.actions = 3, .features = normal_matrix(18, columns, rng), .dimension = rows}),
          .centre = seed % 2 == 0 ? normal_matrix(rows, columns, rng)
                                  : Matrix(Matrix::Identity(rows, columns)),
          .radius = rng.uniform(0.05, 0.6),
          .occupancy = random_occupancy(6, 3, rng)};
}

// Exponentiated subgradient steps on the worst case: they drive the small eigenvalues together.
void improve(Instance& instance, int steps) {
  for (int k = 0; k < steps; ++k) {
    const WorstCase worst = worst_case(instance.drift, instance.ball(), instance.occupancy);
    const Matrix slope = instance.drift.evaluate(instance.occupancy, worst.nature).occupancy;
    const double step = 0.3 / (std::sqrt(1.0 + k) * (1e-12 + slope.cwiseAbs().maxCoeff()));
    instance.occupancy.array() *= (-step * slope.array()).exp();
    instance.occupancy /= instance.occupancy.sum();
  }
}

// M = c I and W0 W0' = I: every row has length 1, and nature shortens one by e: c (1 - e)^2. All
// eigenvalues are equal at every mu. (The dual: mu c/(c + mu) - mu e^2 is largest at
// mu = c (1/e - 1), where it is c (1 - e) - c (1 - e) e.)
TEST(DriftWorstCase, OfEqualEigenvaluesMatchesTheHandSolution) {
  const Drift drift = axis_features(5, 3);
  const Matrix occupancy = occupancy_of(Vector::Constant(5, 0.7));
  for (const double e : {1e-6, 0.1, 0.5, 0.9, 0.999999}) {
    const FrobeniusBall ball(Matrix::Identity(3, 5), e);
    const WorstCase worst = worst_case(drift, ball, occupancy);
    EXPECT_EQ(worst.kind, AnswerKind::kExact);
    EXPECT_EQ(worst.gap, 0);
    EXPECT_NEAR(worst.value, -0.7 * (1 - e) * (1 - e), 1e-12) << e;
    EXPECT_TRUE(contains(ball, worst.nature, 1e-12));
  }
}

// W0 = diag(1, sqrt 3), M = diag(4, 1). The eigenvalues at mu are 4 mu/(4 + mu) and
// 3 mu/(1 + mu); they cross at mu = 8, where their slopes are 1/9 and 1/27. With e^2 = 1/18,
// between them, the maximum is at the crossing: 8/3 - 8/18 = 20/9. Neither eigenvector alone
// attains it: shortening row 1 gives 4 (1 - e)^2 = 2.337, row 2 (sqrt 3 - e)^2 = 2.239.
TEST(DriftWorstCase, AtACrossingOfEigenvaluesMatchesTheHandSolution) {
  const Drift drift = axis_features(2, 2);
  const Matrix centre{{1, 0}, {0, std::sqrt(3.0)}};
  const FrobeniusBall ball(centre, std::sqrt(1.0 / 18));
  const WorstCase worst = worst_case(drift, ball, occupancy_of(Vector{{4, 1}}));
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
  EXPECT_NEAR(worst.value, -20.0 / 9, 1e-12);
  EXPECT_NEAR((worst.nature - flatten(centre)).norm(), ball.radius(), 1e-12);
}

// Of one row w = 2 and M = 3: f = -3 (2 - e)^2.
TEST(DriftWorstCase, OfOneNumberMatchesTheHandSolution) {
  const Drift drift = axis_features(1, 1);
  const FrobeniusBall ball(Matrix{{2}}, 0.5);
  const WorstCase worst = worst_case(drift, ball, Matrix{{3}});
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
  EXPECT_NEAR(worst.value, -6.75, 1e-12);
  EXPECT_NEAR(worst.nature(0), 1.5, 1e-12);
}

// M = diag(1, 0) and W0 = (1, 5): the second entry counts for nothing, so the worst value is
// -(1 - e)^2 below e = 1, and 0 from there on, although the singular value of W0 is sqrt 26.
TEST(DriftWorstCase, WithASingularMomentMatchesTheHandSolution) {
  const Drift drift = axis_features(2, 1);
  const Matrix occupancy = occupancy_of(Vector{{1, 0}});
  const auto value = [&](double e) {
    const WorstCase worst = worst_case(drift, FrobeniusBall(Matrix{{1, 5}}, e), occupancy);
    EXPECT_EQ(worst.kind, AnswerKind::kExact);
    return worst.value;
  };
  EXPECT_NEAR(value(0.25), -0.5625, 1e-12);
  EXPECT_NEAR(value(1), 0, 1e-15);
  EXPECT_NEAR(value(3), 0, 1e-15);
}

TEST(DriftWorstCase, WithRadiusZeroIsTheNominalValue) {
  const Instance instance = random_instance(2);
  const FrobeniusBall ball(instance.centre, 0);
  const WorstCase worst = worst_case(instance.drift, ball, instance.occupancy);
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
  EXPECT_EQ(worst.nature, flatten(instance.centre));
  EXPECT_EQ(worst.value, instance.drift.evaluate(instance.occupancy, worst.nature).value);
}

// Few enough state-actions that M has rank 2 < d: lmin is 0 for every map.
TEST(DriftWorstCase, OfAMomentOfSmallRankIsZero) {
  Rng rng(5);
  const Drift drift({.actions = 1, .features = normal_matrix(2, 5, rng), .dimension = 3});
  const FrobeniusBall ball(Matrix::Identity(3, 5), 0.3);
  const WorstCase worst = worst_case(drift, ball, Matrix{{0.4}, {0.6}});
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
  EXPECT_NEAR(worst.value, 0, 1e-14);
}

TEST(DriftWorstCase, FromTheSmallestSingularValueOnIsZeroAndAttained) {
  const Instance instance = random_instance(4);
  const Eigen::MatrixXd gram = instance.centre * instance.centre.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
  const double least = std::sqrt(eigen.eigenvalues()(0));
  for (const double factor : {1.0 + 1e-12, 1.5, 10.0}) {
    const FrobeniusBall ball(instance.centre, factor * least);
    const WorstCase worst = worst_case(instance.drift, ball, instance.occupancy);
    EXPECT_EQ(worst.kind, AnswerKind::kExact);
    EXPECT_NEAR(worst.value, 0, 1e-12) << factor;
    EXPECT_TRUE(contains(ball, worst.nature, 1e-12));
  }
  const WorstCase below =
      worst_case(instance.drift, FrobeniusBall(instance.centre, 0.9 * least), instance.occupancy);
  EXPECT_LT(below.value, -1e-6);
}

TEST(DriftWorstCase, IsTheSameOnFrobeniusSpectralAndEuclideanBalls) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Instance instance = random_instance(seed);
    const double value = worst_case(instance.drift, instance.ball(), instance.occupancy).value;
    const SpectralBall spectral(instance.centre, instance.radius);
    const LpBall flat({.centre = flatten(instance.centre), .radius = instance.radius, .p = 2});
    const WorstCase other = worst_case(instance.drift, spectral, instance.occupancy);
    EXPECT_EQ(other.kind, AnswerKind::kExact);
    EXPECT_DOUBLE_EQ(other.value, value);
    EXPECT_TRUE(contains(spectral, other.nature));
    EXPECT_DOUBLE_EQ(worst_case(instance.drift, flat, instance.occupancy).value, value);
  }
}

TEST(DriftWorstCase, IsBeatenByNoMemberAndNoAscent) {
  for (std::uint64_t seed = 10; seed < 22; ++seed) {
    Instance instance = random_instance(seed);
    improve(instance, seed % 3 == 0 ? 60 : 0);
    const FrobeniusBall ball = instance.ball();
    const WorstCase worst = worst_case(instance.drift, ball, instance.occupancy);
    ASSERT_EQ(worst.kind, AnswerKind::kExact) << seed;
    EXPECT_LE(best_random_member(instance.drift, ball, instance.occupancy), worst.value + 1e-12);
    const WorstCaseOptions options{.iterations = 300, .starts = 24, .seed = seed};
    const WorstCase climbed =
        *best_of_many_starts({instance.drift, ball, instance.occupancy, options});
    EXPECT_LE(climbed.value, worst.value + 1e-12) << seed;
    EXPECT_NEAR(climbed.value, worst.value, 0.1 * std::abs(worst.value) + 1e-3) << seed;
  }
}

// Policies on the way to the robust optimum, where eigenvalues meet, of many sizes.
TEST(DriftWorstCase, IsExactAlongTheWayToTheRobustOptimum) {
  for (std::uint64_t seed = 30; seed < 60; ++seed) {
    Rng rng(seed);
    const Index rows = 1 + static_cast<Index>(rng.below(6));
    Instance instance = random_instance(seed, rows, rows + static_cast<Index>(rng.below(5)));
    for (int block = 0; block < 10; ++block) {
      improve(instance, 10);
      const WorstCase worst = worst_case(instance.drift, instance.ball(), instance.occupancy);
      ASSERT_EQ(worst.kind, AnswerKind::kExact) << "seed " << seed << " gap " << worst.gap;
      EXPECT_TRUE(contains(instance.ball(), worst.nature, 1e-12));
    }
  }
}

TEST(DriftWorstCase, FallsAsTheRadiusShrinks) {
  const Instance instance = random_instance(7);
  double before = 0;
  for (const double e : {2.0, 1.0, 0.6, 0.3, 0.1, 0.01, 1e-4, 1e-8}) {
    const FrobeniusBall ball(instance.centre, e);
    const WorstCase worst = worst_case(instance.drift, ball, instance.occupancy);
    EXPECT_EQ(worst.kind, AnswerKind::kExact) << e;
    EXPECT_LE(worst.value, before + 1e-12) << e;
    before = worst.value;
  }
}

TEST(DriftWorstCase, WhenSmoothedIsCertifiedWithinLogDOverB) {
  for (std::uint64_t seed = 60; seed < 66; ++seed) {
    const Instance plain = random_instance(seed);
    const double b = 20;
    const Drift smooth({.actions = 3,
                        .features = plain.drift.features(),
                        .dimension = plain.drift.dimension(),
                        .smoothing = b});
    const FrobeniusBall ball = plain.ball();
    const double exact = worst_case(plain.drift, ball, plain.occupancy).value;
    const WorstCase worst = worst_case(smooth, ball, plain.occupancy);
    EXPECT_EQ(worst.kind, AnswerKind::kCertified);
    EXPECT_GE(worst.value, exact - 1e-12);
    EXPECT_NEAR(worst.value + worst.gap, exact + std::log(3.0) / b, 1e-9);
    EXPECT_DOUBLE_EQ(worst.value, smooth.evaluate(plain.occupancy, worst.nature).value);
    EXPECT_LE(best_random_member(smooth, ball, plain.occupancy), worst.value + worst.gap);
    EXPECT_TRUE(contains(ball, worst.nature));
  }
}

TEST(DriftWorstCase, WhenSmoothedOfOneRowIsExact) {
  const FrobeniusBall ball(Matrix{{1, 0}}, 0.5);
  const WorstCase worst = worst_case(axis_features(2, 1, 10), ball, occupancy_of(Vector{{1, 1}}));
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
  EXPECT_NEAR(worst.value, -0.25, 1e-12);
}

// A spectral ball of (3, 2) matrices is no spectral ball of (2, 3) matrices.
TEST(DriftWorstCase, IsOnlySearchedForOnSetsThatAreNoSuchBall) {
  const Drift drift = axis_features(3, 2);
  const Matrix occupancy = occupancy_of(Vector::Ones(3));
  const SpectralBall folded(Matrix::Identity(3, 2), 0.3);
  EXPECT_EQ(worst_case(drift, folded, occupancy).kind, AnswerKind::kBestFound);
  const Box box = uniform_box(6, {.lower = 0, .upper = 1});
  EXPECT_EQ(worst_case(drift, box, occupancy).kind, AnswerKind::kBestFound);
}

TEST(AmbiguityWarnings, NameADegenerateRadiusOfTheDrift) {
  const Drift drift = axis_features(4, 2);
  const auto warnings = [](const Utility& utility, double radius) {
    return ambiguity_warnings(utility, FrobeniusBall(Matrix::Identity(2, 4), radius));
  };
  EXPECT_TRUE(warnings(drift, 0.99).empty());
  ASSERT_EQ(warnings(drift, 1).size(), 1u);
  EXPECT_EQ(warnings(drift, 1.25).front(),
            "the worst case is 0 for every policy: the radius 1.25 of the ambiguity set is not "
            "below 1, the smallest singular value of its centre, so nature can choose a feature "
            "map without full rank; choose a smaller radius");
  EXPECT_TRUE(warnings(axis_features(4, 2, 3), 1.25)
                  .front()
                  .starts_with("the worst smallest eigenvalue is 0 for every policy"));
  EXPECT_TRUE(ambiguity_warnings(drift, uniform_box(8, {.lower = -1, .upper = 1})).empty());
}

}  // namespace
}  // namespace rgu
