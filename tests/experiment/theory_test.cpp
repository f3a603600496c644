// Theory as numbers: of instances, along runs, and as the schedule of a solver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <numbers>

#include "laws/throws.hpp"
#include "rgu/experiment/local_constants.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/experiment/seed_run.hpp"
#include "rgu/experiment/theory_numbers.hpp"
#include "rgu/experiment/theory_report.hpp"
#include "rgu/experiment/theory_schedule.hpp"
#include "rgu/gradient/exact_oracle.hpp"
#include "rgu/mdp/softmax.hpp"
#include "rgu/robustness/members.hpp"
#include "rgu/solver/stationarity.hpp"
#include "rgu/theory/proximal.hpp"

namespace rgu {
namespace {

using std::numbers::sqrt2;

ProblemConfig config_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  return read_config({"p.toml", text, {}}, sets);
}

// 6 states, 4 actions; the reward is 1 for each action in the goal: |r| = 2.
const std::string kGrid = R"(
[model]
generator = 'grid'
map = """
S.a
H.G
"""
discount = 0.5
[utility]
type = 'reward-robust'
regularization = 0.2
[ambiguity]
set = 'lp-ball'
radius = 0.5
)";

// Small constants: S = A = 2, discount 0.3, mu = 1.
const std::string kSmall = R"(
[model]
generator = 'garnet'
states = 2
actions = 2
branching = 2
discount = 0.3
[policy]
bound = 1
start = 'normal'
[utility]
type = 'reward-robust'
regularization = 1
[ambiguity]
set = 'lp-ball'
radius = 0.5
)";

// |xi| <= 2 + 0.5, so l_lambda = 2.5; l_xi = 1 + 0.2 (2.5 + 2) = 1.9; L_xi = mu = 0.2.
TEST(ProblemNumbers, OfARewardOnAGrid) {
  const Instance instance = make_instance(config_of(kGrid), 0);
  const ProblemNumbers n = problem_numbers(instance, ConstantScale::kDerivative);
  EXPECT_EQ(n.discount, 0.5);
  EXPECT_EQ(n.states, 6);
  EXPECT_EQ(n.actions, 4);
  EXPECT_NEAR(n.policy_lipschitz, sqrt2, 1e-15);
  EXPECT_EQ(n.policy_smoothness, 0.5);
  EXPECT_NEAR(n.occupancy_gradient, 2.5, 1e-12);
  EXPECT_EQ(n.occupancy_lipschitz, 0);
  EXPECT_NEAR(n.nature_gradient, 1.9, 1e-12);
  EXPECT_NEAR(n.nature_lipschitz, 0.2, 1e-15);
  EXPECT_EQ(n.cross_lipschitz, 1);
  EXPECT_NEAR(n.policy_diameter, 20 * std::sqrt(24.0), 1e-12);
  EXPECT_NEAR(n.nature_diameter, 1, 1e-15);
  EXPECT_TRUE(n.convex_in_occupancy);
  EXPECT_TRUE(n.concave_in_nature);
  EXPECT_EQ(n.strong_concavity, 0.2);
  // l_theta = (1-g) sqrt 2 * 2.5/(1-g)^2, twice that in the paper's scale.
  EXPECT_NEAR(saddle_constants(n).policy_gradient, 5 * sqrt2, 1e-12);
  const ProblemNumbers paper = problem_numbers(instance, ConstantScale::kPaper);
  EXPECT_NEAR(saddle_constants(paper).policy_gradient, 10 * sqrt2, 1e-12);
  // The occupancies are at most sqrt 2 apart, which is less than l_theta D_Theta allows.
  EXPECT_NEAR(largest_excess(n), 2.5 * sqrt2, 1e-12);
  EXPECT_NEAR(largest_excess(paper), 5 * sqrt2, 1e-12);
}

TEST(ProblemNumbers, KnowLpBalls) {
  const auto ball = lp_ball_numbers(*make_instance(config_of(kGrid), 0).ambiguity);
  ASSERT_TRUE(ball);
  EXPECT_EQ(ball->p, 2);
  EXPECT_EQ(ball->radius, 0.5);
  EXPECT_EQ(ball->dimension, 24);
  const ProblemConfig point = config_of(kGrid, {"ambiguity={set='singleton'}"});
  EXPECT_EQ(lp_ball_numbers(*make_instance(point, 0).ambiguity)->radius, 0);
  const ProblemConfig box = config_of(kGrid, {"ambiguity={set='box', lower=0, upper=1}"});
  EXPECT_FALSE(lp_ball_numbers(*make_instance(box, 0).ambiguity));
}

