#include "report/sample_runs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/hostile_text.hpp"

namespace rgu {
namespace {

// Fixed numbers in [-1, 1] without any pattern to the eye.
double irregular(double a, double b) {
  const double x = std::sin(12.9898 * a + 78.233 * b + 0.5) * 43758.5453;
  return 2 * (x - std::floor(x)) - 1;
}

Matrix softmax_rows(Index states, Index actions, double sharpness, double shift) {
  Matrix policy(states, actions);
  for (Index s = 0; s < states; ++s) {
    for (Index a = 0; a < actions; ++a) {
      policy(s, a) =
          std::exp(sharpness * irregular(static_cast<double>(s) + shift, static_cast<double>(a)));
    }
    policy.row(s) /= policy.row(s).sum();
  }
  return policy;
}

Matrix occupancy_of(const Matrix& policy, double shift) {
  Matrix occupancy = policy;
  for (Index s = 0; s < policy.rows(); ++s) {
    occupancy.row(s) *= 1.2 + irregular(static_cast<double>(s), 3.7 + shift);
  }
  return occupancy / occupancy.sum();
}

Metrics metrics_at(Index k, double seed) {
  const auto t = static_cast<double>(k);
  const double noise = irregular(t, seed);
  const double decay = std::exp(-t / (45 + 6 * seed));
  Metrics m;
  m.iteration = k;
  m.objective = -0.13 + 0.006 * irregular(seed, 1) + 0.12 * decay + 0.004 * noise * (0.2 + decay);
  m.envelope = m.objective + 0.015 + 0.05 * decay;
  m.envelope_kind = AnswerKind::kExact;
  m.envelope_gap = 0;
  m.nominal = m.objective - 0.02 - 0.03 * decay;
  m.policy_mapping = 0.4 * decay * (1.1 + noise) + 1e-4;
  m.nature_mapping = 0.2 * decay * decay * (1.2 + noise) + 3e-5;
  m.residual = m.policy_mapping * m.policy_mapping + m.nature_mapping * m.nature_mapping;
  m.prox_policy_mapping = 0.35 * decay * (1.2 + 0.6 * noise) + 2e-3;
  m.prox_nature_mapping = 0.9 * decay * (1.1 + 0.5 * irregular(t, seed + 9)) + 1e-3;
  m.policy_move = 0.03 * m.policy_mapping;
  m.nature_move = 0.03 * m.nature_mapping;
  m.nature_distance = 0.5 * (1 - decay);
  m.vi_gap = 0.8 * decay * decay + 1e-6;
  m.policy_step = 0.03;
  m.nature_step = 0.03;
  m.samples = 25600 * k;
  return m;
}

constexpr std::string_view kConfig = R"(# The experiment of the paper, at the radius that matters.
[problem]
name = "random"          # S states, A actions, rows drawn at random
states = 10
actions = 5
discount = 0.95

[ambiguity]
kind = "spectral ball"
radius = 0.5

[solver]
name = "proximal point"
sigma = 1.5
step = 0.03
inner = 6
iterations = 300
seeds = [0, 1, 2, 3, 4]
keep_history = true
)";

SeedRecord seed_of(int i, Index iterations) {
  SeedRecord seed;
  seed.seed = static_cast<std::uint64_t>(i);
  seed.status = fmt::format("reached {} iterations", iterations);
  for (Index k = 1; k <= iterations; ++k) {
    seed.metrics.push_back(metrics_at(k, i));
    seed.seconds.push_back(0.011 * static_cast<double>(k) * (1 + 0.05 * i));
  }
  seed.nominal = seed.metrics.back().nominal;
  seed.worst_case.value = seed.metrics.back().envelope;
  seed.worst_case.method = "closed form of the spectral ball";
  return seed;
}

void fill_nature(RunRecord& run, Index rows, Index columns) {
  run.nature_rows = rows;
  run.nature_columns = columns;
  const Index n = rows * columns;
  run.nature_centre = Vector::Zero(n);
  for (Index i = 0; i < n; ++i) {
    run.nature_centre(i) = i / columns == i % columns ? 1 : 0;
  }
  for (SeedRecord& seed : run.seeds) {
    seed.worst_case.nature = run.nature_centre;
    for (Index i = 0; i < n; ++i) {
      seed.worst_case.nature(i) +=
          0.3 * irregular(static_cast<double>(i), static_cast<double>(seed.seed));
    }
  }
}

void fill_policies(RunRecord& run) {
  for (SeedRecord& seed : run.seeds) {
    const auto shift = 0.1 * static_cast<double>(seed.seed);
    seed.policy = softmax_rows(run.states, run.actions, 1.6, shift);
    seed.occupancy = occupancy_of(seed.policy, shift);
  }
}

}  // namespace

