#include "rgu/global/envelope.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/global/cutting_planes.hpp"
#include "rgu/mdp/generators.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/planning.hpp"
#include "rgu/robustness/worst_case.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/target.hpp"
#include "rgu/utility/variance.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_models::random_dense;
using testing_models::random_policy;

Matrix normal_matrix(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed);
  return Matrix::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

Matrix uniform_matrix(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed);
  return Matrix::NullaryExpr(rows, columns, [&] { return rng.uniform(); });
}

Singleton no_nature() { return Singleton(Vector(0)); }

OccupancyShape shape_of(const FiniteMdp& mdp) {
  return {.states = mdp.states(), .actions = mdp.actions()};
}

// More than kSmallModel pairs, four successors each.
FiniteMdp large_model(std::uint64_t seed) {
  Rng rng(seed);
  return garnet({.states = 300, .actions = 8, .branching = 4, .discount = 0.95}, rng).mdp;
}

// One state: Lambda is the probability simplex.
FiniteMdp one_state(Index actions) { return {Matrix::Ones(actions, 1), Vector::Ones(1), 0.8}; }

// State 0 leads to state 1 by action 0 and to state 2 by action 1; both are absorbing. g = 1/2,
// start in 0: half of the mass stays in 0, and a = x(0,0) is the mass of state 1.
FiniteMdp fork_in_the_road() {
  Matrix p(6, 3);
  p << 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1;
  return {p, Vector::Unit(3, 0), 0.5};
}

// What is claimed of the value, recomputed: it is the worst case of the policy.
void expect_honest_value(const EnvelopeProblem& problem, const GlobalSolution& solution) {
  const Matrix lambda = occupancy(problem.mdp, solution.policy);
  EXPECT_LT((lambda - solution.occupancy).cwiseAbs().maxCoeff(), 1e-10);
  const WorstCase worst = worst_case(problem.utility, problem.ambiguity, lambda);
  EXPECT_EQ(worst.kind, solution.kind);
  EXPECT_NEAR(worst.value + worst.gap, solution.value,
              1e-9 * std::max(std::abs(solution.value), 1e-9) + 1e-12);
  const double attained = problem.utility.evaluate(lambda, solution.nature).value;
  EXPECT_NEAR(attained, worst.value, 1e-8 * std::max(std::abs(solution.value), 1e-9));
}

// No policy is below the bound: 200 of them, from far away to next to the one that was found.
void expect_honest_bound(const EnvelopeProblem& problem, const GlobalSolution& solution) {
  EXPECT_LE(solution.lower_bound, solution.value + 1e-12);
  for (std::uint64_t k = 0; k < 200; ++k) {
    const double share = std::pow(0.95, static_cast<double>(k));
    const Matrix pi = share * random_policy(problem.mdp, 1000 + k) + (1 - share) * solution.policy;
    const WorstCase worst =
        worst_case(problem.utility, problem.ambiguity, occupancy(problem.mdp, pi));
    EXPECT_GE(worst.value + worst.gap, solution.lower_bound - 1e-12);
  }
}

void expect_proven(const EnvelopeProblem& problem, const GlobalSolution& solution,
                   double tolerance) {
  EXPECT_EQ(solution.status, GlobalStatus::kCertified)
      << solution.method << ", gap " << solution.gap();
  EXPECT_LE(solution.gap(), tolerance * std::max(std::abs(solution.value), 1e-9));
  expect_honest_value(problem, solution);
  expect_honest_bound(problem, solution);
}

GlobalSolution minimum(const EnvelopeProblem& problem, double tolerance) {
  return envelope_minimum(problem.mdp, problem.utility, problem.ambiguity,
                          {.tolerance = tolerance});
}

// --- Hand-solved.