// Two states: features 0 and 1; 2 and 5. The widest pair is 3 apart.
TEST(PolicyConstants, OfFeaturesAreTheirSpread) {
  Matrix features(4, 1);
  features << 0, 1, 2, 5;
  const PolicyConstants constants = policy_constants(LogLinearSoftmax(features, 2));
  EXPECT_EQ(constants.lipschitz, 3);
  EXPECT_EQ(constants.smoothness, 2.25);
}

TEST(PolicyConstants, OfTheTableAreThoseOfUnitFeatures) {
  const PolicyConstants table = policy_constants(TabularSoftmax({3, 4}));
  const PolicyConstants units = policy_constants(LogLinearSoftmax(Matrix::Identity(12, 12), 4));
  EXPECT_NEAR(table.lipschitz, units.lipschitz, 1e-15);
  EXPECT_NEAR(table.smoothness, units.smoothness, 1e-15);
}

// grad log pi(a|s), from `score` with all the weight on (s, a).
Vector score_of(const PolicyClass& policy, const Vector& theta, Index state, Index action) {
  const Matrix pi = policy.probabilities(theta);
  Matrix weight = Matrix::Zero(pi.rows(), pi.cols());
  weight(state, action) = 1;
  return policy.score(theta, pi, weight);
}

TEST(PolicyConstants, BoundScoresAndTheirChange) {
  Rng rng(5);
  Matrix features(12, 3);
  for (double& x : features.reshaped()) x = rng.normal();
  const LogLinearSoftmax policy(features, 4);
  const PolicyConstants constants = policy_constants(policy);
  double largest = 0;
  double steepest = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector theta = 3 * normal_vector(3, rng);
    const Vector near = theta + 1e-3 * normal_vector(3, rng);
    const Index s = static_cast<Index>(rng.below(3));
    const Index a = static_cast<Index>(rng.below(4));
    const Vector score = score_of(policy, theta, s, a);
    largest = std::max(largest, score.norm());
    steepest =
        std::max(steepest, (score_of(policy, near, s, a) - score).norm() / (near - theta).norm());
  }
  EXPECT_LE(largest, constants.lipschitz);
  EXPECT_GE(largest, 0.9 * constants.lipschitz);
  EXPECT_LE(steepest, constants.smoothness);
  EXPECT_GE(steepest, 0.5 * constants.smoothness);
}

// The Jacobian of F = (grad_theta, -grad_xi) by columns.
Matrix dense_jacobian(const Instance& instance, const SaddlePoint& at, PolicyGradientScale scale) {
  const ExactOracle oracle(instance.world.mdp, *instance.policy, *instance.utility, scale);
  const Index n = at.policy.size();
  const Index m = at.nature.size();
  const auto field = [&](const Vector& z) {
    const SaddleGradient g = oracle.gradient({.policy = z.head(n), .nature = z.tail(m)});
    Vector out(n + m);
    out << g.policy, -g.nature;
    return out;
  };
  Vector z(n + m);
  z << at.policy, at.nature;
  Matrix jacobian(n + m, n + m);
  for (Index i = 0; i < n + m; ++i) {
    const Vector offset = 1e-5 * Vector::Unit(n + m, i);
    jacobian.col(i) = (field(z + offset) - field(z - offset)) / 2e-5;
  }
  return jacobian;
}

double spectral(const Matrix& matrix) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues()(0);
}

SaddlePoint random_point(const Instance& instance, Rng& rng) {
  return {.policy = instance.parameters->project(normal_vector(instance.start.size(), rng)),
          .nature = random_member(*instance.ambiguity, rng)};
}

