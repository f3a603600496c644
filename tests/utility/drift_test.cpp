#include "rgu/utility/drift.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/base/rng.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Matrix random_matrix(Shape shape, Rng& rng) {
  const Vector entries = normal_vector(shape.rows * shape.columns, rng);
  return as_matrix(entries, shape.rows, shape.columns);
}

Matrix random_occupancy(OccupancyShape shape, Rng& rng) {
  Matrix occupancy(shape.states, shape.actions);
  for (Index i = 0; i < occupancy.size(); ++i) occupancy.data()[i] = rng.exponential();
  return occupancy / occupancy.sum();
}

// Two states, one action, psi = e_1, e_2: M = diag(lambda).
Drift unit_features(double smoothing) {
  return Drift(
      {.actions = 1, .features = Matrix::Identity(2, 2), .dimension = 2, .smoothing = smoothing});
}

// lambda = (1/2, 1/2), so M = I/2, and W = ((1, 1), (0, 1)): W M W' = (1/2) ((2, 1), (1, 1)).
// The eigenvalues of ((2, 1), (1, 1)) are (3 -+ sqrt 5)/2, so lmin = (3 - sqrt 5)/4. With the
// golden ratio g = (1 + sqrt 5)/2 its eigenvector is u = (1, -g)/sqrt n, n = 1 + g^2. u'W = (1, 1 -
// g)/sqrt n, so grad_lambda = -(u'W psi)^2 = -(1, (1 - g)^2)/n and grad_W = -2 u u'W M = -u (u'W) =
// -((1, 1 - g), (-g, -g (1 - g)))/n.
TEST(Drift, MatchesTheHandSolvedCase) {
  const Drift utility = unit_features(0);
  const UtilityGradient gradient = utility.evaluate(Matrix{{0.5}, {0.5}}, Vector{{1, 1, 0, 1}});
  const double g = (1 + std::sqrt(5.0)) / 2;
  const double n = 1 + g * g;
  EXPECT_NEAR(gradient.value, -(3 - std::sqrt(5.0)) / 4, 1e-15);
  EXPECT_TRUE(gradient.occupancy.isApprox(-Matrix{{1}, {(1 - g) * (1 - g)}} / n, 1e-14));
  EXPECT_TRUE(gradient.nature.isApprox(-Vector{{1, 1 - g, -g, -g * (1 - g)}} / n, 1e-14));
}

// W = I and lambda = (1/4, 3/4): W M W' = diag(1/4, 3/4), b = 4. The smoothed value is
// (1/4) log(e^-1 + e^-3), the weights are w = (1, e^-2)/(1 + e^-2), and P = diag(w):
// grad_lambda = -w, grad_W = -2 P W M = -2 diag(w_1/4, 3 w_2/4).
TEST(Drift, MatchesTheHandSolvedSmoothedCase) {
  const Drift utility = unit_features(4);
  const UtilityGradient gradient = utility.evaluate(Matrix{{0.25}, {0.75}}, Vector{{1, 0, 0, 1}});
  const double second = std::exp(-2.0) / (1 + std::exp(-2.0));
  EXPECT_NEAR(gradient.value, 0.25 * std::log(std::exp(-1.0) + std::exp(-3.0)), 1e-15);
  EXPECT_TRUE(gradient.occupancy.isApprox(-Matrix{{1 - second}, {second}}, 1e-14));
  EXPECT_TRUE(gradient.nature.isApprox(-Vector{{(1 - second) / 2, 0, 0, 1.5 * second}}, 1e-14));
}

TEST(Drift, SecondMomentIsTheSumOfOuterProducts) {
  Rng rng(3);
  const Matrix features = random_matrix({6, 4}, rng);
  const Drift utility({.actions = 2, .features = features, .dimension = 3});
  const Matrix occupancy = random_occupancy({.states = 3, .actions = 2}, rng);
  Matrix expected = Matrix::Zero(4, 4);
  for (Index s = 0; s < 3; ++s) {
    for (Index a = 0; a < 2; ++a) {
      const Vector psi = features.row(s * 2 + a);
      expected += occupancy(s, a) * psi * psi.transpose();
    }
  }
  const Matrix moment = utility.second_moment(occupancy);
  EXPECT_TRUE(moment.isApprox(expected, 1e-14));
  EXPECT_EQ(moment, moment.transpose());
  EXPECT_THAT([&] { utility.second_moment(Matrix::Zero(2, 3)); },
              ThrowsMessage<InvalidInput>(HasSubstr("occupancy is 2 x 3, must be 3 x 2")));
}

