#include "rgu/align/score_shaping.hpp"

#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu::align {
namespace {

// Each score less the mean of the other answers to its prompt: as that does not depend on the
// answer itself, the policy gradient stays what it is in the mean.
void take_baseline_off(Matrix& columns, Index answers) {
  const double others = static_cast<double>(answers - 1);
  for (Index first = 0; first < columns.rows(); first += answers) {
    for (Index j = 0; j < columns.cols(); ++j) {
      auto group = columns.col(j).segment(first, answers);
      const double sum = group.sum();
      const Vector own = group;
      group = (own.array() - (sum - own.array()) / others).matrix();
    }
  }
}

}  // namespace

void RunningMoments::add(const Vector& values) {
  if (values.size() == 0) return;
  const auto n = static_cast<double>(values.size());
  const double batch_mean = values.mean();
  const double shift = batch_mean - mean;
  const double total = count + n;
  squares += (values.array() - batch_mean).square().sum() + shift * shift * count * n / total;
  mean += shift * n / total;
  count = total;
}

double RunningMoments::deviation() const {
  const double variance = count > 1 ? squares / (count - 1) : 0.0;
  return variance > 0 ? std::sqrt(variance) : 1.0;
}

ScoreShaping::ScoreShaping(const AlignConfig& config)
    : config_(config.shaping),
      separate_(config.ppo.critics == llm::Critics::kSeparate),
      constraints_(static_cast<Index>(config.constraints.size())),
      answers_(config.sampling.answers) {
  check(
      !separate_ || config_.normalisation == ShapingConfig::Normalisation::kNone,
      "shaping.normalisation needs ppo.critics = \"one\": scores that are scaled one by one would "
      "change what the multipliers mean");
  check(!config_.prompt_baseline || answers_ > 1,
        "shaping.prompt_baseline needs sampling.answers of at least 2, it is {}", answers_);
}

Index ScoreShaping::columns() const { return separate_ ? 1 + constraints_ : 1; }

ShapedScores ScoreShaping::shaped(const Objective& objective, const AnswerScores& scores,
                                  const Vector& nature, const std::vector<bool>& finished) {
  const Vector multipliers = objective.multipliers(nature);
  const double scale = 1 + multipliers.sum();
  ShapedScores shaped{.columns = Matrix(scores.answers(), columns()), .mixing = Vector(columns())};
  if (separate_) {
    shaped.columns.col(0) = scores.rewards * objective.weights(nature);
    shaped.columns.rightCols(constraints_) = scores.costs;
    shaped.mixing[0] = 1 / scale;
    shaped.mixing.tail(constraints_) = -multipliers / scale;
  } else {
    Vector score = objective.adjusted_scores(scores, nature);
    if (config_.divide_by_multipliers) score /= scale;
    moments_.add(score);
    if (config_.normalisation == ShapingConfig::Normalisation::kStandardise) {
      score.array() -= moments_.mean;
    }
    if (config_.normalisation != ShapingConfig::Normalisation::kNone) {
      score /= moments_.deviation();
    }
    shaped.columns.col(0) = score;
    shaped.mixing[0] = 1;
  }
  if (config_.clip > 0) {
    shaped.columns = shaped.columns.cwiseMax(-config_.clip).cwiseMin(config_.clip);
  }
  for (std::size_t i = 0; i < finished.size(); ++i) {
    if (!finished[i]) shaped.columns(static_cast<Index>(i), 0) -= config_.missing_eos_penalty;
  }
  if (config_.prompt_baseline) take_baseline_off(shaped.columns, answers_);
  return shaped;
}

}  // namespace rgu::align