// Smooth problems of several kinds, with few parameters.
std::vector<ProblemConfig> smooth_problems() {
  return {config_of(kSmall),
          config_of(kSmall, {"policy.class=log-linear", "policy.features=3"}),
          config_of(kSmall, {"model.states=4", "model.discount=0.9"}),
          config_of(kSmall, {"utility={type='drift', features='normal', dimension=2, "
                             "feature_dimension=3, smoothing=5}",
                             "ambiguity={set='frobenius', radius=0.3}"}),
          config_of(kGrid, {"utility={type='constrained', signal='goal', regularization=0.1, "
                            "constraints=[{signal='hazard', at_most=0.01}]}",
                            "ambiguity={set='box', lower=0, upper=2}"}),
          config_of(kGrid, {"utility={type='entropy', delta=0.1}", "ambiguity={set='singleton'}"})};
}

TEST(LocalConstants, AreTheSingularValuesOfTheJacobian) {
  Rng rng(8);
  for (const ProblemConfig& config : smooth_problems()) {
    const Instance instance = make_instance(config, 1);
    const SaddlePoint at = random_point(instance, rng);
    const Index n = at.policy.size();
    const Index m = at.nature.size();
    for (const auto scale : {PolicyGradientScale::kDerivative, PolicyGradientScale::kPaper}) {
      const Matrix jacobian = dense_jacobian(instance, at, scale);
      const LocalConstants local = local_constants(instance, at, constant_scale(scale), 3);
      const auto expect_norm = [](double value, const Matrix& matrix) {
        const double norm = matrix.size() == 0 ? 0 : spectral(matrix);
        EXPECT_NEAR(value, norm, 1e-3 * norm + 1e-8);
      };
      expect_norm(local.field, jacobian);
      expect_norm(local.policy_policy, jacobian.topLeftCorner(n, n));
      expect_norm(local.policy_nature, jacobian.topRightCorner(n, m));
      expect_norm(local.nature_policy, jacobian.bottomLeftCorner(m, n));
      expect_norm(local.nature_nature, jacobian.bottomRightCorner(m, m));
    }
  }
}

TEST(LocalConstants, AreBelowThoseOfTheTheory) {
  Rng rng(9);
  for (const ProblemConfig& config : smooth_problems()) {
    const Instance instance = make_instance(config, 2);
    for (const auto scale : {ConstantScale::kDerivative, ConstantScale::kPaper}) {
      const SaddleConstants theory = saddle_constants(problem_numbers(instance, scale));
      ASSERT_TRUE(std::isfinite(theory.field));
      for (int i = 0; i < 5; ++i) {
        const LocalConstants local = local_constants(instance, random_point(instance, rng), scale);
        const auto expect_below = [](double value, double bound) {
          EXPECT_LE(value, bound * (1 + 1e-6) + 1e-8);
        };
        expect_below(local.field, theory.field);
        expect_below(local.policy_policy, theory.policy_policy);
        expect_below(local.policy_nature, theory.policy_nature);
        expect_below(local.nature_policy, theory.nature_policy);
        expect_below(local.nature_nature, theory.nature_nature);
        EXPECT_GT(local.field, 0);
      }
    }
  }
}

TEST(LocalConstants, RepeatForTheSameSeed) {
  const Instance instance = make_instance(config_of(kSmall), 1);
  const SaddlePoint at{.policy = instance.start, .nature = instance.nominal};
  EXPECT_EQ(local_constants(instance, at, ConstantScale::kPaper, 4).field,
            local_constants(instance, at, ConstantScale::kPaper, 4).field);
  expect_invalid(
      [&] {
        local_constants(instance, {.policy = {}, .nature = at.nature}, ConstantScale::kPaper);
      },
      "theta");
}

ProblemConfig small_with(const std::string& method, std::vector<std::string> sets = {}) {
  sets.push_back("solver={method='" + method + "', schedule='theory'}");
  return config_of(kSmall, sets);
}

