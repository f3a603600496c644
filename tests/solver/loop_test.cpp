#include "rgu/solver/loop.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "laws/throws.hpp"
#include "rgu/solver/pgda.hpp"
#include "toy_problems.hpp"

namespace rgu {
namespace {

// Adds 1 to the policy and draws 5 samples.
StepReport count_up(SolverState& state) {
  state.point.policy.array() += 1;
  state.samples += 5;
  return {.objective = state.point.policy(0)};
}

TEST(Loop, StopsAfterTheIterationsItWasGiven) {
  SolverState state = toys::start_at(1, 0);
  EXPECT_EQ(run({.iterations = 7}, state, {}, count_up), Status::kIterationLimit);
  EXPECT_EQ(state.iteration, 7);
  EXPECT_EQ(state.point.policy(0), 7);
}

TEST(Loop, DoesNothingForNoIterations) {
  SolverState state = toys::start_at(1, 0);
  EXPECT_EQ(run({.iterations = 0}, state, {}, count_up), Status::kIterationLimit);
  EXPECT_EQ(state.point.policy(0), 0);
}

TEST(Loop, StopsOnceTheSamplesAreDrawn) {
  SolverState state = toys::start_at(1, 0);
  EXPECT_EQ(run({.iterations = 100, .samples = 12}, state, {}, count_up), Status::kSampleLimit);
  EXPECT_EQ(state.iteration, 3);  // 5, 10, 15 >= 12
}

TEST(Loop, StopsOnceTheTimeIsUsedCountingWhatWasUsedBefore) {
  SolverState state = toys::start_at(1, 0);
  state.seconds = 1000;
  const auto slow = [](SolverState& next) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return count_up(next);
  };
  EXPECT_EQ(run({.iterations = 100, .seconds = 1000.001}, state, {}, slow), Status::kTimeLimit);
  EXPECT_EQ(state.iteration, 1);
  EXPECT_GT(state.seconds, 1000.001);
}

TEST(Loop, StopsAtTheResidualThatTheObserverMeasures) {
  SolverState state = toys::start_at(1, 0);
  const Observer observe = [](const Iteration& it) {
    return Verdict{.residual = 1.0 / static_cast<double>(it.state.iteration)};
  };
  EXPECT_EQ(run({.iterations = 100, .residual = 0.25}, state, observe, count_up),
            Status::kConverged);
  EXPECT_EQ(state.iteration, 4);
}

TEST(Loop, AStateThatReachedTheResidualGoesNoFurther) {
  SolverState state = toys::start_at(1, 0);
  state.iteration = 3;
  state.residual = 0.1;
  EXPECT_EQ(run({.iterations = 100, .residual = 0.25}, state, {}, count_up), Status::kConverged);
  EXPECT_EQ(state.iteration, 3);
}

TEST(Loop, AResidualThatWasNotMeasuredStopsNothing) {
  SolverState state = toys::start_at(1, 0);
  const Observer observe = [](const Iteration&) { return Verdict{}; };
  EXPECT_EQ(run({.iterations = 10, .residual = 1e9}, state, observe, count_up),
            Status::kIterationLimit);
}

TEST(Loop, StopsWhenTheObserverAsks) {
  SolverState state = toys::start_at(1, 0);
  const Observer observe = [](const Iteration& it) {
    return Verdict{.stop = it.state.iteration == 3};
  };
  EXPECT_EQ(run({.iterations = 10}, state, observe, count_up), Status::kInterrupted);
  EXPECT_EQ(state.iteration, 3);
}

TEST(Loop, TheObserverSeesThePointsBeforeAndAfter) {
  SolverState state = toys::start_at(1, 0);
  const Observer observe = [](const Iteration& it) {
    EXPECT_EQ(it.state.point.policy(0), it.before.policy(0) + 1);
    EXPECT_EQ(it.state.point.policy(0), it.report.objective);
    return Verdict{};
  };
  run({.iterations = 5}, state, observe, count_up);
}

// The step of size 0.3 passes 1 in iteration 4; the gradient there is not finite, so iteration 5
// is undone.
TEST(Loop, ANumberThatIsNotFiniteEndsWithTheLastGoodIterate) {
  for (const double bad : {std::nan(""), kInfinity, -kInfinity}) {
    toys::Cliff oracle;
    oracle.value = bad;
    const toys::Sets sets = toys::wide_sets(1);
    const SolverResult result = pgda_lp({oracle, sets.policies, sets.ambiguity},
                                        toys::start_at(1, 0), {.policy_step = 0.3}, {});
    EXPECT_EQ(result.status, Status::kDiverged);
    EXPECT_EQ(result.state.iteration, 4);
    EXPECT_NEAR(result.state.point.policy(0), 1.2, 1e-15);
  }
}

TEST(Loop, AnObjectiveThatGrowsWithoutLimitEndsWithTheLastGoodIterate) {
  SolverState state = toys::start_at(1, 0);
  const auto explode = [](SolverState& next) {
    next.point.policy.array() += 1;
    return StepReport{.objective = std::pow(1000.0, next.point.policy(0))};
  };
  // 1e3, 1e6, 1e9, 1e12 > 1e8 (1 + 1e3).
  EXPECT_EQ(run({.iterations = 100}, state, {}, explode), Status::kDiverged);
  EXPECT_EQ(state.iteration, 3);
  EXPECT_EQ(state.point.policy(0), 3);
}

TEST(Loop, TheDrawnIterateIsUniform) {
  constexpr int kRuns = 4000;
  std::array<int, 4> count{};
  for (int seed = 0; seed < kRuns; ++seed) {
    SolverState state = toys::start_at(1, 0, static_cast<std::uint64_t>(seed));
    run({.iterations = 4}, state, {}, count_up);
    ++count.at(static_cast<std::size_t>(state.drawn.policy(0)) - 1);
  }
  // Four standard deviations of a binomial count with p = 1/4.
  for (const int c : count) EXPECT_NEAR(c, kRuns / 4, 4 * std::sqrt(kRuns * 0.25 * 0.75));
}

TEST(Loop, LimitsThatMakeNoSenseAreRefused) {
  expect_invalid([] { check_stop_rule({.iterations = -1}); }, "iterations");
  expect_invalid([] { check_stop_rule({.samples = 0}); }, "samples");
  expect_invalid([] { check_stop_rule({.seconds = 0}); }, "seconds");
  expect_invalid([] { check_stop_rule({.residual = -1}); }, "residual");
  expect_invalid([] { check_stop_rule({.residual = std::nan("")}); }, "residual");
}

}  // namespace
}  // namespace rgu
