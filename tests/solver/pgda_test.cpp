#include "rgu/solver/pgda.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "laws/throws.hpp"
#include "rgu/solver/prox_extragradient.hpp"
#include "rgu/solver/state_file.hpp"
#include "rgu/solver/stationarity.hpp"
#include "toy_problems.hpp"

namespace rgu {
namespace {

using toys::distance;
using toys::start_at;

// The residual of a result, recomputed from the gradients of the problem.
double residual(const SaddleProblem& problem, const SaddlePoint& z) {
  Rng rng(0);
  return gradient_mappings(problem, z, problem.oracle.estimate(z, rng), 0.1).squared();
}

TEST(Pgda, TakesTheStepsOfThePseudoCode) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  const SolverResult result =
      pgda({f, sets.policies, sets.ambiguity}, start_at(3, 0.5),
           {.policy_step = 0.1, .nature_step = 0.2, .inner_steps = 2}, {.iterations = 2});
  Vector theta = Vector::Constant(3, 0.5);
  Vector xi = Vector::Constant(3, 0.5);
  for (int k = 0; k < 2; ++k) {
    for (int t = 0; t < 2; ++t) xi += 0.2 * (f.b * theta - f.c * (xi - f.q));
    theta -= 0.1 * (f.a * (theta - f.p) + f.b * xi);
  }
  EXPECT_LT(distance(result.state.point, {theta, xi}), 1e-14);
  EXPECT_EQ(result.status, Status::kIterationLimit);
}

// Steps that lead out of the sets end at their nearest members, in every iteration.
TEST(Pgda, ProjectsEveryStep) {
  const toys::Quadratic f = toys::quadratic();
  const Box policies = uniform_box(3, {-0.6, 0.7});
  const Box ambiguity = uniform_box(3, {0.2, 0.8});
  Vector theta = Vector::Constant(3, 0.5);
  Vector xi = Vector::Constant(3, 0.5);
  for (Index k = 1; k <= 3; ++k) {
    xi = (xi + 0.5 * (f.b * theta - f.c * (xi - f.q))).cwiseMax(0.2).cwiseMin(0.8);
    theta = (theta - 0.4 * (f.a * (theta - f.p) + f.b * xi)).cwiseMax(-0.6).cwiseMin(0.7);
    const SolverResult result =
        pgda({f, policies, ambiguity}, start_at(3, 0.5),
             {.policy_step = 0.4, .nature_step = 0.5, .inner_steps = 1}, {.iterations = k});
    EXPECT_LT(distance(result.state.point, {theta, xi}), 1e-14) << k;
  }
}

TEST(Pgda, FindsTheSaddlePointWithGivenAndWithAutomaticSteps) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  const SaddleProblem problem{f, sets.policies, sets.ambiguity};
  for (const PgdaOptions& options :
       {PgdaOptions{.policy_step = 0.2, .nature_step = 0.5}, PgdaOptions{}}) {
    const SolverResult result = pgda(problem, start_at(3, 4), options, {.iterations = 500});
    EXPECT_LT(distance(result.state.point, f.saddle()), 1e-6);
    EXPECT_LT(residual(problem, result.state.point), 1e-12);
  }
}

// The player whose step is that of projected descent.
class DescendingPlayer final : public PolicyPlayer {
 public:
  DescendingPlayer(const toys::Quadratic& f, Vector theta) : f_(f), theta_(std::move(theta)) {}

  Index draw(Index iteration) override {
    drawn_.push_back(iteration);
    return 7;
  }
  SaddleGradient nature_gradient(const Vector& nature) const override { return at(nature); }
  double descend(const Vector& nature) override {
    const SaddleGradient g = at(nature);
    if (iteration_of_failure == drawn_.back()) return std::nan("");
    theta_ -= 0.1 * g.policy;
    return g.value;
  }

  const Vector& theta() const { return theta_; }
  const std::vector<Index>& drawn() const { return drawn_; }
  Index iteration_of_failure = -1;

 private:
  SaddleGradient at(const Vector& nature) const {
    Rng rng(0);
    return f_.estimate({theta_, nature}, rng);
  }