TEST(TheorySchedule, IsResolvedToTheStepsOfTheTheorem) {
  const ProblemConfig config = small_with("pgda");
  const Instance instance = make_instance(config, 0);
  const ProblemNumbers numbers = problem_numbers(instance, ConstantScale::kDerivative);
  const SaddleConstants constants = saddle_constants(numbers);
  const ProblemConfig of_pgda = resolved(config, instance);
  const auto& pgda = std::get<PgdaConfig>(of_pgda.solver.method);
  EXPECT_DOUBLE_EQ(*pgda.policy_step, 1 / constants.envelope);
  EXPECT_DOUBLE_EQ(*pgda.nature_step, 1);
  EXPECT_EQ(pgda.inner_steps, 10);
  const ProblemConfig of_lp = resolved(small_with("pgda-lp"), instance);
  EXPECT_DOUBLE_EQ(*std::get<PgdaLpConfig>(of_lp.solver.method).policy_step,
                   1 / constants.envelope);
  const ProblemConfig of_worst = resolved(small_with("worst-case"), instance);
  EXPECT_DOUBLE_EQ(*std::get<WorstCaseConfig>(of_worst.solver.method).policy_step,
                   1 / constants.envelope);
  const ProblemConfig of_prox = resolved(small_with("prox-extragradient"), instance);
  const auto& prox = std::get<ProxExtragradientConfig>(of_prox.solver.method);
  EXPECT_DOUBLE_EQ(*prox.proximal_weight, 2 * constants.field);
  EXPECT_DOUBLE_EQ(*prox.step, 1 / (12 * constants.field));
  // 2/(alpha mu) = 24: T_k = ceil(24 (2 log(k + 1) + log(D^2))), D^2 = 4^2 + 1.
  EXPECT_EQ(prox.inner_steps.at(0), static_cast<Index>(std::ceil(24 * std::log(17.0))));
  EXPECT_EQ(prox.inner_steps.at(9),
            static_cast<Index>(std::ceil(24 * (2 * std::log(10.0) + std::log(17.0)))));
}

TEST(TheorySchedule, FollowsTheScaleOfThePolicyGradient) {
  const ProblemConfig config = small_with("worst-case", {"gradient.policy_gradient=paper"});
  const Instance instance = make_instance(config, 0);
  const double field = saddle_constants(problem_numbers(instance, ConstantScale::kPaper)).envelope;
  const ProblemConfig out = resolved(config, instance);
  EXPECT_DOUBLE_EQ(*std::get<WorstCaseConfig>(out.solver.method).policy_step, 1 / field);
}

TEST(TheorySchedule, OfSampledGradientsSetsTheirCounts) {
  const ProblemConfig config = small_with("prox-extragradient", {"gradient.kind=sampled"});
  const Instance instance = make_instance(config, 0);
  const ProblemNumbers numbers = problem_numbers(instance, ConstantScale::kDerivative);
  const ProximalSchedule schedule =
      proximal_schedule(numbers, *admissible_proximal_settings(numbers));
  const GradientConfig gradient = resolved(config, instance).gradient;
  for (const Index k : {0, 1, 7, 50}) {
    const auto at = static_cast<double>(k);
    EXPECT_EQ(static_cast<double>(gradient.trajectories.at(k)),
              count_at(schedule.trajectories, at));
    EXPECT_EQ(static_cast<double>(gradient.horizon.at(k)), count_at(schedule.horizon, at));
    EXPECT_EQ(static_cast<double>(gradient.policy_trajectories->at(k)),
              count_at(schedule.policy_trajectories, at));
    EXPECT_EQ(static_cast<double>(gradient.policy_horizon->at(k)),
              count_at(schedule.policy_horizon, at));
  }
}

TEST(TheorySchedule, IsSaidInTheTextOfTheMethodAndFixedIsTheDefault) {
  EXPECT_THAT(method_text(small_with("pgda-lp")),
              testing::HasSubstr("steps and schedule by the theorem"));
  EXPECT_FALSE(follows_theory(config_of(kSmall).solver));
  const ProblemConfig config = small_with("prox-extragradient");
  EXPECT_TRUE(follows_theory(config.solver));
  EXPECT_TRUE(config_of(to_toml(config)) == config);
  const ProblemConfig plain = config_of(kSmall, {"solver.method=pgda"});
  EXPECT_TRUE(resolved(plain, make_instance(plain, 0)) == plain);
}

TEST(TheorySchedule, RefusesStepsBesideIt) {
  const auto refused = [](const std::string& solver, const std::string& key) {
    expect_invalid([&] { config_of(kSmall, {"solver=" + solver}); },
                   "schedule = \"theory\" chooses " + key);
  };
  refused("{method='worst-case', schedule='theory', policy_step=0.1}", "policy_step");
  refused("{method='pgda', schedule='theory', nature_step=0.1}", "nature_step");
  refused("{method='pgda-lp', schedule='theory', policy_step=0.1}", "policy_step");
  refused("{method='prox-extragradient', schedule='theory', step=0.1}", "step");
  refused("{method='prox-extragradient', schedule='theory', inner_steps=5}", "inner_steps");
  refused("{method='prox-extragradient', schedule='theory', proximal_weight=1}", "proximal_weight");
  const ProblemConfig counted =
      small_with("prox-extragradient", {"gradient={kind='sampled', trajectories=100}"});
  expect_invalid([&] { resolved(counted, make_instance(counted, 0)); }, "gradient.trajectories");
}

