#include "rgu/global/reward_interior_point.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "laws/models.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/global/projected_descent.hpp"
#include "rgu/global/witness_bound.hpp"
#include "rgu/mdp/flow_product.hpp"
#include "rgu/mdp/generators.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/robustness/worst_case.hpp"
#include "rgu/utility/reward_robust.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_models::random_dense;

FiniteMdp sparse_model(Index states, double discount, std::uint64_t seed) {
  Rng rng(seed);
  return garnet({.states = states, .actions = 5, .branching = 5, .discount = discount}, rng).mdp;
}

FiniteMdp open_grid(Index side, double discount, std::uint64_t seed) {
  Rng rng(seed);
  std::string map;
  for (Index row = 0; row < side; ++row) {
    for (Index column = 0; column < side; ++column) {
      map += (row == 0 && column == 0) || rng.uniform() < 0.1 ? 'S' : '.';
    }
    map += '\n';
  }
  return grid_world(map, {.slip = 0.1, .discount = discount}).mdp;
}

Vector uniform_rewards(const FiniteMdp& mdp, std::uint64_t seed, double scale = 1) {
  Rng rng(seed);
  return Vector::NullaryExpr(mdp.states() * mdp.actions(), [&] { return scale * rng.uniform(); });
}

// `share` is what every reward may lose, if all lose alike.
LpBall ball_around(const Vector& centre, double p, double share) {
  const double pairs = static_cast<double>(centre.size());
  return LpBall({.centre = centre, .radius = share * std::pow(pairs, 1 / p), .p = p});
}

// By one method alone, from the uniform policy.
GlobalSolution solved_by(std::unique_ptr<EnvelopeMethod> method, const EnvelopeProblem& problem,
                         const GapTolerance& tolerance) {
  const WholeModel model(problem);
  EnvelopeSearch search(model, tolerance);
  search.offer_policy(Matrix::Constant(model.states(), model.actions(),
                                       1.0 / static_cast<double>(model.actions())));
  while (!search.certified() && method->advance(search)) {
  }
  return search.best();
}
GlobalSolution solved(const EnvelopeProblem& problem, const GapTolerance& tolerance) {
  return solved_by(std::make_unique<RewardInteriorPoint>(*reward_ball_of(problem)), problem,
                   tolerance);
}

// Both bounds, from the model and the policy alone.
void expect_proven(const EnvelopeProblem& problem, const GlobalSolution& solution,
                   double tolerance) {
  EXPECT_EQ(solution.status, GlobalStatus::kCertified);
  const WorstCase worst =
      worst_case(problem.utility, problem.ambiguity, occupancy(problem.mdp, solution.policy));
  EXPECT_LE(worst.value + worst.gap, solution.value + 1e-9 * std::abs(solution.value));
  ASSERT_EQ(solution.witness.pieces.size(), 1u);
  EXPECT_LE(relative_excess(problem.ambiguity, solution.witness.pieces.front().at->nature),
            kMemberTolerance);
  const double bound = witness_bound(problem.mdp, problem.utility, solution.witness).bound;
  EXPECT_LE(
      worst.value + worst.gap - bound,
      1.001 * GapTolerance(tolerance).at(solution.value, {.cost = solution.cost_scale,
                                                          .discount = problem.mdp.discount()}));
}

OccupancyShape shape_of(const FiniteMdp& mdp) {
  return {.states = mdp.states(), .actions = mdp.actions()};
}

TEST(FlowProduct, IsTheNormalMatrixOfTheFlowEquations) {
  for (const FiniteMdp& mdp : {sparse_model(30, 0.9, 1), random_dense(12, 3, 0.9, 2)}) {
    Rng rng(3);
    const Matrix scale =
        Matrix::NullaryExpr(mdp.states(), mdp.actions(), [&] { return rng.uniform(); });
    const Vector v = Vector::NullaryExpr(mdp.states(), [&] { return rng.normal(); });
    // A' row by row from unit masses: entry s' of A e_(s,a).
    Vector expected = Vector::Zero(mdp.states());
    for (Index s = 0; s < mdp.states(); ++s) {
      for (Index a = 0; a < mdp.actions(); ++a) {
        Matrix unit = Matrix::Zero(mdp.states(), mdp.actions());
        unit(s, a) = 1;
        Vector column = -mdp.discount() * mdp.push_forward(unit);
        column(s) += 1;
        expected += scale(s, a) * column.dot(v) * column;
      }
    }
    EXPECT_LT((flow_normal_product(mdp, scale, v) - expected).norm(), 1e-13 * expected.norm());
  }
}

