#include "rgu/theory/descent_ascent.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "laws/throws.hpp"
#include "theory/numbers.hpp"

namespace rgu {
namespace {

const DescentRun kRun{
    .iterations = 100, .policy_step = 0.01, .initial_excess = 2, .policy_error = 0.25};

ProblemNumbers linear_in_nature() {
  ProblemNumbers numbers = easy_numbers();
  numbers.strong_concavity = 0;
  numbers.nature_lipschitz = 0;
  return numbers;
}

TEST(PgdaSteps, AreOneOverTheLipschitzConstants) {
  EXPECT_DOUBLE_EQ(largest_pgda_steps(easy_numbers()).policy, 1 / 83.0);
  EXPECT_DOUBLE_EQ(largest_pgda_steps(easy_paper_numbers()).policy, 1 / 166.0);
  EXPECT_DOUBLE_EQ(largest_pgda_steps(easy_numbers()).nature, 0.5);
}

TEST(PgdaSteps, AreZeroWhereNoneAndInfiniteWhereAllAreAdmissible) {
  EXPECT_EQ(largest_pgda_steps(linear_in_nature()).policy, 0);
  EXPECT_EQ(largest_pgda_steps(linear_in_nature()).nature, kInfinity);
}

// 8 * 2 / (0.01 * 100) = 16; 20 * 0.25 = 5; L_thxi^2 = 8: 20 * 8 * 0.5 = 80.
TEST(PgdaBound, IsAsByHand) {
  EXPECT_DOUBLE_EQ(pgda_bound(easy_numbers(), kRun, 0.5), 16 + 5 + 80);
  ProblemNumbers numbers = easy_numbers();
  numbers.strong_concavity = 2;  // L_Gamma = 67 + 8
  EXPECT_DOUBLE_EQ(pgda_bound(numbers, kRun, 0.5), 16 + 5 + 20);
}

TEST(PgdaBound, FallsWithTheIterationsToWhatErrorsLeave) {
  DescentRun run = kRun;
  double last = kInfinity;
  for (run.iterations = 1; run.iterations < 1e15; run.iterations *= 7) {
    const double bound = pgda_bound(easy_numbers(), run, 0.5);
    EXPECT_LT(bound, last);
    last = bound;
  }
  EXPECT_NEAR(last, 85, 1e-9);
}

TEST(PgdaBound, EndsWithTheAdmissibleSteps) {
  DescentRun run = kRun;
  run.policy_step = largest_pgda_steps(easy_numbers()).policy;
  EXPECT_TRUE(std::isfinite(pgda_bound(easy_numbers(), run, 0)));
  run.policy_step *= 1 + 1e-12;
  EXPECT_EQ(pgda_bound(easy_numbers(), run, 0), kInfinity);
  EXPECT_EQ(pgda_lp_bound(easy_numbers(), run, {}), kInfinity);
}

TEST(PgdaBound, IsInfiniteWithoutStrongConcavityOrWithInfiniteErrors) {
  EXPECT_EQ(pgda_bound(linear_in_nature(), kRun, 0), kInfinity);
  EXPECT_EQ(pgda_lp_bound(linear_in_nature(), kRun, {.radius = 1}), kInfinity);
  EXPECT_EQ(pgda_bound(easy_numbers(), kRun, kInfinity), kInfinity);
  DescentRun run = kRun;
  run.policy_error = kInfinity;
  EXPECT_EQ(pgda_bound(easy_numbers(), run, 0), kInfinity);
  run = kRun;
  run.initial_excess = kInfinity;
  EXPECT_EQ(pgda_bound(easy_numbers(), run, 0), kInfinity);
}

TEST(PgdaBound, OfOnePointIsThatOfPlainDescent) {
  ProblemNumbers numbers = linear_in_nature();
  numbers.nature_diameter = 0;
  EXPECT_DOUBLE_EQ(pgda_bound(numbers, kRun, 0), 21);
  EXPECT_DOUBLE_EQ(pgda_bound(numbers, kRun, 3), 21);
  EXPECT_DOUBLE_EQ(pgda_lp_bound(numbers, kRun, {.radius = 0}), 21);
}

TEST(PgdaBound, OfUncoupledPlayersForgetsNature) {
  EXPECT_DOUBLE_EQ(pgda_bound(uncoupled_numbers(), kRun, kInfinity), 21);
}

TEST(EuclideanReach, IsThatOfTheFarthestPointOfTheUnitBall) {
  EXPECT_EQ(euclidean_reach({.p = 1, .dimension = 16}), 1);
  EXPECT_EQ(euclidean_reach({.p = 1.5, .dimension = 16}), 1);
  EXPECT_EQ(euclidean_reach({.p = 2, .dimension = 16}), 1);
  EXPECT_DOUBLE_EQ(euclidean_reach({.p = 4, .dimension = 16}), 2);
  EXPECT_DOUBLE_EQ(euclidean_reach({.p = kInfinity, .dimension = 16}), 4);
}

// c_p = 2: (2/2) 4 * 9 = 36; then |xi_hat - xi*|^2 <= 2 * 36 / mu = 72 and 20 * 8 * 72 = 11520.
TEST(PgdaLp, MissesTheWorstCaseAsByHand) {
  const LpBallNumbers ball{.p = 4, .radius = 3, .dimension = 16};
  EXPECT_DOUBLE_EQ(lp_value_gap(easy_numbers(), ball), 36);
  EXPECT_DOUBLE_EQ(pgda_lp_bound(easy_numbers(), kRun, ball), 21 + 11520);
}

TEST(PgdaLp, IsExactForLinearUtilitiesAndUnboundedForNonconcaveOnes) {
  const LpBallNumbers ball{.p = 2, .radius = 3, .dimension = 16};
  EXPECT_EQ(lp_value_gap(linear_in_nature(), ball), 0);
  ProblemNumbers nonconcave = linear_in_nature();
  nonconcave.concave_in_nature = false;
  EXPECT_EQ(lp_value_gap(nonconcave, ball), kInfinity);
  EXPECT_EQ(pgda_lp_bound(nonconcave, kRun, ball), kInfinity);
  EXPECT_EQ(lp_value_gap(nonconcave, {.radius = 0}), 0);
  ProblemNumbers rough = easy_numbers();
  rough.nature_lipschitz = kInfinity;
  EXPECT_EQ(lp_value_gap(rough, ball), kInfinity);
  EXPECT_EQ(lp_value_gap(rough, {.radius = 0}), 0);
}

// K = 16: eta = sqrt 2 / (3 * 4), beta = 4 / (5 * 4); the bound (3 sqrt 2 + 20) / 4.
TEST(OccupancyPgda, HasTheStepsAndTheGapOfTheTheorem) {
  const DescentAscentSteps steps = occupancy_steps(easy_numbers(), 16);
  EXPECT_DOUBLE_EQ(steps.policy, kRoot2 / 12);
  EXPECT_DOUBLE_EQ(steps.nature, 0.2);
  EXPECT_DOUBLE_EQ(occupancy_gap_bound(easy_numbers(), steps, 16), (3 * kRoot2 + 20) / 4);
}

// D_Lambda^2 = 2: 2/(2 * 0.5 * 10) + 16/(2 * 0.1 * 10) + 0.25 * 9 + 0.05 * 25.
TEST(OccupancyPgda, HasAGapForOtherStepsThatIsNoSmaller) {
  EXPECT_DOUBLE_EQ(occupancy_gap_bound(easy_numbers(), {.policy = 0.5, .nature = 0.1}, 10),
                   0.2 + 8 + 2.25 + 1.25);
  const DescentAscentSteps best = occupancy_steps(easy_numbers(), 10);
  const double least = occupancy_gap_bound(easy_numbers(), best, 10);
  for (const double factor : {0.1, 0.9, 1.1, 10.0}) {
    EXPECT_GT(occupancy_gap_bound(easy_numbers(), {best.policy * factor, best.nature}, 10), least);
    EXPECT_GT(occupancy_gap_bound(easy_numbers(), {best.policy, best.nature * factor}, 10), least);
  }
}

TEST(OccupancyPgda, HasAGapThatFallsAsTheRootOfTheIterations) {
  const auto gap = [](double iterations) {
    return occupancy_gap_bound(easy_numbers(), occupancy_steps(easy_numbers(), iterations),
                               iterations);
  };
  for (double iterations = 1; iterations < 1e12; iterations *= 4) {
    EXPECT_NEAR(gap(4 * iterations) / gap(iterations), 0.5, 1e-12);
  }
}

TEST(OccupancyPgda, NeedsConvexityAndConcavityButNotStrongConcavity) {
  const auto gap = [](const ProblemNumbers& numbers) {
    return occupancy_gap_bound(numbers, occupancy_steps(numbers, 16), 16);
  };
  EXPECT_DOUBLE_EQ(gap(linear_in_nature()), (3 * kRoot2 + 20) / 4);
  ProblemNumbers nonconvex = linear_in_nature();
  nonconvex.convex_in_occupancy = false;
  EXPECT_EQ(gap(nonconvex), kInfinity);
  ProblemNumbers nonconcave = linear_in_nature();
  nonconcave.concave_in_nature = false;
  EXPECT_EQ(gap(nonconcave), kInfinity);
  nonconcave.nature_diameter = 0;
  EXPECT_DOUBLE_EQ(gap(nonconcave), 3 * kRoot2 / 4);
}

TEST(OccupancyPgda, HasNoNanWhereConstantsAreZeroOrInfinite) {
  const auto gap = [](const ProblemNumbers& numbers) {
    return occupancy_gap_bound(numbers, occupancy_steps(numbers, 16), 16);
  };
  ProblemNumbers flat = easy_numbers();
  flat.nature_gradient = 0;
  EXPECT_EQ(occupancy_steps(flat, 16).nature, kInfinity);
  EXPECT_DOUBLE_EQ(gap(flat), 3 * kRoot2 / 4);

  ProblemNumbers steep = easy_numbers();
  steep.nature_gradient = kInfinity;
  EXPECT_EQ(occupancy_steps(steep, 16).nature, 0);
  EXPECT_EQ(gap(steep), kInfinity);
  steep.nature_diameter = 0;
  EXPECT_EQ(occupancy_steps(steep, 16).nature, 0);
  EXPECT_DOUBLE_EQ(gap(steep), 3 * kRoot2 / 4);

  ProblemNumbers unbounded = easy_numbers();
  unbounded.nature_diameter = kInfinity;
  EXPECT_EQ(gap(unbounded), kInfinity);
  unbounded.nature_gradient = kInfinity;
  EXPECT_EQ(gap(unbounded), kInfinity);
  unbounded.nature_gradient = 0;
  EXPECT_EQ(gap(unbounded), kInfinity);
}

TEST(DescentAscentTheory, RefusesNumbersOutOfRange) {
  ProblemNumbers bad = easy_numbers();
  bad.discount = 1;
  expect_invalid([&] { largest_pgda_steps(bad); }, "discount is 1");
  expect_invalid([&] { pgda_bound(bad, kRun, 0); }, "discount is 1");
  expect_invalid([&] { lp_value_gap(bad, {}); }, "discount is 1");
  expect_invalid([&] { pgda_lp_bound(bad, kRun, {}); }, "discount is 1");
  expect_invalid([&] { occupancy_steps(bad, 1); }, "discount is 1");
  expect_invalid([&] { occupancy_gap_bound(bad, {1, 1}, 1); }, "discount is 1");

  const auto refused = [](const DescentRun& run, const std::string& part) {
    expect_invalid([&] { pgda_bound(easy_numbers(), run, 0); }, part);
    expect_invalid([&] { pgda_lp_bound(easy_numbers(), run, {}); }, part);
  };
  refused({.iterations = 0, .policy_step = 1}, "iterations is 0, must be a whole number >= 1");
  refused({.iterations = 1.5, .policy_step = 1}, "iterations is 1.5");
  refused({.iterations = kInfinity, .policy_step = 1}, "iterations is inf");
  refused({.policy_step = 0}, "policy_step is 0");
  refused({.policy_step = kInfinity}, "policy_step is inf");
  refused({.policy_step = 1, .initial_excess = -1}, "initial_excess is -1");
  refused({.policy_step = 1, .policy_error = kNan}, "policy_error is nan");
  expect_invalid([] { pgda_bound(easy_numbers(), kRun, -1); }, "mean_squared_residual is -1");

  expect_invalid([] { euclidean_reach({.p = 0.5}); }, "p is 0.5, must be at least 1");
  expect_invalid([] { euclidean_reach({.p = kNan}); }, "p is nan");
  expect_invalid([] { euclidean_reach({.radius = -1}); }, "radius is -1");
  expect_invalid([] { euclidean_reach({.dimension = 0}); }, "dimension is 0");

  expect_invalid([] { occupancy_steps(easy_numbers(), 0); }, "iterations is 0");
  expect_invalid([] { occupancy_gap_bound(easy_numbers(), {1, 1}, kNan); }, "iterations is nan");
  expect_invalid([] { occupancy_gap_bound(easy_numbers(), {-1, 1}, 1); }, "policy step is -1");
  expect_invalid([] { occupancy_gap_bound(easy_numbers(), {1, kNan}, 1); }, "nature step is nan");
}

}  // namespace
}  // namespace rgu