TEST(TheorySchedule, RefusesWhatTheTheoremCannotGive) {
  const auto refused = [](const ProblemConfig& config, const std::string& part) {
    const Instance instance = make_instance(config, 0);
    expect_invalid([&] { resolved(config, instance); }, part);
  };
  refused(small_with("pgda", {"utility.regularization=0"}), "not strongly: mu = 0");
  refused(small_with("prox-extragradient", {"utility={type='drift', features='normal', "
                                            "dimension=2, feature_dimension=3}",
                                            "ambiguity={set='frobenius', radius=0.3}"}),
          "L_lambda is infinite");
  refused(small_with("prox-extragradient", {"gradient.kind=sampled", "stopping.iterations=1000000",
                                            "model.discount=0.9"}),
          "asks for m'_k = ");
}

TEST(TheorySchedule, OfOccupanciesNeedsNoStepOfANatureThatCannotMove) {
  const ProblemConfig config = small_with(
      "occupancy",
      {"utility={type='reward'}", "ambiguity={set='singleton'}", "stopping.iterations=100"});
  const Instance instance = make_instance(config, 0);
  const ProblemConfig out = resolved(config, instance);
  const ProblemNumbers numbers = problem_numbers(instance, ConstantScale::kDerivative);
  EXPECT_DOUBLE_EQ(*std::get<OccupancyConfig>(out.solver.method).policy_step,
                   sqrt2 / (10 * numbers.occupancy_gradient));
  EXPECT_EQ(*std::get<OccupancyConfig>(out.solver.method).nature_step, 1);
}

// Without nature the theorem asks nothing of concavity.
TEST(TheorySchedule, NeedsNoStrongConcavityWhereNatureIsOnePoint) {
  const ProblemConfig config =
      small_with("pgda", {"utility.regularization=0", "ambiguity={set='singleton'}"});
  const Instance instance = make_instance(config, 0);
  const ProblemConfig out = resolved(config, instance);
  const auto& pgda = std::get<PgdaConfig>(out.solver.method);
  const SaddleConstants constants =
      saddle_constants(problem_numbers(instance, ConstantScale::kDerivative));
  EXPECT_DOUBLE_EQ(*pgda.policy_step, 1 / constants.policy_policy);
  EXPECT_EQ(*pgda.nature_step, 1);
}

// Means of the first 1, 10, 100, .. entries, each below the bound at that many iterations.
template <class Bound>
void expect_means_below(const std::vector<double>& values, const Bound& bound) {
  double sum = 0;
  double next = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    const double k = static_cast<double>(i + 1);
    if (k != next) continue;
    EXPECT_GT(sum, 0);
    EXPECT_LE(sum / k, bound(k)) << "at K = " << k;
    next *= 10;
  }
}

// R_GM after each iteration.
std::vector<double> residuals(const ProblemConfig& config, std::uint64_t seed) {
  ThreadPool pool(1);
  SeedRun run(config, seed, pool);
  std::vector<double> out;
  run.solve(run.start(), [&](const Iteration& iteration) {
    out.push_back(run.measure(iteration).residual);
    return Verdict{};
  });
  return out;
}

void expect_proximal_bound(const ProblemConfig& config, std::uint64_t seed) {
  const ProblemNumbers numbers =
      problem_numbers(make_instance(config, seed), ConstantScale::kDerivative);
  const ProximalSettings settings = *admissible_proximal_settings(numbers);
  const std::vector<double> measured = residuals(config, seed);
  ASSERT_EQ(std::ssize(measured), config.stopping.iterations);
  EXPECT_LT(measured.back(), measured.front());
  expect_means_below(measured, [&](double k) { return proximal_bound(numbers, settings, k); });
}

TEST(Theorem, OfTheProxExtragradientMethodHoldsWithExactGradients) {
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    expect_proximal_bound(small_with("prox-extragradient", {"stopping.iterations=100"}), seed);
  }
}