TEST(FlowSystem, SolvesForTheAccuracyAskedFor) {
  const FiniteMdp mdp = sparse_model(200, 0.95, 4);
  const RewardRobust utility(shape_of(mdp));
  const LpBall ball = ball_around(uniform_rewards(mdp, 5), 1, 0.1);
  const WholeModel model({mdp, utility, ball});
  Rng rng(6);
  const auto positive = [&] {
    return Matrix(Matrix::NullaryExpr(200, 5, [&] { return std::exp(3 * rng.normal()); }));
  };
  const Curvature curvature{.barrier = positive(), .stiffness = positive(), .idle = positive()};
  const FlowSystem system(model, curvature);
  const Vector right = Vector::NullaryExpr(200, [&] { return rng.normal(); });
  const Vector weight = Vector::NullaryExpr(200, [&] { return 0.1 + rng.uniform(); });
  const Vector v = system.solve(right, {}, weight, 1e-6).value;
  const Vector residual = right - flow_of(model, system.divided(gains_of(model, v)));
  EXPECT_LT((residual.array().square() / weight.array()).sum(), 1.1e-12);
  // C divided(x) = x with C written out.
  const Vector b = flatten(curvature.stiffness).cwiseProduct(flatten(curvature.idle));
  const Matrix x = positive();
  const Vector y = flatten(system.divided(x));
  const Vector back = (flatten(curvature.barrier) + flatten(curvature.stiffness)).cwiseProduct(y) -
                      b * (b.dot(y) / b.dot(flatten(curvature.idle)));
  EXPECT_LT((back - flatten(x)).norm(), 1e-9 * x.norm());
}

class SmallBalls : public testing::TestWithParam<double> {};  // by p

// On small models other methods solve the same problem for p = 1 (the simplex method) and p = 2
// (projected descent). No other method gets far for the rest: for those only the bounds are
// checked, which need no other method.
TEST_P(SmallBalls, HaveTheOptimumThatOtherMethodsFind) {
  const double p = GetParam();
  const bool has_other_method = p == 1 || p == 2;
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const double share : {1e-4, 0.02, 0.5}) {
      const FiniteMdp mdp = seed == 3 ? open_grid(6, 0.97, seed) : sparse_model(40, 0.9, seed);
      const RewardRobust utility(shape_of(mdp));
      const LpBall ball = ball_around(uniform_rewards(mdp, seed), p, share);
      const EnvelopeProblem problem{mdp, utility, ball};
      const GlobalSolution solution = solved(problem, 1e-6);
      expect_proven(problem, solution, 1e-6);
      if (!has_other_method) continue;
      const GlobalSolution other =
          p == 1 ? envelope_minimum(mdp, utility, ball, {.tolerance = 1e-7})
                 : solved_by(std::make_unique<ProjectedDescent>(problem), problem, 1e-7);
      ASSERT_EQ(other.status, GlobalStatus::kCertified);
      EXPECT_THAT(other.method, Not(HasSubstr("flow")));
      const double scale = std::max(std::abs(other.value), 1e-3);
      EXPECT_NEAR(solution.value, other.value, 2e-6 * scale) << "seed " << seed << " " << share;
      EXPECT_LE(solution.lower_bound, other.value + 1e-9 * scale);
      EXPECT_GE(solution.value, other.lower_bound - 1e-9 * scale);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Norms, SmallBalls, testing::Values(1.0, 1.3, 2.0, 5.0));

TEST(RewardInteriorPoint, SolvesBudgetsWithALimitForEachReward) {
  const FiniteMdp mdp = sparse_model(40, 0.9, 7);
  const RewardRobust utility(shape_of(mdp));
  const Vector centre = uniform_rewards(mdp, 8);
  Vector most = 2 * uniform_rewards(mdp, 9);
  for (Index i = 0; i < most.size(); i += 7) most(i) = 0;
  const double total = 0.2 * most.sum();
  const auto l1 = std::make_shared<LpBall>(LpBallShape{.centre = centre, .radius = total, .p = 1});
  const auto box = std::make_shared<Box>(Bounds{.lower = centre - most, .upper = centre + most});
  const IntersectionSet budget({l1, box});
  const EnvelopeProblem problem{mdp, utility, budget};
  const GlobalSolution solution = solved(problem, 1e-6);
  const GlobalSolution other = envelope_minimum(mdp, utility, budget, {.tolerance = 1e-6});
  ASSERT_EQ(other.status, GlobalStatus::kCertified);
  expect_proven(problem, solution, 1e-6);
  EXPECT_NEAR(solution.value, other.value, 2e-6 * std::abs(other.value));
  // Neither the ball nor the box alone.
  EXPECT_LT(solution.value, 0.99 * envelope_minimum(mdp, utility, *l1).value);
}

