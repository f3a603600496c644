// A linear classifier of texts by words and pairs of neighbouring words.
//
//   # harm.txt
//   bias     -1.5
//   features counts          or binary; counts where this is not said
//   input    answer          or prompt+answer; answer where this is not said
//   0.75     poison
//   -0.2     not poison      WEIGHT, white space, one word or two
//
// See weight_file.hpp for the format and word_counts.hpp for what a word is. From scikit-learn, a
// classifier or regression `m` with one row of coefficients, fitted on counts (binary=True for
// presence) by v = CountVectorizer(ngram_range=(1, 2), token_pattern=r"(?u)\w+"):
//
//   lines = [f"bias {float(m.intercept_[0])!r}"]
//   lines += [f"{w:.17g}\t{x}" for w, x in zip(m.coef_[0], v.get_feature_names_out())]
//   open("harm.txt", "w", encoding="utf-8").write("\n".join(lines))
//
// (Words differ from scikit-learn's in scripts with combining marks, which are part of words here,
// and where lower case takes more than one character.)
#pragma once

#include <filesystem>

#include "rgu/align/scorer.hpp"
#include "rgu/align/weight_file.hpp"

namespace rgu::align {

// score = bias + w . x, where x has the number of occurrences of each word and pair of words in the
// text or, with binary features, 1 for those that occur. The text is the answer, or the prompt (as
// the policy was given it) with the answer right behind it.
class LinearScorer final : public Scorer {
 public:
  explicit LinearScorer(const std::filesystem::path& file);  // throws InvalidInput, naming the line

  std::vector<double> scores(std::span<const Answer> answers) override;
  std::string about() const override;

 private:
  enum class Features { kCounts, kBinary };
  enum class Input { kAnswer, kPromptAndAnswer };
  double score(const Answer& answer) const;

  std::string name_;
  WeightFile file_;
  double bias_ = 0;
  Features features_ = Features::kCounts;
  Input input_ = Input::kAnswer;
};

}  // namespace rgu::align