  const toys::Quadratic& f_;
  Vector theta_;
  std::vector<Index> drawn_;
};

SolverState nature_at(Index size, double value) {
  SolverState state;
  state.point.nature = Vector::Constant(size, value);
  return state;
}

TEST(PgdaWithAPlayer, TakesTheStepsOfPgda) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  const SolverResult expected =
      pgda({f, sets.policies, sets.ambiguity}, start_at(3, 0.5),
           {.policy_step = 0.1, .nature_step = 0.2, .inner_steps = 3}, {.iterations = 5});
  DescendingPlayer player(f, Vector::Constant(3, 0.5));
  const SolverResult result = pgda(player, sets.ambiguity, nature_at(3, 0.5),
                                   {.nature_step = 0.2, .inner_steps = 3}, {.iterations = 5});
  EXPECT_EQ(player.theta(), expected.state.point.policy);
  EXPECT_EQ(result.state.point.nature, expected.state.point.nature);
  EXPECT_EQ(result.state.samples, 35);
  EXPECT_THAT(player.drawn(), testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST(PgdaWithAPlayer, ResumesWithItsStepNumber) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  const AscentOptions options{.nature_step = 0.2, .inner_steps = 3};
  DescendingPlayer whole(f, Vector::Constant(3, 0.5));
  const SolverResult expected =
      pgda(whole, sets.ambiguity, nature_at(3, 0.5), options, {.iterations = 6});
  DescendingPlayer parts(f, Vector::Constant(3, 0.5));
  SolverResult half = pgda(parts, sets.ambiguity, nature_at(3, 0.5), options, {.iterations = 2});
  half = pgda(parts, sets.ambiguity, parse_state(to_text(half.state)), options, {.iterations = 6});
  EXPECT_EQ(parts.theta(), whole.theta());
  EXPECT_EQ(half.state.point.nature, expected.state.point.nature);
  EXPECT_THAT(parts.drawn(), testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(PgdaWithAPlayer, StopsWhereTheStepFailsAndKeepsNatureOfBefore) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  DescendingPlayer player(f, Vector::Constant(3, 0.5));
  player.iteration_of_failure = 2;
  Vector last;
  const SolverResult result = pgda(player, sets.ambiguity, nature_at(3, 0.5), {.nature_step = 0.2},
                                   {.iterations = 6}, [&](const Iteration& iteration) {
                                     last = iteration.state.point.nature;
                                     return Verdict{};
                                   });
  EXPECT_EQ(result.status, Status::kDiverged);
  EXPECT_EQ(result.state.iteration, 2);
  EXPECT_EQ(result.state.point.nature, last);
}

TEST(PgdaWithAPlayer, RefusesAPointThatDoesNotFit) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  DescendingPlayer player(f, Vector::Constant(3, 0.5));
  expect_invalid([&] { pgda(player, sets.ambiguity, nature_at(2, 0), {}, {}); },
                 "nature parameters");
  expect_invalid([&] { pgda(player, sets.ambiguity, start_at(3, 0), {}, {}); },
                 "policy parameters");
}

// With b = 1, c = 0 and xi in [-2, 2]^3 nature answers 2 sign(theta): f is |theta - p|^2 + 2
// |theta|_1, whose minimiser is p shrunk by 1 towards 0.
TEST(PgdaLp, SolvesAProblemLinearInXi) {
  toys::Quadratic f = toys::quadratic();
  f.b = 1;
  f.c = 0;
  const Box policies = uniform_box(3, {-10, 10});
  const Box ambiguity = uniform_box(3, {-2, 2});
  const SaddleProblem problem{f, policies, ambiguity};
  const Vector solution = (Vector(3) << 0, -1, 0).finished();
  const SolverResult lp = pgda_lp(problem, start_at(3, 4), {}, {.iterations = 20000});
  EXPECT_LT((lp.state.point.policy - solution).norm(), 0.02);
  const WorstCaseOracle worst = [&](const SaddlePoint& at, Rng&) {
    return NatureAnswer{.nature = ambiguity.support_point(at.policy), .samples = 3};
  };
  const SolverResult exact =
      pgda_worst_case(problem, worst, start_at(3, 4), {}, {.iterations = 20000});
  EXPECT_EQ(exact.state.point.policy, lp.state.point.policy);
  EXPECT_EQ(exact.state.samples, 60000);
}

