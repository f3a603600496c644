// A score by the words that an answer has.
//
//   # helpful.txt
//   default -1           the score of an answer without any of the phrases; 0 where this is not
//   said 2       here is      WEIGHT, white space, a word or phrase of at most 64 words 0.5 example
//   -3      i can't
//
// See weight_file.hpp for the format and word_counts.hpp for what a word is.
#pragma once

#include <filesystem>

#include "rgu/align/scorer.hpp"
#include "rgu/align/weight_file.hpp"

namespace rgu::align {

// score(answer) = sum over the phrases of weight * occurrences in the answer. A phrase occurs where
// its words follow each other, whatever stands between them that is no word; the prompt does not
// count.
class LexiconScorer final : public Scorer {
 public:
  explicit LexiconScorer(
      const std::filesystem::path& file);  // throws InvalidInput, naming the line

  std::vector<double> scores(std::span<const Answer> answers) override;
  std::string about() const override;

 private:
  double score(const Answer& answer) const;

  std::string name_;
  WeightFile file_;
  double default_ = 0;
};

}  // namespace rgu::align