TEST(Theorem, OfTheProxExtragradientMethodHoldsWithSampledGradients) {
  expect_proximal_bound(
      small_with("prox-extragradient", {"stopping.iterations=10", "gradient.kind=sampled"}), 0);
}

// |G_Gamma(theta_k)|^2 and Gamma(theta_k) for k = 0, .., K-1.
struct EnvelopeTrace {
  std::vector<double> mappings;
  std::vector<double> values;
};

EnvelopeTrace envelope_trace(const ProblemConfig& config, std::uint64_t seed, double eta) {
  ThreadPool pool(1);
  SeedRun run(config, seed, pool);
  const Instance& instance = run.instance();
  const ExactOracle oracle(instance.world.mdp, *instance.policy, *instance.utility);
  const SaddleProblem problem{
      .oracle = oracle, .policies = *instance.parameters, .ambiguity = *instance.ambiguity};
  EnvelopeTrace out;
  run.solve(run.start(), [&](const Iteration& iteration) {
    const Vector& theta = iteration.before.policy;
    const PolicyFacts facts = policy_facts(instance, theta, {});
    const SaddlePoint worst{.policy = theta, .nature = facts.worst_case.nature};
    const double norm = gradient_mappings(problem, worst, oracle.gradient(worst), eta).policy;
    out.mappings.push_back(norm * norm);
    out.values.push_back(facts.worst_case.value);
    EXPECT_EQ(iteration.report.policy_step, eta);
    return Verdict{};
  });
  return out;
}

// With the least value seen in place of Gamma*, the bound is no larger than the theorem's.
void expect_descent_bound(const std::string& method, std::uint64_t seed) {
  const ProblemConfig config = small_with(method, {"stopping.iterations=10000"});
  const Instance instance = make_instance(config, seed);
  const ProblemNumbers numbers = problem_numbers(instance, ConstantScale::kDerivative);
  const double eta = largest_pgda_steps(numbers).policy;
  const EnvelopeTrace trace = envelope_trace(config, seed, eta);
  ASSERT_EQ(trace.values.size(), 10000U);
  const double excess =
      trace.values.front() - *std::min_element(trace.values.begin(), trace.values.end());
  EXPECT_GT(excess, 0);
  EXPECT_LE(excess, largest_excess(numbers));
  expect_means_below(trace.mappings, [&](double k) {
    const DescentRun run{.iterations = k, .policy_step = eta, .initial_excess = excess};
    return method == "pgda-lp" ? pgda_lp_bound(numbers, run, *lp_ball_numbers(*instance.ambiguity))
                               : pgda_bound(numbers, run, 0);
  });
}

// One inner step of 1/L_xi = 1/mu reaches the maximum of this quadratic: delta_k = 0.
TEST(Theorem, OfPgdaHolds) { expect_descent_bound("pgda", 0); }
TEST(Theorem, OfPgdaHoldsWithAWorstCaseOracle) { expect_descent_bound("worst-case", 1); }
TEST(Theorem, OfPgdaLpHolds) { expect_descent_bound("pgda-lp", 2); }

// What a run records of it, to be drawn: above the root mean square of what it measures.
TEST(Theorem, OfPgdaIsRecordedBesideWhatIsMeasured) {
  const ProblemConfig config = small_with("worst-case", {"stopping.iterations=1000"});
  ThreadPool pool(1);
  SeedRun run(config, 0, pool);
  double sum = 0;
  double first = 0, last = 0;
  run.solve(run.start(), [&](const Iteration& iteration) {
    const Metrics metrics = run.measure(iteration);
    sum += metrics.policy_mapping * metrics.policy_mapping;
    EXPECT_LE(std::sqrt(sum / static_cast<double>(metrics.iteration)),
              metrics.policy_mapping_bound);
    if (metrics.iteration == 1) first = metrics.policy_mapping_bound;
    last = metrics.policy_mapping_bound;
    return Verdict{};
  });
  EXPECT_NEAR(last, first / std::sqrt(1000), 1e-9 * first);
  EXPECT_LT(last, 100 * std::sqrt(sum / 1000));  // worth drawing
  SeedRun other(config_of(kSmall, {"solver={method='worst-case'}", "stopping.iterations=1"}), 0,
                pool);
  other.solve(other.start(), [&](const Iteration& iteration) {
    EXPECT_TRUE(std::isnan(other.measure(iteration).policy_mapping_bound));
    return Verdict{};
  });
}

