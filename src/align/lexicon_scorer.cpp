#include "rgu/align/lexicon_scorer.hpp"

#include <fmt/format.h>

namespace rgu::align {

LexiconScorer::LexiconScorer(const std::filesystem::path& file)
    : name_(file.string()),
      file_(read_weight_file(file, {.settings = {"default"}, .longest_phrase = 64})),
      default_(file_.number("default", 0)) {}

double LexiconScorer::score(const Answer& answer) const {
  const auto counts = file_.phrases.counts(Words(answer.text));
  if (counts.empty()) return default_;
  return weighted_sum(counts, file_.weights, [](Index n) { return static_cast<double>(n); });
}

std::vector<double> LexiconScorer::scores(std::span<const Answer> answers) {
  std::vector<double> scores;
  for (const Answer& answer : answers) scores.push_back(score(answer));
  return scores;
}

std::string LexiconScorer::about() const {
  return fmt::format("lexicon {}: {} phrases", name_, file_.weights.size());
}

}  // namespace rgu::align