// Where the utility is curved in xi, its gradient is taken at the centre of the set, not at the
// last answer.
TEST(PgdaLp, LinearisesAtTheCentre) {
  const toys::Quadratic f = toys::quadratic();
  const Box policies = uniform_box(3, {-10, 10});
  const Box ambiguity = uniform_box(3, {-2, 4});
  const SolverResult result =
      pgda_lp({f, policies, ambiguity}, start_at(3, 0.5), {.policy_step = 0.1}, {.iterations = 4});
  Vector theta = Vector::Constant(3, 0.5);
  Vector xi;
  for (int k = 0; k < 4; ++k) {
    const Vector gradient = f.b * theta - f.c * (Vector::Ones(3) - f.q);
    xi = gradient.unaryExpr([](double slope) { return slope > 0 ? 4.0 : -2.0; });
    theta -= 0.1 * (f.a * (theta - f.p) + f.b * xi);
  }
  EXPECT_LT(distance(result.state.point, {theta, xi}), 1e-14);
}

TEST(Pgda, ProjectsTheStartOntoTheSets) {
  const toys::Quadratic f = toys::quadratic();
  const Box policies = uniform_box(3, {-1, 1});
  const Box ambiguity = uniform_box(3, {0, 1});
  const SolverResult result =
      pgda({f, policies, ambiguity}, start_at(3, 99), {}, {.iterations = 0});
  EXPECT_EQ(result.state.point.policy, Vector::Constant(3, 1.0));
  EXPECT_EQ(result.state.point.nature, Vector::Constant(3, 1.0));
}

TEST(Pgda, WrongOptionsAndDimensionsAreRefused) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  const SaddleProblem problem{f, sets.policies, sets.ambiguity};
  expect_invalid([&] { pgda(problem, start_at(2, 0), {}, {}); }, "policy parameters");
  expect_invalid([&] { pgda(problem, start_at(3, 0), {.policy_step = -1}, {}); }, "policy step");
  expect_invalid([&] { pgda(problem, start_at(3, 0), {.nature_step = 0}, {}); }, "nature step");
  expect_invalid([&] { pgda(problem, start_at(3, 0), {.inner_steps = -1}, {}); }, "inner steps");
  expect_invalid([&] { pgda_worst_case(problem, {}, start_at(3, 0), {}, {}); }, "there is none");
  const WorstCaseOracle wrong = [](const SaddlePoint&, Rng&) {
    return NatureAnswer{.nature = Vector::Zero(2)};
  };
  expect_invalid([&] { pgda_worst_case(problem, wrong, start_at(3, 0), {}, {}); }, "worst case");
  SolverState bad = start_at(3, 0);
  bad.point.nature = Vector::Zero(1);
  expect_invalid([&] { pgda(problem, bad, {}, {}); }, "nature parameters");
}

TEST(ProxExtragradient, TakesTheStepsOfThePseudoCode) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  const double alpha = 0.1, sigma = 0.6;
  const SolverResult result = prox_extragradient(
      {f, sets.policies, sets.ambiguity}, start_at(3, 0.5),
      {.step = alpha, .proximal_weight = sigma, .inner_steps = {.values = {1, 3}}},
      {.iterations = 2});
  const auto slope = [&](const SaddlePoint& z) {
    return SaddlePoint{f.a * (z.policy - f.p) + f.b * z.nature,
                       f.b * z.policy - f.c * (z.nature - f.q)};
  };
  SaddlePoint z{Vector::Constant(3, 0.5), Vector::Constant(3, 0.5)};
  for (const int steps : {1, 3}) {
    const SaddlePoint anchor = z;
    for (int t = 0; t < steps; ++t) {
      const auto moved = [&](const SaddlePoint& at) {
        const SaddlePoint g = slope(at);
        return SaddlePoint{z.policy - alpha * (g.policy + sigma * (at.policy - anchor.policy)),
                           z.nature + alpha * (g.nature - sigma * (at.nature - anchor.nature))};
      };
      z = moved(moved(z));
    }
  }
  EXPECT_LT(distance(result.state.point, z), 1e-14);
}