TEST(RewardInteriorPoint, DoesNotMindScales) {
  const FiniteMdp mdp = sparse_model(40, 0.9, 10);
  const RewardRobust utility(shape_of(mdp));
  const double base =
      solved({mdp, utility, ball_around(uniform_rewards(mdp, 11), 1, 0.05)}, 1e-6).value;
  for (const double scale : {1e-9, 1e9}) {
    const LpBall ball = ball_around(uniform_rewards(mdp, 11, scale), 1, 0.05 * scale);
    const EnvelopeProblem problem{mdp, utility, ball};
    const GlobalSolution solution = solved(problem, 1e-6);
    expect_proven(problem, solution, 1e-6);
    EXPECT_NEAR(solution.value / scale, base, 2e-6 * std::abs(base));
  }
}

// A second component that nothing leads to.
TEST(RewardInteriorPoint, LeavesStatesAloneThatNoPolicyVisits) {
  const FiniteMdp part = random_dense(6, 3, 0.9, 12);
  Matrix kernel = Matrix::Zero(36, 12);
  kernel.topLeftCorner(18, 6) = part.dense_kernel();
  kernel.bottomRightCorner(18, 6) = part.dense_kernel();
  Vector start = Vector::Zero(12);
  start.head(6) = part.start();
  const FiniteMdp mdp(kernel, start, part.discount());
  const Vector rewards = uniform_rewards(mdp, 13);
  const RewardRobust utility(shape_of(mdp)), first({.states = 6, .actions = 3});
  const LpBall ball({.centre = rewards, .radius = 2, .p = 1});
  const LpBall first_ball({.centre = rewards.head(18), .radius = 2, .p = 1});
  const EnvelopeProblem problem{mdp, utility, ball};
  const GlobalSolution solution = solved(problem, 1e-6);
  expect_proven(problem, solution, 1e-6);
  EXPECT_NEAR(solution.value, envelope_minimum(part, first, first_ball).value,
              3e-6 * std::abs(solution.value));
}

TEST(RewardBall, IsFoundWhereGammaHasThatForm) {
  const FiniteMdp mdp = sparse_model(6, 0.9, 14);
  const RewardRobust utility(shape_of(mdp));
  const Vector centre = uniform_rewards(mdp, 15);
  const auto found = [&](const ConvexSet& set) { return reward_ball_of({mdp, utility, set}); };
  const LpBall l2({.centre = centre, .radius = 2, .p = 2});
  ASSERT_TRUE(found(l2));
  EXPECT_EQ(found(l2)->p, 2);
  EXPECT_EQ(flatten(found(l2)->centre), centre);
  EXPECT_FALSE(found(LpBall({.centre = centre, .radius = 0, .p = 1})));
  EXPECT_FALSE(found(LpBall({.centre = centre, .radius = 1, .p = kInfinity})));
  const auto l1 = std::make_shared<LpBall>(LpBallShape{.centre = centre, .radius = 3, .p = 1});
  const auto box = [&](double below, double above) {
    return std::make_shared<Box>(
        Bounds{.lower = centre.array() - below, .upper = centre.array() + above});
  };
  const auto budget = found(IntersectionSet({l1, box(0.5, 1), box(2, 0)}));
  ASSERT_TRUE(budget);
  EXPECT_EQ(budget->most, Matrix::Constant(6, 5, 0.5));
  EXPECT_FALSE(found(IntersectionSet({l1, box(0.1, 1)})));     // 30 x 0.1 = 3: a box
  EXPECT_FALSE(found(IntersectionSet({l1, box(0.5, -0.1)})));  // the centre is outside
}

class LargeBalls : public testing::TestWithParam<double> {};

// 40,000 pairs and 900 cells: what the solver does by itself.
TEST_P(LargeBalls, AreProvenToATenthOfAPercent) {
  const double share = GetParam();
  for (const FiniteMdp& mdp : {sparse_model(8000, 0.95, 16), open_grid(71, 0.99, 17)}) {
    const RewardRobust utility(shape_of(mdp));
    const LpBall ball = ball_around(uniform_rewards(mdp, 18), 1, share);
    EnvelopeSolver solver(mdp, utility, ball, GapTolerance(1e-3, 1e-12));
    while (solver.advance()) {
    }
    expect_proven({mdp, utility, ball}, solver.best(), 1e-3);
    EXPECT_LE(solver.best().iterations, 40);
  }
}
INSTANTIATE_TEST_SUITE_P(Shares, LargeBalls, testing::Values(0.001, 0.1));