// -x + e |(x, 1-x)| has the derivative -1 + e (2x-1) / |(x, 1-x)|, zero at x = 3/4 for
// e = sqrt(10) / 2; there it is -3/4 + 10/8 = 1/2.
TEST(EnvelopeMinimum, OfRobustRewardsOnTheSimplexIsTheHandSolvedOne) {
  const FiniteMdp mdp = one_state(2);
  const RewardRobust utility(shape_of(mdp));
  const LpBall ball({.centre = Vector{{1, 0}}, .radius = std::sqrt(10) / 2, .p = 2});
  const GlobalSolution found = minimum({mdp, utility, ball}, 1e-10);
  EXPECT_EQ(found.status, GlobalStatus::kCertified);
  EXPECT_NEAR(found.value, 0.5, 1e-10);
  EXPECT_NEAR(found.policy(0, 0), 0.75, 1e-4);
}

// The worst target is on the far side of the ball: (|x - centre| + e)^2 / 2. Nearest to (1, 1/2) on
// the simplex is (3/4, 1/4), at sqrt(2) / 4.
TEST(EnvelopeMinimum, OfTargetsOnTheSimplexIsTheHandSolvedOne) {
  const FiniteMdp mdp = one_state(2);
  const QuadraticTarget utility(shape_of(mdp));
  const LpBall ball({.centre = Vector{{1, 0.5}}, .radius = 0.3, .p = 2});
  const GlobalSolution found = minimum({mdp, utility, ball}, 1e-10);
  EXPECT_EQ(found.status, GlobalStatus::kCertified);
  EXPECT_NEAR(found.value, 0.5 * std::pow(std::sqrt(2.0) / 4 + 0.3, 2), 1e-10);
  EXPECT_NEAR(found.policy(0, 0), 0.75, 1e-5);
}

// Symmetric and convex, so least at the uniform policy: log(1/A + delta).
TEST(EnvelopeMinimum, OfEntropyOnTheSimplexIsUniform) {
  const FiniteMdp mdp = one_state(5);
  const Entropy utility({.shape = shape_of(mdp), .over = Marginal::kStateActions, .delta = 1e-3});
  const GlobalSolution found = minimum({mdp, utility, no_nature()}, 1e-9);
  EXPECT_EQ(found.status, GlobalStatus::kCertified);
  EXPECT_NEAR(found.value, std::log(0.2 + 1e-3), 1e-9);
  EXPECT_EQ(found.iterations, 1);  // the first policy tried
}

// Minimise -a, the mass of state 1, subject to x(0,0) = a <= 0.2: -0.2 where a multiplier up to 3
// makes more not worth it, -1/2 + u (1/2 - 0.2) where one up to u = 0.4 does not.
TEST(EnvelopeMinimum, OfConstraintsOnTheForkIsTheHandSolvedOne) {
  const FiniteMdp mdp = fork_in_the_road();
  Matrix objective = Matrix::Zero(3, 2), visits = Matrix::Zero(3, 2);
  objective.row(1).setConstant(-1);
  visits(0, 0) = 1;
  const Constrained utility(
      {.objective = objective, .constraints = {visits}, .thresholds = Vector{{0.2}}});
  const Box high = uniform_box(1, {0, 3}), low = uniform_box(1, {0, 0.4});
  const GlobalSolution kept = minimum({mdp, utility, high}, 1e-9);
  EXPECT_EQ(kept.status, GlobalStatus::kCertified);
  EXPECT_NEAR(kept.value, -0.2, 1e-9);
  EXPECT_NEAR(kept.policy(0, 0), 0.4, 1e-8);
  const GlobalSolution broken = minimum({mdp, utility, low}, 1e-9);
  EXPECT_EQ(broken.status, GlobalStatus::kCertified);
  EXPECT_NEAR(broken.value, -0.38, 1e-9);
  EXPECT_NEAR(broken.policy(0, 0), 1, 1e-8);
}

