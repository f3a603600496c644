#include <fmt/format.h>

#include "rgu/experiment/config_describe.hpp"
#include "rgu/experiment/describe_kinds.hpp"

namespace rgu {
namespace {

constexpr Range kSteps = at_least(1);

constexpr std::array<Kind, 2> kGradients = {{{"exact"}, {"sampled"}}};
constexpr std::array<Kind, 2> kScales = {{{"derivative"}, {"paper"}}};
constexpr std::array<Kind, 2> kSchedules = {
    {{"fixed", "as configured"}, {"theory", "by the theorem of the method"}}};
constexpr std::array<Kind, 2> kOrders = {{{"new", "the xi just found, as in the algorithm"},
                                          {"old", "the xi before it, as in the proof"}}};
constexpr std::array<Kind, 7> kMethods = {{
    {"auto", "the one with the strongest guarantee that the problem admits"},
    {"envelope", "the least worst case of all policies, proven"},
    {"occupancy", "projected gradient descent-ascent over occupancies, averaged"},
    {"worst-case", "descent on the worst case itself"},
    {"pgda", "projected gradient descent-ascent"},
    {"pgda-lp", "descent with one linearised worst case a step"},
    {"prox-extragradient", "extragradient steps around a proximal anchor"},
}};

void describe_step(FieldVisitor& visit, std::string_view name, std::string_view help,
                   std::optional<double>& step) {
  visit.value({name, help, kPositive, Presence::kAutomatic}, &step);
}

// `explicit_key`: a step that is given, or empty.
void describe_schedule(FieldVisitor& visit, StepSchedule& schedule, std::string_view explicit_key) {
  describe_enum(visit, {"schedule", "where steps and counts come from"}, schedule, kSchedules);
  visit.rule(
      schedule == StepSchedule::kFixed || explicit_key.empty(), "schedule",
      fmt::format("schedule = \"theory\" chooses {}; leave one of the two out", explicit_key));
}

std::string_view given(std::string_view name, const std::optional<double>& step) {
  return step ? name : std::string_view();
}

void describe_one(FieldVisitor&, AutoConfig&) {}

void describe_one(FieldVisitor& visit, EnvelopeConfig& config) {
  visit.value({"tolerance", "gap to prove, relative to the worst case", kPositive},
              &config.tolerance);
  visit.value(
      {"absolute_tolerance",
       "or this gap, whichever is met first (default: 1e-4 tolerance times the largest cost)",
       kPositive},
      &config.absolute_tolerance);
}

void describe_one(FieldVisitor& visit, OccupancyConfig& config) {
  describe_step(visit, "policy_step", "step size of the occupancy", config.policy_step);
  describe_step(visit, "nature_step", "step size of nature", config.nature_step);
  describe_enum(visit, {"order", "which xi the step of the occupancy sees"}, config.order, kOrders);
  describe_schedule(visit, config.schedule,
                    config.policy_step ? "policy_step" : given("nature_step", config.nature_step));
}

void describe_one(FieldVisitor& visit, WorstCaseConfig& config) {
  describe_step(visit, "policy_step", "step size of the policy", config.policy_step);
  describe_schedule(visit, config.schedule, given("policy_step", config.policy_step));
}

void describe_one(FieldVisitor& visit, PgdaConfig& config) {
  describe_step(visit, "policy_step", "step size of the policy", config.policy_step);
  describe_step(visit, "nature_step", "step size of nature", config.nature_step);
  visit.value({"inner_steps", "steps of nature for each of the policy", kNonnegative},
              &config.inner_steps);
  describe_schedule(visit, config.schedule,
                    config.policy_step ? "policy_step" : given("nature_step", config.nature_step));
}

void describe_one(FieldVisitor& visit, PgdaLpConfig& config) {
  describe_step(visit, "policy_step", "step size of the policy", config.policy_step);
  describe_schedule(visit, config.schedule, given("policy_step", config.policy_step));
}

void describe_one(FieldVisitor& visit, ProxExtragradientConfig& config) {
  describe_step(visit, "step", "step size of both players", config.step);
  visit.value({"inner_steps", "extragradient steps around each anchor", kSteps},
              &config.inner_steps);
  visit.value({"proximal_weight", "pull towards the anchor", kNonnegative, Presence::kAutomatic},
              &config.proximal_weight);
  const bool counted = config.inner_steps.growing ||
                       config.inner_steps.values != ProxExtragradientConfig().inner_steps.values;
  describe_schedule(visit, config.schedule,
                    config.step ? "step"
                    : counted   ? "inner_steps"
                                : given("proximal_weight", config.proximal_weight));
}

// A table that may be left out: then its defaults hold.
template <class Table>
void describe_table(FieldVisitor& visit, const Key& key, Table& table) {
  visit.table(key, true, [&](FieldVisitor& inner, std::size_t) { describe(inner, table); });
}

}  // namespace

void describe(FieldVisitor& visit, GradientConfig& config) {
  describe_enum(visit, {"kind", "by solving the model, or from trajectories"}, config.kind,
                kGradients);
  describe_enum(visit,
                {"policy_gradient", "the derivative, or the paper's 1/(1-discount) times it"},
                config.policy_gradient, kScales);
  visit.value({"trajectories", "sampled: trajectories of a batch", kSteps}, &config.trajectories);
  visit.value({"horizon", "sampled: steps of each", kSteps}, &config.horizon);
  visit.value({"policy_trajectories", "sampled: of the batch for the policy's gradient", kSteps},
              &config.policy_trajectories);
  visit.value({"policy_horizon", "sampled: of the batch for the policy's gradient", kSteps},
              &config.policy_horizon);
}

void describe(FieldVisitor& visit, SolverConfig& config) {
  describe_kinds(visit, {"method", "the algorithm"}, config.method, kMethods,
                 [](auto& inner, auto& one) { describe_one(inner, one); });
}

void describe(FieldVisitor& visit, StoppingConfig& config) {
  visit.value(
      {"iterations", "outer iterations at most (default: 300, for envelope none)", kNonnegative},
      &config.iterations);
  visit.value({"samples", "sampled transitions at most", kSteps}, &config.samples);
  visit.value({"seconds", "wall time at most", kPositive}, &config.seconds);
  visit.value({"residual", "stop where the optimality residual is below", kPositive},
              &config.residual);
}

void describe(FieldVisitor& visit, OutputConfig& config) {
  visit.value({"metrics_every", "iterations between two rows of metrics", kSteps},
              &config.metrics_every);
  visit.value({"checkpoint_seconds", "seconds between two checkpoints", kNonnegative},
              &config.checkpoint_seconds);
  visit.value({"tensorboard", "write event files for TensorBoard too"}, &config.tensorboard);
  visit.value({"baseline", "also train the policy that ignores the ambiguity, to compare with"},
              &config.baseline);
  visit.value({"published", "also run the published method as published, to compare with"},
              &config.published);
}

void describe(FieldVisitor& visit, ProblemConfig& config) {
  visit.value({"name", "short name of the problem"}, &config.name);
  visit.value({"description", "one line about the problem"}, &config.description);
  visit.value({"seeds", "number of seeds 0, 1, .., or the list of them", kNonnegative},
              &config.seeds);
  describe_table(visit, {.name = "model", .presence = Presence::kRequired}, config.model);
  describe_table(visit, {.name = "policy"}, config.policy);
  describe_table(visit, {.name = "utility", .presence = Presence::kRequired}, config.utility);
  describe_table(visit, {.name = "ambiguity"}, config.ambiguity);
  describe_table(visit, {.name = "gradient"}, config.gradient);
  describe_table(visit, {.name = "solver"}, config.solver);
  describe_table(visit, {.name = "stopping"}, config.stopping);
  describe_table(visit, {.name = "output"}, config.output);
}

}  // namespace rgu
