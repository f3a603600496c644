#include "rgu/experiment/method_choice.hpp"

#include <gmock/gmock.h>

#include "laws/throws.hpp"
#include "rgu/experiment/built_in.hpp"
#include "rgu/experiment/seed_run.hpp"
#include "rgu/experiment/theory_schedule.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {
namespace {

using ::testing::HasSubstr;

ProblemConfig problem(const char* name, std::vector<std::string> sets = {}) {
  sets.insert(sets.begin(), "solver={method='auto'}");
  return read_config(find_problem(name), sets);
}

MethodChoice choice(const ProblemConfig& config) {
  return chosen_method(config, make_instance(config, 0));
}

TEST(MethodChoice, TakesTheStrongestGuaranteeAndSaysWhy) {
  const MethodChoice convex = choice(problem("exploration"));
  EXPECT_TRUE(std::holds_alternative<EnvelopeConfig>(convex.solver.method));
  EXPECT_THAT(convex.reason, HasSubstr("worst case is exact"));
  const MethodChoice risk = choice(problem("risk"));
  EXPECT_TRUE(std::holds_alternative<WorstCaseConfig>(risk.solver.method));
  EXPECT_THAT(risk.reason, HasSubstr("not convex"));
  const MethodChoice sampled = choice(problem("exploration", {"gradient.kind=sampled"}));
  EXPECT_TRUE(std::holds_alternative<WorstCaseConfig>(sampled.solver.method));
  EXPECT_THAT(sampled.reason, HasSubstr("sampled"));
  const MethodChoice linear =
      choice(problem("exploration", {"policy={class='log-linear', features=3}"}));
  EXPECT_TRUE(std::holds_alternative<WorstCaseConfig>(linear.solver.method));
  EXPECT_THAT(linear.reason, HasSubstr("features"));
}

TEST(MethodChoice, LeavesANamedMethodAlone) {
  const ProblemConfig config = read_config(find_problem("paper/exploration"));
  const MethodChoice named = choice(config);
  EXPECT_TRUE(std::holds_alternative<ProxExtragradientConfig>(named.solver.method));
  EXPECT_EQ(named.reason, "");
}

TEST(MethodChoice, RefusesMethodsOverOccupanciesThatDoNotFit) {
  const auto refused = [](const char* name, std::vector<std::string> sets, const char* method,
                          const char* says) {
    sets.push_back(std::string("solver={method='") + method + "'}");
    const ProblemConfig config = read_config(find_problem(name), sets);
    expect_invalid([&] { resolved(config, make_instance(config, 0)); }, says);
  };
  refused("exploration", {"gradient.kind=sampled"}, "envelope", "sampled");
  refused("risk", {}, "envelope", "convex in the occupancy");
  refused("exploration", {"policy={class='log-linear', features=3}"}, "envelope", "features");
  refused("exploration", {}, "occupancy", "concave in nature");
}

SolverResult solved(SeedRun& run) { return run.solve(run.start(), {}); }

// What the run says is proven, computed again from its policy.
TEST(EnvelopeRun, EndsWithAProofOfItsPolicy) {
  for (const char* name : {"exploration", "reward-robust", "constrained", "imitation", "entropy"}) {
    ThreadPool pool(1);
    SeedRun run(problem(name), 1, pool);
    const SolverResult result = solved(run);
    EXPECT_EQ(result.status, Status::kCertified) << name;
    const SeedFiles files = run.conclude(result);
    EXPECT_TRUE(files.record.solved) << name;
    const Instance& instance = run.instance();
    const WorstCase worst = worst_case(*instance.utility, *instance.ambiguity,
                                       occupancy(instance.world.mdp, run.policy_of(result.state)));
    EXPECT_NEAR(files.record.worst_case.value, worst.value, 1e-12) << name;
    EXPECT_LE(worst.value - files.record.certificate.lower_bound, 1.001e-6 * std::abs(worst.value))
        << name;
  }
}

// Interrupted after any number of steps and resumed, it ends in the same bits.
TEST(EnvelopeRun, IsTheSameWhenResumed) {
  ThreadPool pool(1);
  SeedRun whole(problem("reward-robust"), 0, pool);
  const SolverResult expected = solved(whole);
  ASSERT_GT(expected.state.iteration, 3);
  SeedRun first(problem("reward-robust"), 0, pool);
  const SolverResult cut = first.solve(first.start(), [](const Iteration& iteration) {
    return Verdict{.stop = iteration.state.iteration == 3};
  });
  EXPECT_EQ(cut.status, Status::kInterrupted);
  SeedRun second(problem("reward-robust"), 0, pool);
  const SolverResult resumed = second.solve(cut.state, {});
  EXPECT_EQ(resumed.status, expected.status);
  EXPECT_EQ(resumed.state.iteration, expected.state.iteration);
  EXPECT_EQ(resumed.state.point.policy, expected.state.point.policy);
  // Nothing is left to do for a run that is proven.
  SeedRun third(problem("reward-robust"), 0, pool);
  const SolverResult again = third.solve(expected.state, {});
  EXPECT_EQ(again.status, Status::kCertified);
  EXPECT_EQ(again.state.iteration, expected.state.iteration);
}

TEST(EnvelopeRun, ThatProvesTooLittleIsNotSolved) {
  ThreadPool pool(1);
  SeedRun run(problem("entropy", {"stopping.iterations=5"}), 0, pool);
  const SolverResult result = solved(run);
  EXPECT_EQ(result.status, Status::kIterationLimit);
  const SeedFiles files = run.conclude(result);
  EXPECT_FALSE(files.record.solved);
  EXPECT_THAT(files.record.notes.back(), HasSubstr("not proven"));
}

TEST(OccupancyRun, MeasuresItsSaddleGapBelowTheTheoremsBound) {
  ThreadPool pool(1);
  SeedRun run(
      read_config(find_problem("constrained"),
                  {"solver={method='occupancy', schedule='theory'}", "stopping.iterations=100"}),
      0, pool);
  int measured = 0;
  const SolverResult result = run.solve(run.start(), [&](const Iteration& iteration) {
    const Metrics metrics = run.measure(iteration);
    if (!std::isnan(metrics.saddle_gap)) {
      ++measured;
      EXPECT_GE(metrics.saddle_gap, -1e-9);
      EXPECT_LE(metrics.saddle_gap, metrics.saddle_gap_bound);
    }
    return Verdict{};
  });
  EXPECT_EQ(measured, 7);  // 1, 2, 5, 10, 20, 50, 100
  EXPECT_EQ(result.status, Status::kIterationLimit);
  EXPECT_EQ(run.policy_of(result.state),
            policy_from_occupancy(as_matrix(result.state.average.policy, 56, 4)));
}

}  // namespace
}  // namespace rgu
