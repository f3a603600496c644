// A score head for models that have none.
#pragma once

#include "rgu/base/rng.hpp"
#include "rgu/llm/files/model_files.hpp"

namespace rgu::llm {

// The model with score fields of `score`, and a score head: its own, or, where it has none, a new
// one with normal weights (sd initializer_range) and zero bias.
ModelFiles with_score_head(const ModelFiles& model, const ScoreConfig& score, Rng& rng);

// The model, ready for an adapter that brings a score head: a head of zeros where the model has
// none.
ModelFiles with_score_head(const ModelFiles& model, const AdapterFiles& adapter);

}  // namespace rgu::llm
