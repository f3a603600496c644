#include "rgu/llm/torch/ppo_lesson.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rgu::llm {
namespace {

// Of the KL penalty in a column of scores: see PpoBatch.
double penalty_sign(const Vector& mixing, Index column) {
  if (mixing[column] == 0) return column == 0 ? 1 : -1;
  return mixing[column] > 0 ? 1 : -1;
}

}  // namespace

bool Lesson::finite() const {
  const auto whole = [](const Vector& values) { return values.allFinite(); };
  return advantages.allFinite() && old.log_probabilities.allFinite() && old.kl.allFinite() &&
         std::ranges::all_of(returns, whole) && std::ranges::all_of(old.values, whole);
}

double variance(const Vector& values) { return (values.array() - values.mean()).square().mean(); }

Lesson lesson_of(const PpoBatch& batch, OldPolicy old, double kl_coefficient,
                 const PpoOptions& options) {
  const AnswerSpans spans = spans_of(batch.rollouts);
  Lesson lesson = {.old = std::move(old), .temperature = batch.temperature};
  std::vector<Vector> columns;
  for (Index j = 0; j < batch.scores.cols(); ++j) {
    const Vector scores = batch.scores.col(j);
    const Vector rewards =
        shaped_rewards(spans, {.coefficient = kl_coefficient * penalty_sign(batch.mixing, j),
                               .kl = lesson.old.kl,
                               .scores = scores});
    Advantages column = advantages(spans, rewards, lesson.old.values[static_cast<std::size_t>(j)],
                                   {.discount = options.discount, .trace = options.trace});
    columns.push_back(std::move(column.advantages));
    lesson.returns.push_back(std::move(column.returns));
  }
  lesson.advantages = mixed(columns, batch.mixing);
  lesson.advantage_mean = lesson.advantages.mean();
  lesson.advantage_deviation = std::sqrt(variance(lesson.advantages));
  if (options.whiten) lesson.advantages = whitened(lesson.advantages);
  return lesson;
}

}  // namespace rgu::llm
