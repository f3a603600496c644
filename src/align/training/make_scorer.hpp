// The scorers of a run, of any kind.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "rgu/align/config.hpp"
#include "rgu/align/scorer.hpp"
#include "rgu/align/training/model_scorer.hpp"

namespace rgu::align {

// With scale and shift; every error, now and later, is an InvalidInput that begins with role and
// name: `reward "helpfulness": ..`.
std::unique_ptr<Scorer> make_scorer(const ScorerConfig& config, const ScorerSetting& setting,
                                    std::string_view role = "scorer");

// Those of the rewards and of the constraints, in their order. Loading::kAuto looks at the weights
// of all of them.
struct RunScorers {
  std::vector<std::unique_ptr<Scorer>> rewards = {};
  std::vector<std::unique_ptr<Scorer>> costs = {};
};
RunScorers make_scorers(const AlignConfig& config, const ScorerSetting& setting);

}  // namespace rgu::align
