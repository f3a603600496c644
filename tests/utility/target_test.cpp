#include "rgu/utility/target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const OccupancyShape kShape{.states = 2, .actions = 2};
const Matrix kOccupancy{{0.1, 0.15}, {0.35, 0.4}};  // d = (1/4, 3/4)

// KL((1/4, 3/4) | (1/2, 1/2)) = (1/4) log(1/2) + (3/4) log(3/2).
TEST(KlTarget, TendsToTheDivergenceAsDeltaVanishes) {
  const KlTarget utility({.shape = kShape, .delta = 1e-12});
  EXPECT_NEAR(utility.evaluate(kOccupancy, Vector{{0.5, 0.5}}).value,
              0.25 * std::log(0.5) + 0.75 * std::log(1.5), 1e-10);
}

// delta = 1/4: the lifted masses are (1/2, 1), the lifted targets for xi = (3/4, 1/4) are (1, 1/2).
// f = (1/4) log(1/2) + (3/4) log 2 = (log 2)/2. Slopes in d: log(1/2) + 1/2 and log 2 + 3/4; in xi:
// -(1/4)/1 and -(3/4)/(1/2).
TEST(KlTarget, MatchesTheHandSolvedCase) {
  const KlTarget utility({.shape = kShape, .over = Marginal::kStates, .delta = 0.25});
  const UtilityGradient gradient = utility.evaluate(kOccupancy, Vector{{0.75, 0.25}});
  EXPECT_NEAR(gradient.value, std::log(2.0) / 2, 1e-15);
  const double low = 0.5 - std::log(2.0);
  const double high = 0.75 + std::log(2.0);
  EXPECT_TRUE(gradient.occupancy.isApprox(Matrix{{low, low}, {high, high}}));
  EXPECT_TRUE(gradient.nature.isApprox(Vector{{-0.25, -1.5}}));
}

TEST(KlTarget, IsZeroAtTheTarget) {
  const KlTarget cells({.shape = kShape, .over = Marginal::kStateActions, .delta = 0.1});
  EXPECT_EQ(cells.nature_dimension(), 4);
  EXPECT_EQ(cells.evaluate(kOccupancy, flatten(kOccupancy)).value, 0);
}

// The price of delta that the header names. At xi = (1, 0) and p = (1 - delta y, delta y), to first
// order f = delta (y log(1 + y) - y), whose least value is about -0.32 delta.
TEST(KlTarget, GoesBelowZeroByTheOrderOfDelta) {
  for (const double delta : {1e-2, 1e-4}) {
    const KlTarget utility({.shape = {.states = 2, .actions = 1}, .delta = delta});
    double least = 0;
    for (int i = 0; i <= 300; ++i) {
      const double p = 0.01 * delta * i;
      least = std::min(least, utility.evaluate(Matrix{{1 - p}, {p}}, Vector{{1, 0}}).value);
    }
    EXPECT_NEAR(least / delta, -0.32, 0.02);
  }
}

TEST(KlTarget, StaysFiniteWhereTheTargetIsZero) {
  const KlTarget utility({.shape = kShape, .delta = 1e-6});
  const UtilityGradient gradient = utility.evaluate(kOccupancy, Vector{{0, 1}});
  EXPECT_TRUE(std::isfinite(gradient.value));
  EXPECT_NEAR(gradient.nature(0), -0.25e6, 1e-6);
}

TEST(KlTarget, RejectsTargetsBelowMinusDelta) {
  const KlTarget utility({.shape = kShape, .delta = 0.25});
  EXPECT_NO_THROW(utility.evaluate(kOccupancy, Vector{{1, -0.2}}));
  EXPECT_THAT(
      [&] {
        utility.evaluate(kOccupancy, Vector{{1, -0.25}});
      },
      ThrowsMessage<InvalidInput>(
          HasSubstr("target xi[1] is -0.25, must be above -delta = -0.25")));
}

TEST(KlTarget, RejectsBadOptions) {
  EXPECT_THAT(
      [] { KlTarget utility({.shape = kShape, .delta = 0}); },
      ThrowsMessage<InvalidInput>(HasSubstr("delta of the KL target is 0, must be finite")));
  EXPECT_THAT([] { KlTarget utility({.shape = kShape, .delta = std::nan("")}); },
              ThrowsMessage<InvalidInput>(HasSubstr("delta of the KL target is nan")));
  EXPECT_THAT([] { KlTarget utility({.shape = {.states = 2, .actions = 0}}); },
              ThrowsMessage<InvalidInput>(HasSubstr("number of actions is 0")));
}

// lambda - xi = ((.1, -.05), (.05, 0)) for xi = (0, .2, .3, .4): half the squares is .0075.
TEST(QuadraticTarget, IsHalfTheSquaredDistance) {
  const QuadraticTarget utility(kShape);
  const UtilityGradient gradient = utility.evaluate(kOccupancy, Vector{{0, 0.2, 0.3, 0.4}});
  EXPECT_NEAR(gradient.value, 0.0075, 1e-16);
  EXPECT_TRUE(gradient.occupancy.isApprox(Matrix{{0.1, -0.05}, {0.05, 0}}));
  EXPECT_TRUE(gradient.nature.isApprox(Vector{{-0.1, 0.05, -0.05, 0}}));
}

// lambda at a vertex and xi opposite to it.
TEST(QuadraticTarget, ItsGradientBoundIsAttained) {
  const QuadraticTarget utility(kShape);
  const UtilityGradient gradient =
      utility.evaluate(Matrix{{1, 0}, {0, 0}}, Vector{{-0.5, 0, 0, 0}});
  EXPECT_DOUBLE_EQ(gradient.occupancy.norm(), utility.constants(0.5).occupancy_gradient);
}

TEST(QuadraticTarget, NeedsStatesAndActions) {
  EXPECT_THAT([] { QuadraticTarget utility({.states = 0, .actions = 1}); },
              ThrowsMessage<InvalidInput>(HasSubstr("number of states is 0")));
}

}  // namespace
}  // namespace rgu