TEST(EnvelopeMinimum, OfALinearCostIsAnOptimalPlanAfterOneStep) {
  for (const FiniteMdp& mdp : {random_dense(12, 3, 0.9, 1), large_model(2)}) {
    const Matrix reward = normal_matrix(mdp.states(), mdp.actions(), 3);
    const LinearReward utility(reward);
    const GlobalSolution found = minimum({mdp, utility, no_nature()}, 1e-8);
    const Plan plan = optimal_plan(mdp, -reward);
    EXPECT_EQ(found.status, GlobalStatus::kCertified);
    EXPECT_EQ(found.iterations, 1);
    EXPECT_EQ(found.method, "planning");
    const double least = (1 - mdp.discount()) * mdp.start().dot(plan.value);
    EXPECT_NEAR(found.value, least, 1e-8 * std::abs(least));
    EXPECT_LE(found.lower_bound, least + 1e-9);
  }
}

// --- The methods for small models.

TEST(EnvelopeMinimum, OfSmoothEnvelopesIsProvenByInteriorPoints) {
  const FiniteMdp mdp = random_dense(8, 3, 0.9, 4);
  const Entropy actions({.shape = shape_of(mdp), .over = Marginal::kStateActions});
  const Entropy states({.shape = shape_of(mdp), .over = Marginal::kStates});
  const QuadraticTarget target(shape_of(mdp));
  const Vector centre = flatten(occupancy(mdp, random_policy(mdp, 5)));
  const LpBall ball({.centre = Vector(centre.reverse()), .radius = 0.1, .p = 2});
  const Singleton none = no_nature();
  for (const EnvelopeProblem& problem :
       {EnvelopeProblem{mdp, actions, none}, EnvelopeProblem{mdp, states, none},
        EnvelopeProblem{mdp, target, ball}}) {
    const GlobalSolution found = minimum(problem, 1e-7);
    EXPECT_EQ(found.method, "planning, then interior points");
    expect_proven(problem, found, 1e-7);
  }
}

TEST(EnvelopeMinimum, OfPolyhedralEnvelopesIsProvenByOneLinearProgram) {
  const FiniteMdp mdp = random_dense(8, 3, 0.9, 6);
  const Constrained constrained({.objective = normal_matrix(8, 3, 7),
                                 .constraints = {normal_matrix(8, 3, 8), normal_matrix(8, 3, 9)},
                                 .thresholds = Vector::Constant(2, -0.5)});
  const Box multipliers = uniform_box(2, {0, 10});
  const RewardRobust rewards(shape_of(mdp));
  const LpBall ball({.centre = flatten(normal_matrix(8, 3, 10)), .radius = 3, .p = 1});
  for (const EnvelopeProblem& problem :
       {EnvelopeProblem{mdp, constrained, multipliers}, EnvelopeProblem{mdp, rewards, ball}}) {
    const GlobalSolution found = minimum(problem, 1e-8);
    EXPECT_EQ(found.method, "planning, then linear program");
    EXPECT_EQ(found.iterations, 2);
    expect_proven(problem, found, 1e-8);
    const GlobalSolution other =
        cutting_plane_minimum(problem.mdp, problem.utility, problem.ambiguity, {.tolerance = 1e-8});
    EXPECT_NEAR(found.value, other.value, 2e-8 * std::abs(other.value));
  }
}

// One row for each vertex, but sparse ones: each vertex differs from the others in one number.
TEST(EnvelopeMinimum, OfTargetsOnSetsOfManyVerticesIsProvenByInteriorPoints) {
  const FiniteMdp mdp = random_dense(34, 30, 0.95, 61);
  const Index pairs = 1020;
  const QuadraticTarget distance(shape_of(mdp));
  const KlTarget divergence({.shape = shape_of(mdp), .over = Marginal::kStateActions});
  const CappedOrthant orthant(pairs, 0.03);
  const Vector expert = flatten(occupancy(mdp, random_policy(mdp, 62)));
  const double radius = 1e-5;
  const LpBall ball({.centre = expert.array() + radius, .radius = radius, .p = 1});
  for (const EnvelopeProblem& problem :
       {EnvelopeProblem{mdp, distance, orthant}, EnvelopeProblem{mdp, divergence, ball}}) {
    const GlobalSolution found = minimum(problem, 1e-6);
    EXPECT_EQ(found.method, "planning, then interior points");
    expect_proven(problem, found, 1e-6);
  }
}

