// The tables [gradient], [solver], [stopping] and [output] of a problem file, as plain data.
#pragma once

#include <optional>
#include <variant>

#include "rgu/gradient/policy_gradient_scale.hpp"
#include "rgu/solver/occupancy_pgda.hpp"
#include "rgu/solver/schedule.hpp"

namespace rgu {

enum class GradientKind { kExact, kSampled };

// The four schedules matter to sampled gradients only. Empty: as the one without `policy_`.
struct GradientConfig {
  GradientKind kind = GradientKind::kExact;
  PolicyGradientScale policy_gradient = PolicyGradientScale::kDerivative;
  Schedule trajectories = {.values = {256}};
  Schedule horizon = {.values = {50}};
  std::optional<Schedule> policy_trajectories = {};
  std::optional<Schedule> policy_horizon = {};
};

// Steps and counts as configured, or by the theorem of the method (theory_schedule.hpp).
enum class StepSchedule { kFixed, kTheory };

// The method with the strongest guarantee that the problem admits (method_choice.hpp).
struct AutoConfig {};

// The envelope solver: the least worst case of all policies, proven.
struct EnvelopeConfig {
  double tolerance = 1e-6;                        // the gap to prove, relative to the worst case
  std::optional<double> absolute_tolerance = {};  // or this; empty: see GapTolerance
};

// Step sizes and weights: empty means "auto".
struct OccupancyConfig {
  std::optional<double> policy_step = {};
  std::optional<double> nature_step = {};
  NatureOrder order = NatureOrder::kNew;
  StepSchedule schedule = StepSchedule::kFixed;
};

struct WorstCaseConfig {
  std::optional<double> policy_step = {};
  StepSchedule schedule = StepSchedule::kFixed;
};

struct PgdaConfig {
  std::optional<double> policy_step = {};
  std::optional<double> nature_step = {};
  Index inner_steps = 10;
  StepSchedule schedule = StepSchedule::kFixed;
};

struct PgdaLpConfig {
  std::optional<double> policy_step = {};
  StepSchedule schedule = StepSchedule::kFixed;
};

struct ProxExtragradientConfig {
  std::optional<double> step = {};
  Schedule inner_steps = {.values = {6}};
  std::optional<double> proximal_weight = {};
  StepSchedule schedule = StepSchedule::kFixed;
};

struct SolverConfig {
  std::variant<AutoConfig, EnvelopeConfig, OccupancyConfig, WorstCaseConfig, PgdaConfig,
               PgdaLpConfig, ProxExtragradientConfig>
      method;
};

// The run ends at the first limit that is reached.
struct StoppingConfig {
  std::optional<Index> iterations = {};  // empty: see iteration_limit (method.hpp)
  std::optional<Index> samples = {};
  std::optional<double> seconds = {};
  std::optional<double> residual = {};
};

struct OutputConfig {
  Index metrics_every = 1;
  double checkpoint_seconds = 2;
  bool tensorboard = false;
  bool baseline = true;    // also train the policy that ignores the ambiguity
  bool published = false;  // also run the published method with its published settings
};

}  // namespace rgu