// f = theta xi: simultaneous steps spiral outwards, extragradient steps inwards.
TEST(ProxExtragradient, SolvesABilinearGameWithAnAutomaticStep) {
  toys::Quadratic f;
  f.a = 0;
  f.b = 3;
  f.c = 0;
  f.p = f.q = Vector::Zero(2);
  const toys::Sets sets = toys::wide_sets(2);
  const SolverResult result = prox_extragradient({f, sets.policies, sets.ambiguity}, start_at(2, 4),
                                                 {}, {.iterations = 300});
  EXPECT_LT(distance(result.state.point, {Vector::Zero(2), Vector::Zero(2)}), 1e-6);
  EXPECT_LT(result.state.extragradient, 1 / f.b);  // beyond that steps do not contract
  EXPECT_GT(result.state.extragradient, 0.1 / f.b);
}

TEST(ProxExtragradient, ComesNearTheSaddlePointUnderNoiseWithAnAutomaticStep) {
  toys::Noisy f;
  static_cast<toys::Quadratic&>(f) = toys::quadratic();
  f.noise = 0.02;
  const toys::Sets sets = toys::wide_sets(3);
  const SolverResult result = prox_extragradient({f, sets.policies, sets.ambiguity}, start_at(3, 4),
                                                 {}, {.iterations = 400});
  EXPECT_LT(distance(result.state.point, f.saddle()), 0.1);
}

TEST(ProxExtragradient, AsksForTheOracleOfEachIteration) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  std::vector<Index> asked;
  const auto oracle_at = [&](Index k) -> const GradientOracle& {
    asked.push_back(k);
    return f;
  };
  prox_extragradient({f, sets.policies, sets.ambiguity}, start_at(3, 0),
                     {.step = 0.1, .oracle_at = oracle_at}, {.iterations = 3});
  EXPECT_EQ(asked, (std::vector<Index>{0, 1, 2}));
}

TEST(ProxExtragradient, WrongOptionsAreRefused) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  const SaddleProblem problem{f, sets.policies, sets.ambiguity};
  const auto with = [&](const ProxExtragradientOptions& options) {
    return [&problem, options] { prox_extragradient(problem, start_at(3, 0), options, {}); };
  };
  expect_invalid(with({.step = 0}), "step");
  expect_invalid(with({.proximal_weight = -1}), "proximal weight");
  expect_invalid(with({.inner_steps = {.values = {}}}), "inner steps");
}

// Every solver, stopped after 4 iterations, written to text, read back and gone on with, gives the
// bits of 9 iterations in one go.
TEST(Resuming, GivesTheBitsOfAnUninterruptedRun) {
  toys::Noisy noisy;
  static_cast<toys::Quadratic&>(noisy) = toys::quadratic();
  const toys::Quadratic exact = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  for (const GradientOracle* oracle :
       {static_cast<const GradientOracle*>(&noisy), static_cast<const GradientOracle*>(&exact)}) {
    const SaddleProblem problem{*oracle, sets.policies, sets.ambiguity};
    const WorstCaseOracle worst = [&](const SaddlePoint& at, Rng& rng) {
      return NatureAnswer{.nature = sets.ambiguity.project(at.policy + normal_vector(3, rng))};
    };
    using Solver = std::function<SolverResult(SolverState, const StopRule&)>;
    const std::vector<Solver> solvers = {
        [&](SolverState s, const StopRule& stop) { return pgda(problem, s, {}, stop); },
        [&](SolverState s, const StopRule& stop) { return pgda_lp(problem, s, {}, stop); },
        [&](SolverState s, const StopRule& stop) {
          return pgda_worst_case(problem, worst, s, {}, stop);
        },
        [&](SolverState s, const StopRule& stop) {
          return prox_extragradient(problem, s, {}, stop);
        }};
    for (const Solver& solve : solvers) {
      const SolverResult whole = solve(start_at(3, 0.7), {.iterations = 9});
      const SolverResult first = solve(start_at(3, 0.7), {.iterations = 4});
      const SolverResult rest = solve(parse_state(to_text(first.state)), {.iterations = 9});
      EXPECT_EQ(to_text(rest.state), to_text(whole.state));
      EXPECT_EQ(rest.state.iteration, 9);
    }
  }
}