// Probability-like rewards near an expert's: no polyhedron, and too many numbers for a hull.
TEST(EnvelopeMinimum, OfAPolyhedronCutByABallIsProvenAtTheLengthOfItsDualVector) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const FiniteMdp mdp = random_dense(10, 4, seed % 2 == 0 ? 0.9 : 0.999, 70 + seed);
    const RewardRobust rewards(shape_of(mdp));
    const Vector expert = flatten(occupancy(mdp, random_policy(mdp, 80 + seed)));
    const IntersectionSet near(
        {std::make_shared<ProbabilitySimplex>(40),
         std::make_shared<LpBall>(
             LpBallShape{.centre = expert, .radius = std::pow(10.0, -2.0 + 0.5 * seed), .p = 2})});
    const GlobalSolution found = minimum({mdp, rewards, near}, 1e-6);
    EXPECT_THAT(found.method, Not(HasSubstr("descent"))) << seed;
    expect_proven({mdp, rewards, near}, found, 1e-6);
  }
}

// --- The methods for large models.

TEST(EnvelopeMinimum, OfRobustRewardsOnALargeModelIsProven) {
  const FiniteMdp mdp = large_model(11);
  const RewardRobust utility(shape_of(mdp));
  const LpBall ball(
      {.centre = flatten(uniform_matrix(300, 8, 12)), .radius = 0.25 * std::sqrt(2400), .p = 2});
  const GlobalSolution found = minimum({mdp, utility, ball}, 1e-3);
  EXPECT_EQ(found.method, "planning, then interior points of the flow");
  expect_proven({mdp, utility, ball}, found, 1e-3);
}

// A dozen steps, not hundreds, whatever the discount, the radius and the norm.
TEST(EnvelopeMinimum, OfRoundBallsOnLargeModelsIsProvenByInteriorPointsAlone) {
  for (const double discount : {0.8, 0.99}) {
    for (const double radius : {1.0, 12.0}) {
      for (const double p : {1.5, 2.0}) {
        Rng rng(51);
        const FiniteMdp mdp =
            garnet({.states = 300, .actions = 8, .branching = 3, .discount = discount}, rng).mdp;
        const Vector centre = Vector::NullaryExpr(2400, [&] { return rng.normal(); });
        const RewardRobust utility(shape_of(mdp));
        const LpBall ball({.centre = centre, .radius = radius, .p = p});
        const GlobalSolution found = minimum({mdp, utility, ball}, 1e-3);
        EXPECT_EQ(found.status, GlobalStatus::kCertified) << discount << ' ' << radius << ' ' << p;
        EXPECT_LE(found.iterations, 60);
        EXPECT_THAT(found.method, Not(HasSubstr("descent")));
        expect_honest_value({mdp, utility, ball}, found);
      }
    }
  }
}

// The last digits too.
TEST(EnvelopeMinimum, OfATargetOnALargeModelIsProvenToManyDigits) {
  const FiniteMdp mdp = large_model(53);
  const QuadraticTarget utility(shape_of(mdp));
  const Matrix expert = occupancy(mdp, deterministic_policy(std::vector<Index>(300, 2), 8));
  const LpBall ball({.centre = flatten(expert), .radius = 0.05, .p = 2});
  const GlobalSolution found = minimum({mdp, utility, ball}, 1e-5);
  expect_proven({mdp, utility, ball}, found, 1e-5);
}

TEST(EnvelopeMinimum, OfConstraintsOnALargeModelIsProven) {
  const FiniteMdp mdp = large_model(13);
  const Constrained utility(
      {.objective = -uniform_matrix(300, 8, 14),
       .constraints = {uniform_matrix(300, 8, 15), uniform_matrix(300, 8, 16)},
       .thresholds = Vector::Constant(2, 0.4)});
  const Box multipliers = uniform_box(2, {0, 50});
  const GlobalSolution found = minimum({mdp, utility, multipliers}, 1e-3);
  EXPECT_EQ(found.method, "planning, then columns and cuts");
  expect_proven({mdp, utility, multipliers}, found, 1e-3);
}

