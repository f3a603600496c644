// Occupancy PGDA on whole models: its proven saddle gap against the theorem's bound and rate.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/global/saddle_gap.hpp"
#include "rgu/gradient/occupancy_oracle.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/occupancy_polytope.hpp"
#include "rgu/robustness/worst_case.hpp"
#include "rgu/solver/occupancy_pgda.hpp"
#include "rgu/theory/descent_ascent.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/function.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/target.hpp"
#include "rgu/utility/variance.hpp"

namespace rgu {
namespace {

using testing_models::random_dense;
using testing_models::random_policy;

constexpr NatureOrder kOrders[] = {NatureOrder::kNew, NatureOrder::kOld};

struct GapCase {
  std::string name;
  FiniteMdp mdp;
  std::shared_ptr<const Utility> utility;
  std::shared_ptr<const ConvexSet> set;
  double tolerance = 1e-6;  // of the certificate
};

void PrintTo(const GapCase& problem, std::ostream* out) { *out << problem.name; }

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed);
  return Matrix::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

std::shared_ptr<const ConvexSet> reward_ball(Index pairs, double p, double radius) {
  return std::make_shared<LpBall>(
      LpBallShape{.centre = flatten(random_matrix(pairs, 1, 61)), .radius = radius, .p = p});
}

// What the theorem needs. All the cases are concave in xi on their sets.
ProblemNumbers numbers_of(const GapCase& problem) {
  const UtilityConstants f = problem.utility->constants(norm_bound(*problem.set));
  return {.discount = problem.mdp.discount(),
          .states = problem.mdp.states(),
          .actions = problem.mdp.actions(),
          .occupancy_gradient = f.occupancy_gradient,
          .nature_gradient = f.nature_gradient,
          .nature_lipschitz = f.nature_lipschitz,
          .nature_diameter = problem.set->diameter(),
          .convex_in_occupancy = true,
          .concave_in_nature = true};
}

// The means after a run from the uniform policy and a member of the ambiguity set.
SaddlePoint mean_of_run(const GapCase& problem, const OccupancyPgdaOptions& options,
                        Index iterations) {
  const Index states = problem.mdp.states(), actions = problem.mdp.actions();
  const OccupancyOracle oracle(*problem.utility);
  const OccupancyPolytope occupancies(problem.mdp);
  SolverState start;
  start.point = {
      flatten(occupancy(problem.mdp,
                        Matrix::Constant(states, actions, 1.0 / static_cast<double>(actions)))),
      problem.set->support_point(Vector::Ones(problem.set->dimension()))};
  return occupancy_pgda({oracle, occupancies, *problem.set}, std::move(start), options,
                        {.iterations = iterations})
      .state.average;
}

SaddleGap gap_at(const GapCase& problem, const SaddlePoint& mean) {
  return saddle_gap(problem.mdp, *problem.utility, *problem.set,
                    as_matrix(mean.policy, problem.mdp.states(), problem.mdp.actions()),
                    mean.nature, problem.tolerance);
}

SaddleGap gap_of_run(const GapCase& problem, NatureOrder order, Index iterations) {
  const DescentAscentSteps steps =
      occupancy_steps(numbers_of(problem), static_cast<double>(iterations));
  return gap_at(
      problem,
      mean_of_run(problem,
                  {.policy_step = steps.policy, .nature_step = steps.nature, .order = order},
                  iterations));
}

double bound_of_run(const GapCase& problem, Index iterations) {
  const ProblemNumbers numbers = numbers_of(problem);
  const auto k = static_cast<double>(iterations);
  return occupancy_gap_bound(numbers, occupancy_steps(numbers, k), k);
}

GapCase reward_robust_case(const std::string& name, double p, double radius) {
  return {name, random_dense(5, 3, 0.9, 62),
          std::make_shared<RewardRobust>(OccupancyShape{.states = 5, .actions = 3}),
          reward_ball(15, p, radius)};
}

// The threshold lies half way between the least cost of the constraint and its cost at the best
// occupancy without it: the constraint binds, and its best policy has to mix.
GapCase constrained_case() {
  FiniteMdp mdp = random_dense(5, 3, 0.9, 63);
  const Matrix objective = random_matrix(5, 3, 64), cost = random_matrix(5, 3, 72);
  const OccupancyPolytope occupancies(mdp);
  const Vector free = occupancies.support_point(-flatten(objective));
  const Vector least = occupancies.support_point(-flatten(cost));
  const double threshold = flatten(cost).dot(0.5 * (free + least));
  return {
      "Constrained", std::move(mdp),
      std::make_shared<Constrained>(ConstrainedCosts{.objective = objective,
                                                     .constraints = {cost},
                                                     .thresholds = Vector::Constant(1, threshold)}),
      std::make_shared<Box>(uniform_box(1, {0, 5}))};
}

GapCase entropy_case() {
  const OccupancyShape shape{.states = 4, .actions = 2};
  return {"EntropyAndReward", random_dense(4, 2, 0.9, 66),
          std::make_shared<Sum>(std::vector<WeightedUtility>{
              {1, std::make_shared<RewardRobust>(shape)},
              {1, std::make_shared<Entropy>(EntropyOptions{.shape = shape, .delta = 0.05})}}),
          reward_ball(8, 2, 0.5), 1e-4};
}

// -<xi, lambda> - (1/2)|xi|^2 + (1/2)|lambda - target|^2 with the target fixed: strongly convex and
// strongly concave. At the saddle point xi = -lambda, and lambda minimises (1/2)|lambda|^2 +
// (1/2)|lambda - target|^2: both are inside their sets.
GapCase strong_case() {
  const OccupancyShape shape{.states = 4, .actions = 2};
  FiniteMdp mdp = random_dense(4, 2, 0.9, 67);
  const Vector target = flatten(occupancy(mdp, random_policy(mdp, 68)));
  auto reward = std::make_shared<NatureRegularized>(std::make_shared<RewardRobust>(shape),
                                                    NatureRegularization{1.0, Vector::Zero(8)});
  SetParts parts = {
      std::make_shared<LpBall>(LpBallShape{.centre = Vector::Zero(8), .radius = 1, .p = 2}),
      std::make_shared<Singleton>(target)};
  return {"Strong", std::move(mdp),
          std::make_shared<Sum>(std::vector<WeightedUtility>{
              {1, std::move(reward)}, {1, std::make_shared<QuadraticTarget>(shape)}}),
          std::make_shared<ProductSet>(std::move(parts)), 1e-5};
}

// Two states, two actions, and the two features of a reward: the smallest model with a choice.
GapCase tiny_case() {
  return {"Tiny", random_dense(2, 2, 0.7, 69),
          std::make_shared<FeatureRewardRobust>(
              std::vector<Matrix>{random_matrix(2, 2, 70), random_matrix(2, 2, 71)}),
          std::make_shared<ProbabilitySimplex>(2)};
}

// At every K the proven gap is below the theorem's bound; from K = 100 on gap * sqrt K grows by no
// more than a quarter. (By K = 10 some runs have hardly left the start.)
void expect_bound_and_rate(const GapCase& problem, const std::vector<Index>& counts) {
  for (const NatureOrder order : kOrders) {
    double hundred = std::numeric_limits<double>::infinity();
    for (const Index iterations : counts) {
      const SaddleGap gap = gap_of_run(problem, order, iterations);
      EXPECT_LE(gap.value, bound_of_run(problem, iterations));
      EXPECT_LE(gap.attained, gap.value + 1e-12);
      EXPECT_GE(gap.attained, 0);
      EXPECT_NE(gap.kind, AnswerKind::kBestFound);
      const double scaled = gap.value * std::sqrt(static_cast<double>(iterations));
      if (iterations == 100) hundred = scaled;
      EXPECT_LE(scaled, 1.25 * hundred);
    }
  }
}

class OccupancyGap : public testing::TestWithParam<GapCase> {};

TEST_P(OccupancyGap, OfTheMeansIsBelowTheTheoremsBoundAndFallsLikeOneOverTheRoot) {
  expect_bound_and_rate(GetParam(), {10, 100, 1000});
}

// The global minimum of the envelope lies between the two ends of the gap.
TEST_P(OccupancyGap, HoldsTheGlobalMinimumBetweenItsEnds) {
  const GapCase& problem = GetParam();
  const GlobalSolution best = envelope_minimum(problem.mdp, *problem.utility, *problem.set,
                                               {.tolerance = problem.tolerance});
  const SaddleGap gap = gap_of_run(problem, NatureOrder::kNew, 1000);
  EXPECT_EQ(best.status, GlobalStatus::kCertified);
  EXPECT_GE(gap.upper, best.lower_bound - 1e-12);
  EXPECT_LE(gap.lower, best.value + 1e-12);
  EXPECT_LE(gap.upper - gap.lower, bound_of_run(problem, 1000));
}

// The automatic steps know no constant; their guarantee is sqrt 2 times the theorem's.
TEST_P(OccupancyGap, WithAutomaticStepsIsBelowRootTwoTimesTheBound) {
  const GapCase& problem = GetParam();
  for (const NatureOrder order : kOrders) {
    for (const Index iterations : {10, 1000}) {
      const SaddleGap gap = gap_at(problem, mean_of_run(problem, {.order = order}, iterations));
      EXPECT_LE(gap.value, std::numbers::sqrt2 * bound_of_run(problem, iterations));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, OccupancyGap,
                         testing::Values(reward_robust_case("RewardBox", UtilityConstants::kNone,
                                                            0.3),
                                         reward_robust_case("RewardBall", 2, 3), constrained_case(),
                                         entropy_case(), strong_case()),
                         [](const auto& each) { return each.param.name; });

TEST(OccupancyGapRate, HoldsForTenThousandIterationsOfATinyModel) {
  expect_bound_and_rate(tiny_case(), {10, 100, 1000, 10000});
}

// Where both players' problems are strongly curved and the saddle point is inside, the means come
// within O(1/sqrt K) of it and the gap is quadratic in the distance: O(1/K).
TEST(OccupancyGapRate, IsFasterWhereBothPlayersAreStronglyCurved) {
  const GapCase problem = strong_case();
  const double early = gap_of_run(problem, NatureOrder::kNew, 100).value;
  const double late = gap_of_run(problem, NatureOrder::kNew, 10000).value;
  EXPECT_LE(late, early / 40);  // 1/sqrt K would be early / 10
}

// One state, rewards (1, 0) or (0, 1) by nature's choice of weights: f = -xi_1 l_1 - xi_2 l_2 with
// both in the simplex. Against l = (3/4, 1/4) nature takes the second reward: -1/4. Against xi =
// (1/3, 2/3) the policy takes the second action: -2/3. The gap is 5/12; at the uniform pair it is
// 0.
TEST(SaddleGap, OfAOneStateGameIsTheOneByHand) {
  const FiniteMdp mdp(Matrix::Ones(2, 1), Vector::Ones(1), 0.5);
  const FeatureRewardRobust game({Matrix{{1, 0}}, Matrix{{0, 1}}});
  const ProbabilitySimplex weights(2);
  const SaddleGap gap =
      saddle_gap(mdp, game, weights, Matrix{{0.75, 0.25}}, Vector{{1.0 / 3, 2.0 / 3}});
  EXPECT_NEAR(gap.upper, -0.25, 1e-12);
  EXPECT_NEAR(gap.lower, -2.0 / 3, 1e-12);
  EXPECT_NEAR(gap.value, 5.0 / 12, 1e-12);
  EXPECT_NEAR(gap.attained, 5.0 / 12, 1e-12);
  EXPECT_LE(gap.lower, -2.0 / 3);
  EXPECT_EQ(gap.kind, AnswerKind::kExact);
  const SaddleGap none = saddle_gap(mdp, game, weights, Matrix{{0.5, 0.5}}, Vector{{0.5, 0.5}});
  EXPECT_NEAR(none.value, 0, 1e-12);
}

// -|W (xi - 2)|^2 with weights from 1 to 1e4: a search that ends with a gap. The bound is above
// what the search found.
TEST(SaddleGap, HoldsThoughTheWorstCaseIsOnlyCertified) {
  const FiniteMdp mdp(Matrix::Ones(2, 1), Vector::Ones(1), 0.5);
  const Vector weights{{1, 100, 1e4}};
  const FunctionUtility utility(
      [weights](const Matrix&, const Vector& xi) {
        const Vector off = xi.array() - 2;
        return UtilityGradient{.value = -off.dot(weights.cwiseProduct(off)),
                               .occupancy = Matrix::Zero(1, 2),
                               .nature = -2 * weights.cwiseProduct(off)};
      },
      {.shape = {.states = 1, .actions = 2},
       .nature_dimension = 3,
       .traits = {.convex_in_occupancy = true,
                  .nature = NatureShape::kStronglyConcave,
                  .strong_concavity = 2},
       .constants = nullptr});
  const LpBall ball({.centre = Vector::Zero(3), .radius = 1, .p = 2});
  const Matrix lambda{{0.5, 0.5}};
  const WorstCase worst = worst_case(utility, ball, lambda);
  EXPECT_GT(worst.gap, 0);
  const SaddleGap gap = saddle_gap(mdp, utility, ball, lambda, Vector::Zero(3));
  EXPECT_EQ(gap.upper, worst.value + worst.gap);
  EXPECT_EQ(gap.kind, AnswerKind::kCertified);
}

// (1/2)|lambda - xi|^2 with xi fixed at (1, 0): at lambda = (0.6, 0.4) it is 0.16, at best 0.
TEST(SaddleGap, OfACurvedUtilityIsTheOneByHand) {
  const FiniteMdp mdp(Matrix::Ones(2, 1), Vector::Ones(1), 0.5);
  const QuadraticTarget target({.states = 1, .actions = 2});
  const Vector xi{{1, 0}};
  const SaddleGap gap = saddle_gap(mdp, target, Singleton(xi), Matrix{{0.6, 0.4}}, xi, 1e-4);
  EXPECT_NEAR(gap.upper, 0.16, 1e-12);
  EXPECT_LE(gap.lower, 0);
  EXPECT_NEAR(gap.value, 0.16, 1e-6);
  EXPECT_LE(gap.attained, gap.value);
  EXPECT_NEAR(gap.attained, 0.16, 1e-6);
}

TEST(SaddleGap, RefusesWhatIsNoMemberOrCannotBeProven) {
  const FiniteMdp mdp = random_dense(3, 2, 0.9, 1);
  const Matrix lambda = occupancy(mdp, random_policy(mdp, 2));
  const RewardRobust utility({.states = 3, .actions = 2});
  const Box rewards = uniform_box(6, {0, 1});
  const Vector xi = Vector::Constant(6, 0.5);
  const auto with = [&](const Matrix& l, const Vector& nature) {
    return [&, l, nature] { saddle_gap(mdp, utility, rewards, l, nature); };
  };
  expect_invalid(with(1.1 * lambda, xi), "flow equations");
  expect_invalid(with(Matrix::Zero(2, 2), xi), "occupancy");
  expect_invalid(with(lambda, Vector::Constant(6, 2)), "away from the ambiguity set");
  expect_invalid(with(lambda, Vector::Zero(5)), "xi");
  expect_invalid([&] { saddle_gap(mdp, utility, rewards, lambda, xi, 0); }, "tolerance");
  expect_invalid(
      [&] {
        saddle_gap(mdp, utility, uniform_box(5, {0, 1}), lambda, xi);
      },
      "dimension");
  const RewardRobust other({.states = 2, .actions = 2});
  expect_invalid([&] { saddle_gap(mdp, other, rewards, lambda, xi); }, "states");
  const Variance risk({.features = {random_matrix(3, 2, 1)}, .aversion = 1});
  expect_invalid(
      [&] {
        saddle_gap(mdp, risk, uniform_box(1, {0, 1}), lambda, Vector::Zero(1));
      },
      "not convex");
}

}  // namespace
}  // namespace rgu
