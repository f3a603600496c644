#include "small_problem.hpp"

#include <algorithm>

namespace rgu::fuzz {
namespace {

constexpr Index kMostStates = 40;
constexpr Index kMostActions = 8;
constexpr Index kMostFeatures = 20;
constexpr Index kMostDraws = 2000;
constexpr std::size_t kMostParts = 4;

bool is_small(const RandomModelOptions& model) {
  return model.states <= kMostStates && model.actions <= kMostActions;
}
bool is_small(const GarnetOptions& model) {
  return model.states <= kMostStates && model.actions <= kMostActions;
}
bool is_small(const GridConfig& model) { return model.map.size() <= 400; }
bool is_small(const RandomGridConfig& model) {
  return model.cells.rows <= 8 && model.cells.columns <= 8;
}
bool is_small(const RiverSwimOptions& model) { return model.states <= kMostStates; }
bool is_small(const InventoryOptions& model) {
  return model.capacity <= kMostStates && model.largest_order.value_or(1) <= kMostActions &&
         model.largest_demand <= 100;
}
bool is_small(const WorldFileConfig&) { return false; }

bool is_small(const TabularConfig&) { return true; }
bool is_small(const LogLinearConfig& policy) {
  return policy.features.value_or(1) <= kMostFeatures && policy.signals.size() <= kMostParts;
}

bool is_small(const DemonstrationsConfig& demonstrations) {
  if (demonstrations.file || !demonstrations.expert) return false;
  const ExpertConfig& expert = *demonstrations.expert;
  return expert.trajectories <= kMostDraws && expert.horizon <= kMostDraws &&
         expert.trajectories * expert.horizon <= kMostDraws;
}

bool is_small(const UtilityConfig& utility);

template <class Utility>
bool is_small(const Utility&) {
  return true;
}
bool is_small(const QuadraticTargetConfig& target) { return is_small(target.demonstrations); }
bool is_small(const KlTargetConfig& target) { return is_small(target.demonstrations); }
bool is_small(const DriftConfig& drift) {
  const auto* normal = std::get_if<NormalFeaturesConfig>(&drift.features);
  return drift.dimension <= kMostFeatures &&
         (normal == nullptr || normal->feature_dimension <= kMostFeatures);
}
bool is_small(const SumConfig& sum) {
  return sum.parts.size() <= kMostParts &&
         std::all_of(sum.parts.begin(), sum.parts.end(),
                     [](const SumPart& part) { return is_small(part.utility); });
}

bool is_small(const UtilityConfig& utility) {
  return std::visit([](const auto& kind) { return is_small(kind); }, utility.kind);
}

}  // namespace

bool is_small(const ProblemConfig& config) {
  const auto small = [](const auto& kind) { return is_small(kind); };
  return std::visit(small, config.model.source) &&
         std::visit(small, config.policy.parameterization) && is_small(config.utility);
}

}  // namespace rgu::fuzz
