#include "rgu/mdp/occupancy_policies.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {
namespace {

using testing_models::random_dense;
using testing_models::random_policy;

TEST(OccupancyPolicies, AreTheSharesOfEachState) {
  const OccupancyPolicies policies(3, 2);
  EXPECT_EQ(policies.dimension(), 6);
  const Matrix pi = policies.probabilities(Vector{{0.1, 0.3, 0.6, 0, 0, 0}});
  EXPECT_TRUE(pi.isApprox(Matrix{{0.25, 0.75}, {1, 0}, {0.5, 0.5}}, 1e-15));
}

TEST(OccupancyPolicies, GiveThePolicyBackThatMadeTheOccupancy) {
  const FiniteMdp mdp = random_dense(7, 4, 0.9, 1);
  const Matrix pi = random_policy(mdp, 2);
  const OccupancyPolicies policies(7, 4);
  EXPECT_TRUE(policies.probabilities(flatten(occupancy(mdp, pi))).isApprox(pi, 1e-12));
}

// Of sum weight log pi, by central differences; the score of pi itself is 0.
TEST(OccupancyPolicies, ScoreIsTheDerivativeOfTheLogProbabilities) {
  const OccupancyPolicies policies(4, 3);
  Rng rng(3);
  const Vector lambda = Vector::NullaryExpr(12, [&] { return 0.05 + 0.1 * rng.uniform(); });
  const Matrix weight = Matrix::NullaryExpr(4, 3, [&] { return rng.normal(); });
  const Matrix pi = policies.probabilities(lambda);
  const auto value = [&](const Vector& x) {
    return policies.probabilities(x).array().log().matrix().cwiseProduct(weight).sum();
  };
  const Vector score = policies.score(lambda, pi, weight);
  ASSERT_EQ(score.size(), 12);
  for (Index i = 0; i < 12; ++i) {
    const Vector step = 1e-6 * Vector::Unit(12, i);
    EXPECT_NEAR(score(i), (value(lambda + step) - value(lambda - step)) / 2e-6, 1e-6);
  }
  EXPECT_LT(policies.score(lambda, pi, pi).cwiseAbs().maxCoeff(), 1e-13);
}

// lambda = (1/4, 3/4), weight (1, 2): d/dx of log x + 2 log y - 3 log(x+y) is 1/x - 3 = 1, of y
// 2/y - 3 = -1/3. State 1 has a zero, so no gradient.
TEST(OccupancyPolicies, ScoreOfAStateWithAZeroIsZero) {
  const OccupancyPolicies policies(2, 2);
  const Vector lambda{{0.25, 0.75, 0.5, 0}};
  const Vector score =
      policies.score(lambda, policies.probabilities(lambda), Matrix{{1, 2}, {3, 4}});
  EXPECT_TRUE(score.isApprox(Vector{{1, -1.0 / 3, 0, 0}}, 1e-14));
}

TEST(OccupancyPolicies, RefuseWrongSizes) {
  expect_invalid([] { OccupancyPolicies(0, 2); }, "number of states is 0");
  expect_invalid([] { OccupancyPolicies(2, 0); }, "number of actions is 0");
  const OccupancyPolicies policies(2, 2);
  const Matrix uniform = Matrix::Constant(2, 2, 0.5);
  expect_invalid([&] { policies.probabilities(Vector::Zero(3)); }, "occupancy has 3 entries");
  expect_invalid([&] { policies.probabilities(Vector{{0.5, -0.5, 0.5, 0.5}}); }, "-0.5");
  expect_invalid([&] { policies.score(Vector::Zero(5), uniform, uniform); },
                 "occupancy has 5 entries");
  expect_invalid([&] { policies.score(Vector::Ones(4), uniform, Matrix::Zero(2, 3)); },
                 "weight is 2 x 3");
}

}  // namespace
}  // namespace rgu