TEST(LargeBalls, LinearEnvelopesNeedNoStep) {
  const FiniteMdp mdp = sparse_model(8000, 0.95, 19);
  const RewardRobust utility(shape_of(mdp));
  const LpBall ball({.centre = uniform_rewards(mdp, 20), .radius = 1e-3, .p = 1});
  EnvelopeSolver solver(mdp, utility, ball, 1e-3);
  while (solver.advance()) {
  }
  expect_proven({mdp, utility, ball}, solver.best(), 1e-3);
  EXPECT_EQ(solver.best().iterations, 1);
}

// A member of a family of models and sets that vary in everything that the method could depend on.
struct Instance {
  FiniteMdp mdp;
  std::shared_ptr<const ConvexSet> set;
};

FiniteMdp varied_model(Index states, Index actions, double discount, Rng& rng) {
  enum Kind { kSparse, kDense, kDeterministic, kAbsorbing, kUnreachable };
  const auto kind = static_cast<Kind>(rng.below(5));
  const Index reachable = kind == kUnreachable ? states / 2 : states;
  const Index branching = kind == kDeterministic ? 1 : 2 + rng.below(6);
  SparseMatrix kernel(states * actions, states);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index row = 0; row < states * actions; ++row) {
    const Index s = row / actions;
    if (kind == kAbsorbing && s % 50 == 7) {
      entries.emplace_back(row, s, 1.0);
      continue;
    }
    const Vector weights = Vector::NullaryExpr(branching, [&] { return 0.01 + rng.uniform(); });
    for (const double weight : weights) {
      entries.emplace_back(row, rng.below(reachable), weight / weights.sum());
    }
  }
  kernel.setFromTriplets(entries.begin(), entries.end());
  Vector start = Vector::Zero(states);
  if (rng.uniform() < 0.5) {
    start(rng.below(reachable)) = 1;
  } else {
    start.head(reachable).setConstant(1.0 / static_cast<double>(reachable));
  }
  if (kind == kDense) return FiniteMdp(Matrix(kernel), start, discount);
  return FiniteMdp(kernel, start, discount);
}

Instance varied_instance(std::uint64_t seed) {
  Rng rng(seed);
  const Index actions = 2 + rng.below(8);
  const double pairs = 2500 * std::pow(2.0, rng.uniform());
  const Index states = static_cast<Index>(pairs) / actions;
  // At 0.9999 the linear solves of a policy can take seconds on sparse chains that hardly mix.
  const double discounts[] = {0.5, 0.9, 0.99, 0.999};
  FiniteMdp mdp = varied_model(states, actions, discounts[rng.below(4)], rng);
  const double scale = std::pow(10, -6 + 12 * rng.uniform());
  const double share = std::pow(10, -6 + 9 * rng.uniform());
  const double norms[] = {1, 1.3, 2, 4};
  const double p = norms[seed % 4];
  const Vector centre = Vector::NullaryExpr(states * actions, [&] { return scale * rng.normal(); });
  auto ball = std::make_shared<LpBall>(ball_around(centre, p, share * scale));
  if (seed % 8 != 0) return {.mdp = std::move(mdp), .set = std::move(ball)};
  const Vector most =
      Vector::NullaryExpr(centre.size(), [&] { return 5 * share * scale * rng.uniform(); });
  auto box = std::make_shared<Box>(Bounds{.lower = centre - most, .upper = centre + most});
  return {.mdp = std::move(mdp),
          .set = std::make_shared<IntersectionSet>(SetParts{std::move(ball), std::move(box)})};
}

class VariedBalls : public testing::TestWithParam<std::uint64_t> {};

TEST_P(VariedBalls, AreProvenToSixDigits) {
  const Instance instance = varied_instance(GetParam());
  const RewardRobust utility(shape_of(instance.mdp));
  const GlobalSolution solution =
      envelope_minimum(instance.mdp, utility, *instance.set, {.tolerance = 1e-6});
  expect_proven({instance.mdp, utility, *instance.set}, solution, 1e-6);
}
INSTANTIATE_TEST_SUITE_P(Seeds, VariedBalls, testing::Range<std::uint64_t>(0, 24));

}  // namespace
}  // namespace rgu