TEST(EnvelopeMinimum, OfEntropyOnALargeModelIsProven) {
  const FiniteMdp mdp = large_model(17);
  const Entropy utility({.shape = shape_of(mdp), .over = Marginal::kStateActions});
  const Singleton none = no_nature();
  const GlobalSolution found = minimum({mdp, utility, none}, 1e-3);
  EXPECT_EQ(found.method, "planning, then interior points");
  expect_proven({mdp, utility, none}, found, 1e-3);
}

// The largest entry of 2400 has too many kinks for a few cuts, but not for interior points.
TEST(EnvelopeMinimum, OfAnEnvelopeOfManyKinksOnALargeModelIsProven) {
  const FiniteMdp mdp = large_model(41);
  const RewardRobust utility(shape_of(mdp));
  const LpBall ball({.centre = flatten(uniform_matrix(300, 8, 42)), .radius = 12, .p = 1});
  const GlobalSolution found = minimum({mdp, utility, ball}, 1e-7);
  expect_proven({mdp, utility, ball}, found, 1e-7);
}

// Below the threshold one method, above it another: on one model and its copy with an action twice,
// which changes nothing but the number of pairs, both find the same.
TEST(EnvelopeMinimum, DoesNotDependOnTheMethod) {
  Rng rng(18);
  const FiniteMdp small = garnet({.states = 60, .actions = 8, .branching = 3}, rng).mdp;
  SparseMatrix doubled(60 * 9, 60);
  for (Index s = 0; s < 60; ++s) {
    for (Index a = 0; a < 9; ++a) {
      for (SparseMatrix::InnerIterator it(small.sparse_kernel(), s * 8 + std::min<Index>(a, 7)); it;
           ++it) {
        doubled.insert(s * 9 + a, it.col()) = it.value();
      }
    }
  }
  const FiniteMdp large(doubled, small.start(), small.discount());
  const auto extended = [](const Matrix& table) {
    Matrix wider(60, 9);
    wider << table, table.col(7);
    return wider;
  };
  const Matrix objective = -uniform_matrix(60, 8, 19), cost = uniform_matrix(60, 8, 20);
  const Constrained few(
      {.objective = objective, .constraints = {cost}, .thresholds = Vector{{0.4}}});
  const Constrained many({.objective = extended(objective),
                          .constraints = {extended(cost)},
                          .thresholds = Vector{{0.4}}});
  const Box multipliers = uniform_box(1, {0, 20});
  const GlobalSolution one = minimum({small, few, multipliers}, 1e-4);
  const GlobalSolution other = minimum({large, many, multipliers}, 1e-4);
  EXPECT_EQ(one.method, "planning, then linear program");
  EXPECT_EQ(other.method, "planning, then columns and cuts");
  EXPECT_EQ(one.status, GlobalStatus::kCertified) << one.method << one.gap();
  EXPECT_EQ(other.status, GlobalStatus::kCertified) << other.method << other.gap();
  EXPECT_NEAR(one.value, other.value, 2e-4 * std::abs(one.value));
}

// --- Other problems.

TEST(EnvelopeMinimum, OfSumsOverProductSetsIsProven) {
  const FiniteMdp mdp = random_dense(6, 3, 0.9, 21);
  const auto rewards = std::make_shared<RewardRobust>(shape_of(mdp));
  const auto entropy = std::make_shared<Entropy>(
      EntropyOptions{.shape = shape_of(mdp), .over = Marginal::kStateActions});
  const auto limits =
      std::make_shared<Constrained>(ConstrainedCosts{.objective = normal_matrix(6, 3, 22),
                                                     .constraints = {normal_matrix(6, 3, 23)},
                                                     .thresholds = Vector{{-0.3}}});
  const auto ball = std::make_shared<LpBall>(
      LpBallShape{.centre = flatten(normal_matrix(6, 3, 24)), .radius = 0.7, .p = 2});
  const auto box = std::make_shared<Box>(uniform_box(1, {0, 8}));
  const Sum sum({{.weight = 1, .utility = rewards},
                 {.weight = 0.3, .utility = entropy},
                 {.weight = 0.5, .utility = limits}});
  const ProductSet product({ball, std::make_shared<Singleton>(Vector(0)), box});
  expect_proven({mdp, sum, product}, minimum({mdp, sum, product}, 1e-6), 1e-6);
}