TEST(Drift, SmoothingIsBelowTheEigenvalueByAtMostLogarithmOfDimensionOverB) {
  Rng rng(4);
  const Matrix features = random_matrix({12, 6}, rng);
  const Index d = 4;
  const Drift plain({.actions = 3, .features = features, .dimension = d});
  for (const double b : {0.01, 1.0, 30.0, 1e4, 1e9}) {
    const Drift smooth({.actions = 3, .features = features, .dimension = d, .smoothing = b});
    for (int trial = 0; trial < 20; ++trial) {
      const Matrix occupancy = random_occupancy({.states = 4, .actions = 3}, rng);
      const Vector map = normal_vector(d * 6, rng);
      // f = -lmin, so a smaller lmin is a larger f.
      const double excess =
          smooth.evaluate(occupancy, map).value - plain.evaluate(occupancy, map).value;
      EXPECT_GE(excess, -1e-12);
      EXPECT_LE(excess, std::log(static_cast<double>(d)) / b + 1e-12);
    }
  }
}

// All eigenvalues equal: the whole of (log d)/b is lost.
TEST(Drift, TheSmoothingBoundIsAttainedAtEqualEigenvalues) {
  const Drift smooth = unit_features(5);
  const double value = smooth.evaluate(Matrix{{0.5}, {0.5}}, Vector{{1, 0, 0, 1}}).value;
  EXPECT_NEAR(value, -0.5 + std::log(2.0) / 5, 1e-15);
}

// Eigenvalues around 1e6, where exp(-b l) is 0 in floating point for each of them.
TEST(Drift, SmoothedValueSurvivesEigenvaluesFarFromZero) {
  const Drift smooth = unit_features(10);
  const UtilityGradient gradient = smooth.evaluate(Matrix{{0.5}, {0.5}}, Vector{{2e3, 0, 0, 2e3}});
  EXPECT_NEAR(gradient.value, -2e6 + std::log(2.0) / 10, 1e-8);
  EXPECT_TRUE(gradient.occupancy.allFinite());
}

// -lmin is convex in lambda. At W = I, lambda = (1/2, 1/2) the least eigenvalue is double and the
// gradient of one eigenvector must still support the function from below.
TEST(Drift, PlainGradientAtADoubleEigenvalueIsASubgradient) {
  Rng rng(5);
  const Drift utility = unit_features(0);
  for (int trial = 0; trial < 50; ++trial) {
    // Any rotation of W keeps the eigenvalue double, and gives the solver another eigenvector.
    const double angle = rng.uniform(0, 6.28);
    const Vector map{{std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)}};
    const Matrix here{{0.5}, {0.5}};
    const UtilityGradient gradient = utility.evaluate(here, map);
    ASSERT_NEAR(gradient.value, -0.5, 1e-14);
    ASSERT_NEAR(gradient.occupancy.sum(), -1, 1e-14);  // one unit eigenvector, not zero or two
    for (int other = 0; other < 20; ++other) {
      const Matrix there = random_occupancy({.states = 2, .actions = 1}, rng) * rng.uniform(0.5, 2);
      const double support = gradient.value + gradient.occupancy.cwiseProduct(there - here).sum();
      EXPECT_GE(utility.evaluate(there, map).value, support - 1e-13);
    }
  }
}

// On either side of the double eigenvalue the gradients differ by a fixed amount, however close the
// points: the reason why no Lipschitz constant is declared.
TEST(Drift, PlainGradientJumpsWhereEigenvaluesMeet) {
  const Drift utility = unit_features(0);
  const Vector identity{{1, 0, 0, 1}};
  const double step = 1e-9;
  const UtilityGradient left = utility.evaluate(Matrix{{0.5 - step}, {0.5 + step}}, identity);
  const UtilityGradient right = utility.evaluate(Matrix{{0.5 + step}, {0.5 - step}}, identity);
  EXPECT_NEAR((left.occupancy - right.occupancy).norm(), std::sqrt(2.0), 1e-6);
  const UtilityConstants plain = utility.constants(1);
  EXPECT_TRUE(std::isfinite(plain.occupancy_gradient));
  EXPECT_TRUE(std::isfinite(plain.nature_gradient));
  EXPECT_EQ(plain.occupancy_lipschitz, UtilityConstants::kNone);
  EXPECT_EQ(plain.nature_lipschitz, UtilityConstants::kNone);
  EXPECT_EQ(plain.cross_lipschitz, UtilityConstants::kNone);
  const UtilityConstants smooth = unit_features(3).constants(1);
  EXPECT_TRUE(std::isfinite(smooth.occupancy_lipschitz));
  EXPECT_TRUE(std::isfinite(smooth.nature_lipschitz));
  EXPECT_TRUE(std::isfinite(smooth.cross_lipschitz));
}