const TheoryNumber& named(const std::vector<TheoryNumber>& numbers, const std::string& symbol) {
  for (const TheoryNumber& number : numbers) {
    if (number.symbol == symbol) return number;
  }
  throw InvalidInput("no number " + symbol);
}

TEST(TheoryReport, HoldsConstantsConditionsStepsAndBounds) {
  const ProblemConfig config = config_of(kSmall);
  const Instance instance = make_instance(config, 0);
  const TheoryReport report = theory_report(config, instance, {.iterations = 100});
  const SaddleConstants d = saddle_constants(problem_numbers(instance, ConstantScale::kDerivative));
  const SaddleConstants p = saddle_constants(problem_numbers(instance, ConstantScale::kPaper));
  EXPECT_EQ(named(report.constants, "L_F").derivative, d.field);
  EXPECT_EQ(named(report.constants, "L_F").paper, p.field);
  EXPECT_EQ(named(report.steps, "PGDA eta").paper, 1 / p.envelope);
  ASSERT_EQ(report.theorems.size(), 4U);
  EXPECT_EQ(report.theorems[0].state(), AssumptionState::kHolds);
  EXPECT_EQ(report.theorems[1].state(), AssumptionState::kHolds);
  EXPECT_EQ(report.theorems[2].state(), AssumptionState::kUnknown);
  EXPECT_EQ(report.theorems[3].state(), AssumptionState::kHolds);
  for (const auto* numbers : {&report.constants, &report.steps, &report.bounds}) {
    for (const TheoryNumber& number : *numbers) {
      EXPECT_TRUE(std::isfinite(number.derivative)) << number.symbol;
      EXPECT_TRUE(number.reason.empty()) << number.symbol;
    }
  }
  ASSERT_TRUE(report.plan);
  EXPECT_EQ(report.plan->rows.back().iteration, report.plan->plan.iterations - 1);
}

// The theorems ask for convexity, but only the proof of occupancy PGDA uses it.
TEST(TheoryReport, BlamesAMissingConvexityOnlyWhereTheProofUsesIt) {
  const ProblemConfig config =
      config_of(kGrid, {"utility={type='variance', signals=['goal'], weights=[1.0], aversion=1}",
                        "ambiguity={set='singleton'}"});
  const TheoryReport report = theory_report(config, make_instance(config, 0), {.iterations = 10});
  EXPECT_TRUE(std::isfinite(named(report.bounds, "PGDA").derivative));
  EXPECT_EQ(named(report.bounds, "occupancy PGDA").reason, "not convex in the occupancy");
  EXPECT_EQ(report.theorems[0].state(), AssumptionState::kFails);
}

TEST(TheoryReport, GivesAReasonForEveryNumberThatThereIsNot) {
  const ProblemConfig config = config_of(
      kSmall, {"utility={type='drift', features='normal', dimension=2, feature_dimension=3}",
               "ambiguity={set='frobenius', radius=0.3}",
               "solver={method='prox-extragradient', step=0.03, proximal_weight=1.5}"});
  const TheoryReport report = theory_report(config, make_instance(config, 0), {});
  EXPECT_FALSE(report.plan);
  EXPECT_THAT(report.no_plan, testing::HasSubstr("not smooth in the occupancy"));
  EXPECT_EQ(named(report.constants, "L_thth").reason, "through L_lambda");
  for (const auto* numbers : {&report.constants, &report.bounds}) {
    for (const TheoryNumber& number : *numbers) {
      EXPECT_EQ(std::isinf(number.derivative), !number.reason.empty()) << number.symbol;
    }
  }
  for (const TheoryNumber& step : report.steps) {
    EXPECT_EQ(step.derivative == 0, !step.reason.empty()) << step.symbol;
  }
  ASSERT_EQ(report.theorems[2].steps.size(), 2U);
  EXPECT_EQ(report.theorems[2].steps[0].state, AssumptionState::kFails);
  EXPECT_EQ(report.theorems[2].state(), AssumptionState::kFails);
}

}  // namespace
}  // namespace rgu