// A target on a ball beside a reward: small weights of the reward leave the optimum at the kink,
// where the target is attained, large ones do not.
TEST(EnvelopeMinimum, OfATargetOnABallBesideARewardIsProvenAtAndAwayFromTheKink) {
  const FiniteMdp mdp = random_dense(7, 3, 0.95, 91);
  const auto distance = std::make_shared<QuadraticTarget>(shape_of(mdp));
  const auto reward = std::make_shared<LinearReward>(uniform_matrix(7, 3, 92));
  const Vector expert = flatten(occupancy(mdp, random_policy(mdp, 93)));
  const LpBall ball({.centre = expert, .radius = 0.1, .p = 2});
  for (const double weight : {1e-3, 0.05, 1.0, 30.0}) {
    const Sum sum({{.weight = weight, .utility = reward}, {.weight = 1, .utility = distance}});
    const GlobalSolution found = minimum({mdp, sum, ball}, 1e-7);
    if (weight <= 0.05) {
      EXPECT_EQ(found.method, "planning, then programs at lengths of a ball");
    }
    EXPECT_THAT(found.method, Not(HasSubstr("descent")));
    expect_proven({mdp, sum, ball}, found, 1e-7);
    const double away = (flatten(found.occupancy) - expert).norm();
    if (weight < 0.01) {
      EXPECT_LE(away, 1e-6);
    }
    if (weight >= 1) {
      EXPECT_GE(away, 1e-3);
    }
  }
}

// Smoothing adds between 0 and (log d) / b to f, and what is known of a worst case is as good as
// that: a wider gap is certified, a narrower one never is.
TEST(EnvelopeMinimum, OfSmoothedDriftIsThePlainOneUpToTheSmoothing) {
  const FiniteMdp mdp = random_dense(6, 3, 0.9, 25);
  const Matrix features = normal_matrix(18, 4, 26);
  const double b = 1e4, smoothing = std::log(2) / b;
  const Drift plain({.actions = 3, .features = features, .dimension = 2});
  const Drift smooth({.actions = 3, .features = features, .dimension = 2, .smoothing = b});
  const FrobeniusBall ball(Matrix::Identity(2, 4), 0.4);
  const double least = minimum({mdp, plain, ball}, 1e-8).value;
  const GlobalSolution found = minimum({mdp, smooth, ball}, 1e-2);
  EXPECT_EQ(found.kind, AnswerKind::kCertified);
  EXPECT_THAT(found.method, Not(HasSubstr("interior")));
  expect_proven({mdp, smooth, ball}, found, 1e-2);
  EXPECT_GE(found.value, least - 1e-8);
  EXPECT_LE(found.lower_bound, least + smoothing + 1e-8);

  const GlobalSolution greedy =
      envelope_minimum(mdp, smooth, ball, {.tolerance = 1e-7, .iterations = 300});
  EXPECT_EQ(greedy.status, GlobalStatus::kLimit);
  EXPECT_LE(greedy.lower_bound, greedy.value);
}

