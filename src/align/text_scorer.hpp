// Scorers as a configuration asks for them, but for score models, which need LibTorch
// (training/make_scorer.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "rgu/align/config.hpp"
#include "rgu/align/scorer.hpp"

namespace rgu::align {

// A lexicon, linear classifier or command. Every error, now and later, is an InvalidInput that
// begins with role and name: `reward "helpfulness": ..`. Throws InvalidInput for a score model.
std::unique_ptr<Scorer> make_text_scorer(const ScorerConfig& config, std::string_view role);

// `made()` with the scale and shift of `config`, and with its errors named as above; refuses
// anything but one finite number for each answer. The parts of make_scorer.
std::unique_ptr<Scorer> named_scorer(const ScorerConfig& config, std::string_view role,
                                     const std::function<std::unique_ptr<Scorer>()>& made);

}  // namespace rgu::align