TEST(Drift, OfARankDeficientMapIsZero) {
  const Drift utility = unit_features(0);
  EXPECT_NEAR(utility.evaluate(Matrix{{0.3}, {0.7}}, Vector{{1, 2, 2, 4}}).value, 0, 1e-15);
}

TEST(Drift, OfOneRowIsConcaveInTheMap) {
  const Drift utility({.actions = 1, .features = Matrix::Identity(2, 2), .dimension = 1});
  EXPECT_EQ(utility.traits().nature, NatureShape::kConcave);
  EXPECT_EQ(unit_features(0).traits().nature, NatureShape::kNonconcave);
  // f = -(w_1^2 lambda_1 + w_2^2 lambda_2): the Hessian in W is -2 M, of norm <= 2.
  EXPECT_DOUBLE_EQ(utility.evaluate(Matrix{{0.25}, {0.75}}, Vector{{2, 1}}).value, -1.75);
  EXPECT_DOUBLE_EQ(utility.constants(1).nature_lipschitz, 2);
  EXPECT_EQ(utility.constants(1).occupancy_lipschitz, 0);
}

TEST(Drift, KnowsItsSizes) {
  const Drift utility(
      {.actions = 2, .features = Matrix::Ones(6, 4), .dimension = 3, .smoothing = 0.5});
  EXPECT_EQ(utility.states(), 3);
  EXPECT_EQ(utility.actions(), 2);
  EXPECT_EQ(utility.dimension(), 3);
  EXPECT_EQ(utility.feature_dimension(), 4);
  EXPECT_EQ(utility.nature_dimension(), 12);
  EXPECT_EQ(utility.smoothing(), 0.5);
}

TEST(Drift, RejectsBadOptions) {
  const auto make = [](auto change) {
    return [change] {
      DriftOptions options{.actions = 2, .features = Matrix::Ones(6, 4), .dimension = 3};
      change(options);
      Drift utility(options);
    };
  };
  EXPECT_NO_THROW(make([](auto&) {})());
  EXPECT_THAT(make([](auto& bad) { bad.dimension = 5; }),
              ThrowsMessage<InvalidInput>(HasSubstr(
                  "dimension d of the drift is 5, must be at most the feature dimension 4")));
  EXPECT_THAT(
      make([](auto& bad) { bad.dimension = 0; }),
      ThrowsMessage<InvalidInput>(HasSubstr("dimension d of the drift is 0, must be at least 1")));
  EXPECT_THAT(make([](auto& bad) { bad.smoothing = -1; }),
              ThrowsMessage<InvalidInput>(HasSubstr("smoothing is -1, must be finite and >= 0")));
  EXPECT_THAT(make([](auto& bad) { bad.smoothing = std::nan(""); }),
              ThrowsMessage<InvalidInput>(HasSubstr("smoothing is nan")));
  EXPECT_THAT(make([](auto& bad) { bad.features(4, 2) = std::nan(""); }),
              ThrowsMessage<InvalidInput>(HasSubstr("features[4, 2] is nan, must be finite")));
  EXPECT_THAT(make([](auto& bad) { bad.actions = 4; }),
              ThrowsMessage<InvalidInput>(
                  HasSubstr("features have 6 rows, must be a multiple of the 4 actions")));
  EXPECT_THAT(make([](auto& bad) { bad.actions = 0; }),
              ThrowsMessage<InvalidInput>(HasSubstr("number of actions is 0, must be at least 1")));
  EXPECT_THAT(make([](auto& bad) { bad.features = Matrix(0, 4); }),
              ThrowsMessage<InvalidInput>(HasSubstr("number of states is 0")));
}

}  // namespace
}  // namespace rgu