// Targets in a ball of the 3-norm: the worst one is only searched for. What that leaves as a lower
// bound is one, but the value proves nothing.
TEST(EnvelopeMinimum, IsNeverCertifiedWhereWorstCasesAreOnlyTheBestFound) {
  const FiniteMdp mdp = random_dense(3, 2, 0.8, 27);
  const QuadraticTarget utility(shape_of(mdp));
  const LpBall ball({.centre = Vector::Constant(6, 0.3), .radius = 0.2, .p = 3});
  EnvelopeSolver solver(mdp, utility, ball, 1e-3);
  while (solver.best().iterations < 60 && solver.advance()) {
  }
  const GlobalSolution& found = solver.best();
  EXPECT_EQ(found.kind, AnswerKind::kBestFound);
  EXPECT_EQ(found.status, GlobalStatus::kLimit);
  for (std::uint64_t k = 0; k < 20; ++k) {
    const Matrix lambda = occupancy(mdp, random_policy(mdp, k));
    EXPECT_GE(worst_case(utility, ball, lambda).value, found.lower_bound - 1e-12);
  }
}

// --- Steps.

TEST(EnvelopeSolver, MakesEqualStepsToTheLastBit) {
  const FiniteMdp small = random_dense(8, 3, 0.9, 28), large = large_model(29);
  for (const FiniteMdp* mdp : {&small, &large}) {
    const RewardRobust utility(shape_of(*mdp));
    const LpBall ball({.centre = flatten(uniform_matrix(mdp->states(), mdp->actions(), 30)),
                       .radius = 3,
                       .p = 1});
    EnvelopeSolver one(*mdp, utility, ball, 1e-9), other(*mdp, utility, ball, 1e-9);
    for (int k = 0; k < 40; ++k) {
      EXPECT_EQ(one.advance(), other.advance());
      EXPECT_EQ(one.best().value, other.best().value);
      EXPECT_EQ(one.best().lower_bound, other.best().lower_bound);
      EXPECT_EQ(one.best().method, other.best().method);
      ASSERT_TRUE(one.best().policy == other.best().policy) << "step " << k;
    }
  }
}

TEST(EnvelopeSolver, NeverLosesAValueOrABound) {
  const FiniteMdp mdp = random_dense(8, 3, 0.9, 31);
  const RewardRobust utility(shape_of(mdp));
  const LpBall ball({.centre = flatten(normal_matrix(8, 3, 32)), .radius = 2, .p = 2});
  EnvelopeSolver solver(mdp, utility, ball, 1e-9);
  double value = std::numeric_limits<double>::infinity(), bound = -value;
  int steps = 0;
  while (solver.advance()) {
    EXPECT_EQ(solver.best().iterations, ++steps);
    EXPECT_LE(solver.best().value, value);
    EXPECT_GE(solver.best().lower_bound, bound);
    value = solver.best().value;
    bound = solver.best().lower_bound;
  }
  EXPECT_EQ(solver.best().status, GlobalStatus::kCertified);
  EXPECT_GT(steps, 5);
}

TEST(EnvelopeSolver, StandsStillWhereTheGapIsProven) {
  const FiniteMdp mdp = random_dense(4, 2, 0.9, 34);
  const LinearReward utility(normal_matrix(4, 2, 35));
  const Singleton none = no_nature();
  EnvelopeSolver solver(mdp, utility, none);
  EXPECT_TRUE(solver.advance());
  EXPECT_EQ(solver.best().status, GlobalStatus::kCertified);
  EXPECT_FALSE(solver.advance());
  EXPECT_EQ(solver.best().iterations, 1);
}

// A gap that rounding does not allow.
TEST(EnvelopeSolver, StandsStillWhereEveryMethodIsExhausted) {
  const FiniteMdp mdp = random_dense(4, 2, 0.9, 36);
  const Entropy utility({.shape = shape_of(mdp), .over = Marginal::kStateActions});
  const Singleton none = no_nature();
  EnvelopeSolver solver(mdp, utility, none, 1e-18);
  for (int k = 0; k < 2000 && solver.advance(); ++k) {
  }
  ASSERT_TRUE(solver.is_exhausted());
  EXPECT_EQ(solver.best().status, GlobalStatus::kLimit);
  EXPECT_LE(solver.best().gap(), 1e-9);
  const int steps = solver.best().iterations;
  EXPECT_FALSE(solver.advance());
  EXPECT_EQ(solver.best().iterations, steps);
}

