#include "rgu/solver/schedule.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "laws/throws.hpp"

namespace rgu {
namespace {

Schedule growing(const GrowingCount& rule) { return {.growing = rule}; }

TEST(Schedule, OfOneCountIsConstant) {
  const Schedule schedule{.values = {7}};
  EXPECT_EQ(schedule.at(0), 7);
  EXPECT_EQ(schedule.at(1000000), 7);
}

TEST(Schedule, OfAListRepeatsItsLastEntry) {
  const Schedule schedule{.values = {3, 1, 4}};
  EXPECT_EQ(schedule.at(0), 3);
  EXPECT_EQ(schedule.at(1), 1);
  EXPECT_EQ(schedule.at(2), 4);
  EXPECT_EQ(schedule.at(3), 4);
  EXPECT_EQ(schedule.at(std::numeric_limits<Index>::max()), 4);
}

// ceil(2 + 3 log(k + 1)): 2; 2 + 3 * 0.693 = 4.08; 2 + 3 * 1.0986 = 5.30; k = 9: 2 + 6.908 = 8.91.
TEST(Schedule, GrowsLogarithmically) {
  const Schedule schedule = growing({.base = 2, .rate = 3, .growth = Growth::kLog});
  EXPECT_EQ(schedule.at(0), 2);
  EXPECT_EQ(schedule.at(1), 5);
  EXPECT_EQ(schedule.at(2), 6);
  EXPECT_EQ(schedule.at(9), 9);
}

TEST(Schedule, GrowsLinearlyFromItsBase) {
  const Schedule schedule = growing({.base = 2, .rate = 0.5, .growth = Growth::kLinear});
  EXPECT_EQ(schedule.at(0), 2);
  EXPECT_EQ(schedule.at(1), 3);
  EXPECT_EQ(schedule.at(2), 3);
  EXPECT_EQ(schedule.at(3), 4);
}

TEST(Schedule, GrowsQuadraticallyFromTheFirstIteration) {
  const Schedule schedule = growing({.base = 0, .rate = 2, .growth = Growth::kQuadratic});
  EXPECT_EQ(schedule.at(0), 2);
  EXPECT_EQ(schedule.at(1), 8);
  EXPECT_EQ(schedule.at(4), 50);
}

TEST(Schedule, IsNeverBelowOneAndNeverAboveItsLargest) {
  EXPECT_EQ(growing({.base = 0, .rate = 0}).at(5), 1);
  const Schedule capped =
      growing({.base = 1, .rate = 10, .growth = Growth::kQuadratic, .max = 100});
  EXPECT_EQ(capped.at(0), 11);
  EXPECT_EQ(capped.at(2), 91);
  EXPECT_EQ(capped.at(3), 100);
}

// ceil(-3 + 2 log(k + 1)), at least 1: k = 9: 1.61; k = 19: 2.99; k = 99: 6.21.
TEST(Schedule, WithABaseBelowZeroGrowsLater) {
  const Schedule schedule = growing({.base = -3, .rate = 2, .growth = Growth::kLog});
  EXPECT_NO_THROW(check_schedule("horizon", schedule));
  EXPECT_EQ(schedule.at(0), 1);
  EXPECT_EQ(schedule.at(3), 1);
  EXPECT_EQ(schedule.at(9), 2);
  EXPECT_EQ(schedule.at(19), 3);
  EXPECT_EQ(schedule.at(99), 7);
  EXPECT_EQ(growing({.base = -1e300, .rate = 1}).at(5), 1);
}

TEST(Schedule, DoesNotOverflowAtHugeIterations) {
  const Schedule schedule =
      growing({.base = 1e300, .rate = 1e300, .growth = Growth::kQuadratic, .max = 12});
  EXPECT_EQ(schedule.at(std::numeric_limits<Index>::max()), 12);
}

TEST(Schedule, RefusesCountsBelowOneAndRulesOutOfRange) {
  const auto refused = [](const Schedule& schedule, const std::string& part) {
    expect_invalid([&] { check_schedule("horizon", schedule); }, part);
  };
  refused({.values = {}}, "horizon is an empty list");
  refused({.values = {5, 0}}, "horizon[1] is 0, must be at least 1");
  refused(growing({.base = std::numeric_limits<double>::infinity()}), "base of horizon is inf");
  refused(growing({.rate = -1}), "rate of horizon is -1");
  refused(growing({.rate = std::numeric_limits<double>::quiet_NaN()}), "rate of horizon is nan");
  refused(growing({.max = 0}), "max of horizon is 0");
  EXPECT_NO_THROW(check_schedule("horizon", growing({.base = 0, .rate = 0, .max = 1})));
  EXPECT_NO_THROW(check_schedule("horizon", {.values = {1, 2}}));
}

}  // namespace
}  // namespace rgu