RunRecord matrix_run() {
  RunRecord run;
  run.name = "Drift detection on a random model";
  run.description =
      "A policy that keeps every direction of the feature space visited, whatever the projection "
      "within the ambiguity set.";
  run.version = "rgu 0.1.0, g++ 12.2";
  run.config = kConfig;
  run.method = "proximal-point descent ascent with sampled gradients";
  run.utility = "drift, −λmin(W M(λ) Wᵀ) with W = ξ";
  run.ambiguity = "spectral ball of radius 0.5 around the partial identity, 4 × 6";
  run.states = 10;
  run.actions = 5;
  run.discount = 0.95;
  run.action_names = {"stay", "left", "right", "up", "down"};
  run.warnings = {
      "The smallest eigenvalue has no gradient where eigenvalues meet; the theorem on "
      "convergence does not cover such points."};
  run.notes = {
      "σ = 1.5 is below the Lipschitz constant L_F = 38.2 of the theorem, so its rate is not "
      "guaranteed here. Measured along the run, the local constant is 2.1.",
      "The bound on the number of iterations for accuracy 0.01 is 1.4×10⁹; the run reached it "
      "after 180."};
  for (int i = 0; i < 5; ++i) run.seeds.push_back(seed_of(i, 300));
  fill_policies(run);
  fill_nature(run, 4, 6);
  return run;
}

RunRecord grid_run() {
  RunRecord run = matrix_run();
  run.name = "Cliff walk with an uncertain reward";
  run.description =
      "Reach the goal without stepping on a hazard, when the rewards are only roughly known.";
  run.utility = "reward-robust, −⟨ξ, λ⟩";
  run.ambiguity = "Euclidean ball of radius 1.3 around the nominal reward";
  run.warnings.clear();
  run.actions = 4;
  run.action_names = {"north", "east", "south", "west"};
  GridRecord grid{.rows = 5, .columns = 7, .cell_of_state = {}, .marks = {}};
  grid.marks =
      "......."
      "..##..."
      "..#..H."
      "S...H.."
      "..H...G";
  for (int cell = 0; cell < 35; ++cell) {
    if (grid.marks[static_cast<std::size_t>(cell)] != '#') grid.cell_of_state.push_back(cell);
  }
  run.states = static_cast<Index>(grid.cell_of_state.size());
  run.grid = grid;
  for (SeedRecord& seed : run.seeds) {
    for (Metrics& m : seed.metrics) {
      m.prox_policy_mapping = m.prox_nature_mapping = Metrics::kNone;
      m.envelope_kind = AnswerKind::kCertified;
      m.envelope_gap = 1e-4 * std::exp(-static_cast<double>(m.iteration) / 80);
      m.violation = std::max(0.0, 0.3 - 0.002 * static_cast<double>(m.iteration));
      m.nature_residual = 0.2 / static_cast<double>(m.iteration);
      m.policy_step = 0.03 / std::sqrt(static_cast<double>(m.iteration));
    }
    seed.worst_case.kind = AnswerKind::kCertified;
    seed.worst_case.gap = 2.4e-6;
    seed.worst_case.method = "upper bound by the dual";
  }
  run.seeds[3].solved = false;
  run.seeds[3].status = "diverged: the objective is not finite";
  run.seeds[3].metrics.resize(120);
  run.seeds[3].seconds.resize(118);
  fill_policies(run);
  fill_nature(run, run.states, run.actions);
  return run;
}

RunRecord hostile_run() {
  RunRecord run = matrix_run();
  const std::string attack = hostile_text();
  run.name = "name " + attack;
  run.description = "description " + attack;
  run.version = "version " + attack;
  run.method = "method " + attack;
  run.utility = "utility " + attack;
  run.ambiguity = "ambiguity " + attack;
  run.config = "[section " + attack + "]\nkey = \"" + attack + "\" # " + attack + "\n" + attack;
  run.warnings = {"warning " + attack};
  run.notes = {"note " + attack};
  run.action_names[0] = attack;
  run.action_names[1] = "javascript:window.hacked=10";
  for (SeedRecord& seed : run.seeds) {
    seed.status = "status " + attack;
    seed.notes = {"seed note " + attack};
    seed.worst_case.method = "method " + attack;
  }
  return run;
}

RunRecord smallest_run() {
  RunRecord run;
  run.name = "One step";
  run.states = 2;
  run.actions = 2;
  run.nature_rows = 3;
  run.nature_columns = 1;
  run.seeds.push_back(seed_of(0, 1));
  SeedRecord& seed = run.seeds[0];
  seed.policy = Matrix::Constant(2, 2, 0.5);
  seed.occupancy = Matrix::Constant(2, 2, 0.25);
  seed.worst_case.kind = AnswerKind::kBestFound;
  seed.worst_case.nature = Vector::LinSpaced(3, -1, 1);
  run.nature_centre = Vector::Zero(3);
  return run;
}

RunRecord objective_run(const std::vector<std::vector<double>>& values) {
  RunRecord run;
  for (std::size_t s = 0; s < values.size(); ++s) {
    SeedRecord& seed = run.seeds.emplace_back();
    seed.seed = s;
    for (std::size_t i = 0; i < values[s].size(); ++i) {
      Metrics& m = seed.metrics.emplace_back();
      m.iteration = static_cast<Index>(i) + 1;
      m.objective = values[s][i];
    }
  }
  return run;
}

}  // namespace rgu