TEST(EnvelopeMinimum, OfADriftWithoutAmbiguityTakesInteriorPointsAsOnABallOfRadiusZero) {
  const FiniteMdp mdp = random_dense(6, 3, 0.9, 39);
  const Drift drift({.actions = 3, .features = normal_matrix(18, 5, 40), .dimension = 3});
  const Matrix centre = Matrix::Identity(3, 5);
  const GlobalSolution point = envelope_minimum(mdp, drift, Singleton(flatten(centre)));
  const GlobalSolution ball = envelope_minimum(mdp, drift, FrobeniusBall(centre, 0));
  EXPECT_EQ(point.status, GlobalStatus::kCertified);
  EXPECT_EQ(point.iterations, 1);
  EXPECT_NEAR(point.value, ball.value, 1e-6 * std::abs(ball.value));
  expect_honest_value({mdp, drift, Singleton(flatten(centre))}, point);
}

TEST(EnvelopeMinimum, StopsAtItsIterations) {
  const FiniteMdp mdp = random_dense(8, 3, 0.9, 37);
  const Entropy utility({.shape = shape_of(mdp), .over = Marginal::kStateActions});
  const Singleton none = no_nature();
  const GlobalSolution few =
      envelope_minimum(mdp, utility, none, {.tolerance = 1e-10, .iterations = 3});
  EXPECT_EQ(few.status, GlobalStatus::kLimit);
  EXPECT_EQ(few.iterations, 3);
  expect_honest_value({mdp, utility, none}, few);
  expect_honest_bound({mdp, utility, none}, few);
  EXPECT_EQ(envelope_minimum(mdp, utility, none, {.iterations = 0}).iterations, 0);
}

// -|x|^2 / 2 is concave.
class ConcaveDeclaredConvex final : public Utility {
 public:
  ConcaveDeclaredConvex() : Utility({.states = 6, .actions = 3, .nature = 0}) {}
  UtilityGradient evaluate(const Matrix& occupancy, const Vector&) const override {
    return {.value = -0.5 * occupancy.squaredNorm(), .occupancy = -occupancy, .nature = {}};
  }
  UtilityTraits traits() const override {
    return {.convex_in_occupancy = true, .nature = NatureShape::kNone};
  }
  UtilityConstants constants(double) const override { return {}; }
};

TEST(EnvelopeMinimum, RefusesAUtilityThatIsNotConvexAlthoughItSaysSo) {
  const ConcaveDeclaredConvex utility;
  const Singleton none = no_nature();
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const FiniteMdp mdp = random_dense(6, 3, 0.9, seed);
    expect_invalid([&] { envelope_minimum(mdp, utility, none); }, "declared convex");
  }
}

TEST(EnvelopeMinimum, RefusesWhatItCannotProve) {
  const FiniteMdp mdp = random_dense(6, 3, 0.9, 38);
  const Box one = uniform_box(1, {0, 1}), all = uniform_box(18, {0, 1});
  const Variance risk({.features = {normal_matrix(6, 3, 1)}, .aversion = 1});
  expect_invalid([&] { envelope_minimum(mdp, risk, one); }, "not convex");
  const RewardRobust fewer({.states = 5, .actions = 3}), other({.states = 6, .actions = 2});
  expect_invalid([&] { envelope_minimum(mdp, fewer, all); }, "states of the utility");
  expect_invalid([&] { envelope_minimum(mdp, other, all); }, "actions of the utility");
  const RewardRobust fits({.states = 6, .actions = 3});
  expect_invalid([&] { envelope_minimum(mdp, fits, one); }, "dimension of the ambiguity set");
  expect_invalid([&] { envelope_minimum(mdp, fits, all, {.tolerance = 0}); }, "tolerance");
  expect_invalid([&] { envelope_minimum(mdp, fits, all, {.tolerance = NAN}); }, "tolerance");
  expect_invalid([&] { envelope_minimum(mdp, fits, all, {.iterations = -1}); }, "iterations");
}

}  // namespace
}  // namespace rgu
