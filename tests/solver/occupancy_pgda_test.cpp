#include "rgu/solver/occupancy_pgda.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "laws/throws.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/solver/state_file.hpp"
#include "toy_problems.hpp"

namespace rgu {
namespace {

using toys::distance;
using toys::start_at;

constexpr NatureOrder kOrders[] = {NatureOrder::kNew, NatureOrder::kOld};

// f = <lambda, M xi>: a matrix game in mixed strategies. One state gives Lambda = the simplex.
class MatrixGame final : public GradientOracle {
 public:
  explicit MatrixGame(Matrix costs) : m(std::move(costs)) {}
  SaddleGradient estimate(const SaddlePoint& at, Rng& /*rng*/) const override {
    const Vector slope = m * at.nature;
    return {.value = at.policy.dot(slope), .policy = slope, .nature = m.transpose() * at.policy};
  }
  // Both best answers are pure.
  double gap(const SaddlePoint& at) const {
    return (m.transpose() * at.policy).maxCoeff() - (m * at.nature).minCoeff();
  }
  Matrix m;
};

Matrix rock_paper_scissors() {
  Matrix m(3, 3);
  m << 0, 1, -1, -1, 0, 1, 1, -1, 0;
  return m;
}

SolverState at_corners(Index policy, Index nature) {
  SolverState state;
  state.point = {Vector::Unit(policy, 0), Vector::Unit(nature, 0)};
  return state;
}

// eta = 0.1, beta = 0.2, by hand: the mean is of the pairs that the gradient in theta saw.
TEST(OccupancyPgda, TakesTheStepsOfThePseudoCodeInBothOrders) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  for (const NatureOrder order : kOrders) {
    const SolverResult result =
        occupancy_pgda({f, sets.policies, sets.ambiguity}, start_at(3, 0.5),
                       {.policy_step = 0.1, .nature_step = 0.2, .order = order}, {.iterations = 3});
    Vector x = Vector::Constant(3, 0.5), y = x;
    SaddlePoint sum{Vector::Zero(3), Vector::Zero(3)};
    for (int k = 0; k < 3; ++k) {
      const Vector next_y = y + 0.2 * (f.b * x - f.c * (y - f.q));
      const Vector seen = order == NatureOrder::kNew ? next_y : y;
      sum = {sum.policy + x, sum.nature + seen};
      x -= 0.1 * (f.a * (x - f.p) + f.b * seen);
      y = next_y;
    }
    EXPECT_LT(distance(result.state.point, {x, y}), 1e-14);
    EXPECT_LT(distance(result.state.average, {sum.policy / 3, sum.nature / 3}), 1e-14);
    EXPECT_EQ(result.status, Status::kIterationLimit);
  }
}

// The only saddle point of rock, paper, scissors is uniform, with value 0. The last iterate circles
// around it; the mean does not.
TEST(OccupancyPgda, SolvesRockPaperScissorsInTheMean) {
  const MatrixGame game(rock_paper_scissors());
  const ProbabilitySimplex simplex(3);
  for (const NatureOrder order : kOrders) {
    const SolverResult result = occupancy_pgda({game, simplex, simplex}, at_corners(3, 3),
                                               {.order = order}, {.iterations = 20000});
    EXPECT_LT(game.gap(result.state.average), 0.02);
    const SaddlePoint uniform{Vector::Constant(3, 1.0 / 3), Vector::Constant(3, 1.0 / 3)};
    EXPECT_LT(distance(result.state.average, uniform), 0.02);
  }
}

// Rows minimise. p = 2/5 of the first row makes both columns cost 1/5; q = 2/5 of the first column
// likewise: 3p - 1 = 1 - 2p.
TEST(OccupancyPgda, SolvesATwoByTwoGameWithTheTheoremsSteps) {
  Matrix m(2, 2);
  m << 2, -1, -1, 1;
  const MatrixGame game(m);
  const ProbabilitySimplex simplex(2);
  // |grad| <= the largest singular value of M, (3 + sqrt 5)/2; the simplex has diameter sqrt 2.
  const double bound = (3 + std::sqrt(5.0)) / 2;
  for (const NatureOrder order : kOrders) {
    for (const Index iterations : {10, 100, 1000, 10000}) {
      const double root = std::sqrt(static_cast<double>(iterations));
      const double step = std::numbers::sqrt2 / (bound * root);
      const SolverResult result = occupancy_pgda(
          {game, simplex, simplex}, at_corners(2, 2),
          {.policy_step = step, .nature_step = step, .order = order}, {.iterations = iterations});
      const SaddlePoint mean = result.state.average;
      EXPECT_LE(game.gap(mean), 2 * std::numbers::sqrt2 * bound / root);
      EXPECT_GE(game.gap(mean), -1e-12);
      if (iterations < 10000) continue;
      EXPECT_NEAR(mean.policy(0), 0.4, 0.02);
      EXPECT_NEAR(mean.nature(0), 0.4, 0.02);
      EXPECT_NEAR(mean.policy.dot(m * mean.nature), 0.2, 0.02);
    }
  }
}

// Without ambiguity and with costs (3, 1, 2) the whole mass goes to the second action.
TEST(OccupancyPgda, WithoutAmbiguityFindsTheBestAction) {
  Matrix costs(3, 1);
  costs << 3, 1, 2;
  const MatrixGame game(costs);
  const ProbabilitySimplex simplex(3);
  const Singleton one(Vector::Ones(1));
  const SolverResult result =
      occupancy_pgda({game, simplex, one}, at_corners(3, 1), {}, {.iterations = 200});
  EXPECT_LT((result.state.point.policy - Vector::Unit(3, 1)).norm(), 1e-12);
  EXPECT_LT(game.gap(result.state.average), 0.05);
  EXPECT_EQ(result.state.average.nature, Vector::Ones(1));
}

TEST(OccupancyPgda, TakesAutomaticStepsFromTheSumOfSquaredGradients) {
  const MatrixGame game(rock_paper_scissors());
  const ProbabilitySimplex simplex(3);
  double policy_squares = 0, nature_squares = 0;
  const Observer observe = [&](const Iteration& at) {
    // The gradient in lambda was taken at (lambda_k, xi_{k+1}), that in xi at (lambda_k, xi_k).
    policy_squares += (game.m * at.state.point.nature).squaredNorm();
    nature_squares += (game.m.transpose() * at.before.policy).squaredNorm();
    EXPECT_NEAR(at.report.policy_step, std::sqrt(2 / (2 * policy_squares)), 1e-12);
    EXPECT_NEAR(at.report.nature_step, std::sqrt(2 / (2 * nature_squares)), 1e-12);
    return Verdict{};
  };
  occupancy_pgda({game, simplex, simplex}, at_corners(3, 3), {}, {.iterations = 20}, observe);
  EXPECT_GT(policy_squares, 1);
}

TEST(OccupancyPgda, StaysWhereThereIsNoSlope) {
  const MatrixGame game(Matrix::Zero(3, 3));
  const ProbabilitySimplex simplex(3);
  const SolverResult result =
      occupancy_pgda({game, simplex, simplex}, at_corners(3, 3), {}, {.iterations = 5});
  EXPECT_EQ(result.status, Status::kIterationLimit);
  EXPECT_EQ(distance(result.state.point, at_corners(3, 3).point), 0);
  EXPECT_EQ(distance(result.state.average, at_corners(3, 3).point), 0);
}

TEST(OccupancyPgda, ProjectsTheStartAndAveragesItBeforeTheFirstIteration) {
  const MatrixGame game(rock_paper_scissors());
  const ProbabilitySimplex simplex(3);
  SolverState far = start_at(3, 9);
  const SolverResult result = occupancy_pgda({game, simplex, simplex}, far, {}, {.iterations = 0});
  EXPECT_LT((result.state.average.policy.array() - 1.0 / 3).abs().maxCoeff(), 1e-15);
  EXPECT_EQ(distance(result.state.average, result.state.point), 0);
}

// The step that is not finite is undone, with the mean as it was.
TEST(OccupancyPgda, EndsAsDivergedWhereANumberIsNotFinite) {
  const toys::Cliff cliff;
  const toys::Sets sets = toys::wide_sets(1);
  const SolverResult result = occupancy_pgda({cliff, sets.policies, sets.ambiguity}, start_at(1, 0),
                                             {.policy_step = 0.5, .nature_step = 1}, {});
  EXPECT_EQ(result.status, Status::kDiverged);
  EXPECT_EQ(result.state.iteration, 3);            // at 0, 0.5 and 1
  EXPECT_EQ(result.state.average.policy(0), 0.5);  // their mean
}

// Stopped, written to text, read back and gone on with.
TEST(OccupancyPgda, ResumedGivesTheBitsOfAnUninterruptedRun) {
  toys::Noisy noisy;
  static_cast<toys::Quadratic&>(noisy) = toys::quadratic();
  const toys::Quadratic exact = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  const std::vector<const GradientOracle*> oracles = {&noisy, &exact};
  for (const GradientOracle* oracle : oracles) {
    for (const NatureOrder order : kOrders) {
      for (const StepSize& step : {StepSize{}, StepSize{0.05}}) {
        const auto solve = [&](SolverState state, Index iterations) {
          return occupancy_pgda({*oracle, sets.policies, sets.ambiguity}, std::move(state),
                                {.policy_step = step, .nature_step = step, .order = order},
                                {.iterations = iterations})
              .state;
        };
        const SolverState whole = solve(start_at(3, 0.7), 9);
        const SolverState first = parse_state(to_text(solve(start_at(3, 0.7), 4)));
        const SolverState rest = solve(first, 9);
        EXPECT_EQ(to_text(rest), to_text(whole));
        EXPECT_EQ(rest.average.policy, whole.average.policy);
        EXPECT_EQ(rest.average.nature, whole.average.nature);
        EXPECT_EQ(rest.nature_step, whole.nature_step);
        EXPECT_GT(distance(first.average, rest.average), 0);
      }
    }
  }
}

// A state of another solver, and one from before there were averages, has none.
TEST(StateFile, KeepsAnAverageOnlyWhereThereIsOne) {
  SolverState state = start_at(2, 1);
  EXPECT_EQ(to_text(state).find("average"), std::string::npos);
  EXPECT_EQ(parse_state(to_text(state)).average.policy.size(), 0);
  state.average = {Vector{{0.1, 1.0 / 3}}, Vector(0)};
  state.nature_step = 0.7;
  const SolverState read = parse_state(to_text(state));
  EXPECT_EQ(read.average.policy, state.average.policy);
  EXPECT_EQ(read.average.nature.size(), 0);
  EXPECT_EQ(read.nature_step, 0.7);
}

TEST(OccupancyPgda, WrongOptionsAndStatesAreRefused) {
  const MatrixGame game(rock_paper_scissors());
  const ProbabilitySimplex simplex(3);
  const SaddleProblem problem{game, simplex, simplex};
  const auto with = [&](const OccupancyPgdaOptions& options) {
    return [&problem, options] { occupancy_pgda(problem, at_corners(3, 3), options, {}); };
  };
  expect_invalid(with({.policy_step = 0}), "policy step");
  expect_invalid(with({.nature_step = -1}), "nature step");
  expect_invalid([&] { occupancy_pgda(problem, at_corners(2, 3), {}, {}); }, "policy parameters");
  expect_invalid([&] { occupancy_pgda(problem, at_corners(3, 2), {}, {}); }, "nature parameters");
  expect_invalid([&] { occupancy_pgda(problem, at_corners(3, 3), {}, {.iterations = -1}); },
                 "iterations");
  SolverState without = at_corners(3, 3);
  without.iteration = 4;
  expect_invalid([&] { occupancy_pgda(problem, without, {}, {}); }, "average");
}

}  // namespace
}  // namespace rgu
