#include "rgu/llm/torch/score_head.hpp"

#include <functional>

#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

constexpr const char* kWeight = "score_head.weight";
constexpr const char* kBias = "score_head.bias";

void put_head(ModelFiles& model, const std::function<double()>& value) {
  const ScoreConfig& score = *model.config.score;
  std::vector<float> weight(static_cast<std::size_t>(score.dimension * model.config.hidden));
  for (float& entry : weight) entry = static_cast<float>(value());
  model.weights.put(kWeight, std::move(weight), {score.dimension, model.config.hidden});
  if (!score.bias) return;
  const std::vector<float> bias(static_cast<std::size_t>(score.dimension), 0);
  model.weights.put(kBias, bias, {score.dimension});
}

}  // namespace

ModelFiles with_score_head(const ModelFiles& model, const ScoreConfig& score, Rng& rng) {
  ModelFiles scorer = model;
  scorer.config.score = score;
  if (model.weights.contains(kWeight)) {
    scorer.config.score->bias = model.weights.contains(kBias);
    return scorer;
  }
  put_head(scorer, [&] { return model.config.initializer_range * rng.normal(); });
  return scorer;
}

ModelFiles with_score_head(const ModelFiles& model, const AdapterFiles& adapter) {
  if (model.weights.contains(kWeight) || !adapter.weights.contains(kWeight)) return model;
  const TensorShape& shape = adapter.weights.at(kWeight).shape;
  check(shape.size() == 2 && shape[0] >= 1 && shape[1] == model.config.hidden,
        "{} of the adapter has shape {}: must be [dimension, {}]", kWeight, text_of(shape),
        model.config.hidden);
  ModelFiles scorer = model;
  if (!scorer.config.score) scorer.config.score = ScoreConfig{};
  scorer.config.score->dimension = shape[0];
  scorer.config.score->bias = adapter.weights.contains(kBias);
  put_head(scorer, [] { return 0.0; });
  return scorer;
}

}  // namespace rgu::llm
