#include "rgu/align/training/make_scorer.hpp"

#include "rgu/align/text_scorer.hpp"
#include "rgu/base/check.hpp"

namespace rgu::align {
namespace {

// 0 also where the files are not right: making the scorer says it, with its name.
std::uint64_t model_bytes(const ScorerConfig& config) {
  const auto* model = std::get_if<ModelScorerConfig>(&config.kind);
  if (model == nullptr || model->loading == ModelScorerConfig::Loading::kEachTime) return 0;
  try {
    return weight_bytes(*model);
  } catch (const InvalidInput&) {
    return 0;
  }
}

}  // namespace

std::unique_ptr<Scorer> make_scorer(const ScorerConfig& config, const ScorerSetting& setting,
                                    std::string_view role) {
  const auto* model = std::get_if<ModelScorerConfig>(&config.kind);
  if (model == nullptr) return make_text_scorer(config, role, setting.commands);
  return named_scorer(config, role, [&] { return std::make_unique<ModelScorer>(*model, setting); });
}

RunScorers make_scorers(const AlignConfig& config, const ScorerSetting& setting) {
  ScorerSetting common = setting;
  for (const ScorerConfig& reward : config.rewards) common.all_model_bytes += model_bytes(reward);
  for (const ConstraintConfig& constraint : config.constraints) {
    common.all_model_bytes += model_bytes(constraint.scorer);
  }
  RunScorers scorers;
  for (const ScorerConfig& reward : config.rewards) {
    scorers.rewards.push_back(make_scorer(reward, common, "reward"));
  }
  for (const ConstraintConfig& constraint : config.constraints) {
    scorers.costs.push_back(make_scorer(constraint.scorer, common, "cost"));
  }
  return scorers;
}

}  // namespace rgu::align