TEST(StateFile, WhatIsNoStateIsRefused) {
  const std::string text = to_text(start_at(2, 1));
  EXPECT_EQ(to_text(parse_state(text)), text);
  expect_invalid([] { parse_state("{"); }, "not JSON");
  expect_invalid([] { parse_state("{}"); }, "rng");
  expect_invalid([] { parse_state("[]"); }, "not a JSON object");
  std::string broken = text;
  broken.replace(broken.find("\"samples\":0"), 11, "\"samples\":1.5");
  expect_invalid([&] { parse_state(broken); }, "samples");
}

// At z = (1, -1) inside wide boxes the mapping is the gradient; in the corner of a box nothing is
// left of it.
TEST(Stationarity, MappingsAreGradientsInsideAndZeroWhereTheSetHoldsThePoint) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  const SaddleProblem problem{f, sets.policies, sets.ambiguity};
  const SaddlePoint z{Vector::Constant(3, 1.0), Vector::Constant(3, -1.0)};
  Rng rng(0);
  const SaddleGradient g = f.estimate(z, rng);
  const MappingNorms norms = gradient_mappings(problem, z, g, 0.01);
  EXPECT_NEAR(norms.policy, g.policy.norm(), 1e-12);
  EXPECT_NEAR(norms.nature, g.nature.norm(), 1e-12);
  EXPECT_NEAR(norms.squared(), g.policy.squaredNorm() + g.nature.squaredNorm(), 1e-10);
  const Box corner = uniform_box(3, {-1, 1});
  SaddleGradient outward = g;
  outward.policy = Vector::Constant(3, -1.0);
  outward.nature = Vector::Constant(3, -1.0);
  const MappingNorms held = gradient_mappings({f, corner, corner}, z, outward, 0.01);
  EXPECT_EQ(held.policy, 0);
  EXPECT_EQ(held.nature, 0);
}

// In the box [-10, 10]: max over z' of <g, theta - theta'> = <g, theta> + 10 |g|_1, and likewise.
TEST(Stationarity, TheVariationalInequalityGapIsTheLargestImprovement) {
  const toys::Quadratic f = toys::quadratic();
  const toys::Sets sets = toys::wide_sets(3);
  const SaddleProblem problem{f, sets.policies, sets.ambiguity};
  Rng rng(3);
  const SaddlePoint z{normal_vector(3, rng), normal_vector(3, rng)};
  const SaddleGradient g = f.estimate(z, rng);
  EXPECT_NEAR(vi_gap(problem, z, g),
              g.policy.dot(z.policy) + 10 * g.policy.lpNorm<1>() - g.nature.dot(z.nature) +
                  10 * g.nature.lpNorm<1>(),
              1e-10);
  const SaddlePoint saddle = f.saddle();
  EXPECT_NEAR(vi_gap(problem, saddle, f.estimate(saddle, rng)), 0, 1e-12);
}

TEST(Stationarity, TheProximalPullHasTheSignsOfTheSubproblem) {
  const SaddlePoint z{Vector::Constant(1, 3.0), Vector::Constant(1, 5.0)};
  const SaddlePoint anchor{Vector::Constant(1, 1.0), Vector::Constant(1, 1.0)};
  const SaddleGradient g{.value = 0, .policy = Vector::Zero(1), .nature = Vector::Zero(1)};
  const SaddleGradient pulled = proximal_gradient(z, g, {.anchor = anchor, .weight = 0.5});
  EXPECT_EQ(pulled.policy(0), 1);   // down, towards the anchor
  EXPECT_EQ(pulled.nature(0), -2);  // up is -2: towards the anchor too
}

}  // namespace
}  // namespace rgu
