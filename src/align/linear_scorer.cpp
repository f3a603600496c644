#include "rgu/align/linear_scorer.hpp"

#include <fmt/format.h>

#include <array>

namespace rgu::align {
namespace {

// In the order of the enums.
constexpr std::array<std::string_view, 2> kFeatures = {"counts", "binary"};
constexpr std::array<std::string_view, 2> kInputs = {"answer", "prompt+answer"};

}  // namespace

LinearScorer::LinearScorer(const std::filesystem::path& file)
    : name_(file.string()),
      file_(
          read_weight_file(file, {.settings = {"bias", "features", "input"}, .longest_phrase = 2})),
      bias_(file_.number("bias", 0)),
      features_(static_cast<Features>(file_.choice("features", kFeatures))),
      input_(static_cast<Input>(file_.choice("input", kInputs))) {}

double LinearScorer::score(const Answer& answer) const {
  std::string text;
  if (input_ == Input::kPromptAndAnswer) text = answer.prompt;
  text += answer.text;
  const auto feature = [this](Index occurrences) {
    return features_ == Features::kBinary ? 1.0 : static_cast<double>(occurrences);
  };
  return bias_ + weighted_sum(file_.phrases.counts(Words(text)), file_.weights, feature);
}

std::vector<double> LinearScorer::scores(std::span<const Answer> answers) {
  std::vector<double> scores;
  for (const Answer& answer : answers) scores.push_back(score(answer));
  return scores;
}

std::string LinearScorer::about() const {
  return fmt::format("linear classifier {}: {} {} features of {}", name_, file_.weights.size(),
                     features_ == Features::kBinary ? "binary" : "count",
                     kInputs[static_cast<std::size_t>(input_)]);
}

}  // namespace rgu::align
