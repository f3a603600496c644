#include <fmt/format.h>

#include "rgu/experiment/describe_kinds.hpp"

namespace rgu {
namespace {

// More does not fit the 32-bit indices of a model.
constexpr double kMostStates = 2147483647;
constexpr Range kCount = between(1, kMostStates);
constexpr Range kDenseCount = between(1, 1e6);
constexpr double kMostDenseEntries = 1 << 30;

constexpr std::array<Kind, 7> kGenerators = {{
    {"random", "every transition probability drawn, dense"},
    {"garnet", "a few random successors for each state and action"},
    {"grid", "a grid world drawn as text"},
    {"random-grid", "a grid world with random walls and hazards"},
    {"river-swim", "a chain with the large reward against the current"},
    {"inventory", "a shop that orders one product"},
    {"file", "a world in a file", "file"},
}};
constexpr std::array<Kind, 2> kGoals = {{{"absorbing"}, {"open"}}};
constexpr std::array<Kind, 3> kMissingActions = {{{"error"}, {"repeat-first"}, {"repeat-last"}}};
constexpr std::array<Kind, 2> kDeadStates = {{{"error"}, {"absorb"}}};
constexpr std::array<Kind, 2> kPolicyClasses = {{
    {"tabular", "one logit for each state and action"},
    {"log-linear", "logits linear in features"},
}};
constexpr std::array<Kind, 2> kParameterSets = {{{"box"}, {"ball"}}};
constexpr std::array<Kind, 2> kStarts = {{{"zero"}, {"normal"}}};

void describe_discount(FieldVisitor& visit, double& discount) {
  visit.value({"discount", "weight of the next step against this one", kUnitOpen}, &discount);
}

void describe_one(FieldVisitor& visit, RandomModelOptions& options) {
  visit.value({"states", "number of states", kDenseCount}, &options.states);
  visit.value({"actions", "number of actions", kDenseCount}, &options.actions);
  const auto states = static_cast<double>(options.states);
  visit.rule(states * states * static_cast<double>(options.actions) <= kMostDenseEntries, "states",
             fmt::format("states^2 * actions is above {}, too large for a dense model; use "
                         "generator = \"garnet\"",
                         kMostDenseEntries));
  describe_discount(visit, options.discount);
}

void describe_one(FieldVisitor& visit, GarnetOptions& options) {
  visit.value({"states", "number of states", kCount}, &options.states);
  visit.value({"actions", "number of actions", kCount}, &options.actions);
  visit.value({"branching", "successors of each state and action, at most `states`", kCount},
              &options.branching);
  describe_discount(visit, options.discount);
  visit.value({"row_streams", "draw each state by itself, so that slices are made alone"},
              &options.row_streams);
}

void describe_grid(FieldVisitor& visit, GridOptions& options) {
  visit.value({"slip", "probability of leaving the intended direction", between(0, 1)},
              &options.slip);
  describe_enum(visit, {"goals", "do goal cells hold whoever enters them?"}, options.goals, kGoals);
  describe_discount(visit, options.discount);
}

void describe_one(FieldVisitor& visit, GridConfig& grid) {
  visit.value({.name = "map",
               .help = "lines of # wall, . free, S start, G goal, H hazard, a-z marked free cells",
               .presence = Presence::kRequired},
              &grid.map);
  describe_grid(visit, grid.options);
}

void describe_one(FieldVisitor& visit, RandomGridConfig& grid) {
  constexpr Range kProbability = {.low = 0, .high = 1, .low_open = false};
  visit.value({"rows", "height of the grid", kCount}, &grid.cells.rows);
  visit.value({"columns", "width of the grid", kCount}, &grid.cells.columns);
  visit.value({"wall_probability", "of each cell", kProbability}, &grid.cells.wall_probability);
  visit.value({"hazard_probability", "of each cell that is no wall", kProbability},
              &grid.cells.hazard_probability);
  describe_grid(visit, grid.options);
}

void describe_one(FieldVisitor& visit, RiverSwimOptions& options) {
  visit.value({"states", "number of states", between(3, kMostStates)}, &options.states);
  visit.value({"small_reward", "at the source, for drifting left", kFinite}, &options.small_reward);
  visit.value({"large_reward", "at the mouth, for not being driven back", kFinite},
              &options.large_reward);
  describe_discount(visit, options.discount);
}

void describe_one(FieldVisitor& visit, InventoryOptions& options) {
  visit.value({"capacity", "largest stock", kCount}, &options.capacity);
  visit.value({"largest_order", "largest order; without it, the capacity", kCount},
              &options.largest_order);
  visit.value({"mean_demand", "mean of the Poisson law of demand", kPositive},
              &options.mean_demand);
  visit.value({"largest_demand", "all demand above it counts as this", between(1, 1e6)},
              &options.largest_demand);
  visit.value({"price", "of a unit sold", kNonnegative}, &options.price);
  visit.value({"unit_cost", "of a unit ordered", kNonnegative}, &options.unit_cost);
  visit.value({"holding_cost", "of a unit left at the end of a period", kNonnegative},
              &options.holding_cost);
  describe_discount(visit, options.discount);
}

void describe_one(FieldVisitor& visit, WorldFileConfig& world) {
  visit.value({.name = "file",
               .help = "world in a .rgum, .json, .csv or .tra file",
               .presence = Presence::kRequired},
              &world.file);
  visit.value({"discount", "in place of the file's; .csv and .tra files need it", kUnitOpen},
              &world.discount);
  describe_enum(visit, {"missing_actions", "for states that list fewer actions than others"},
                world.missing_actions, kMissingActions);
  describe_enum(visit, {"dead_states", "for states without any action"}, world.dead_states,
                kDeadStates);
}

void describe_one(FieldVisitor&, TabularConfig&) {}

void describe_one(FieldVisitor& visit, LogLinearConfig& config) {
  visit.value({"features", "number of random normal features", between(1, 1e5)}, &config.features);
  visit.value({"signals", "signals of the world as features"}, &config.signals);
  visit.rule(config.features.has_value() != !config.signals.empty(), "class",
             "a log-linear policy needs either 'features' or 'signals'");
}

}  // namespace

void describe(FieldVisitor& visit, ModelConfig& config) {
  describe_kinds(
      visit, {.name = "generator", .help = "what makes the model", .presence = Presence::kRequired},
      config.source, kGenerators, [](auto& inner, auto& one) { describe_one(inner, one); });
  visit.value({"seed", "one model for every seed of the problem", kNonnegative}, &config.seed);
}

void describe(FieldVisitor& visit, PolicyConfig& config) {
  describe_kinds(visit, {"class", "family of policies"}, config.parameterization, kPolicyClasses,
                 [](auto& inner, auto& one) { describe_one(inner, one); });
  describe_enum(visit, {"set", "shape of the set of parameters"}, config.set, kParameterSets);
  visit.value({"bound", "box [-bound, bound], or radius of the ball", kPositive}, &config.bound);
  describe_enum(visit, {"start", "first parameters: all zero, or normal draws"}, config.start,
                kStarts);
  visit.value({"start_scale", "standard deviation of a normal start", kNonnegative},
              &config.start_scale);
}

}  // namespace rgu
