// Weights of words and phrases for the scorers of answers: the first section is an answer to score,
// the rest the file, read by both scorers.
#include "rgu/align/lexicon_scorer.hpp"
#include "rgu/align/linear_scorer.hpp"
#include "support.hpp"

using namespace rgu;

namespace {

template <class Scorer>
void check_scorer(const std::filesystem::path& path, const std::string& text) {
  const auto scorer = fuzz::accepted([&] { return std::make_unique<Scorer>(path); });
  if (!scorer) return;
  const align::Answer answers[] = {{.prompt = text, .text = text}};
  fuzz::accepted([&] { return (*scorer)->scores(answers); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parts = fuzz::sections(fuzz::text_of(data, size), 2);
  const auto path = fuzz::scratch_file("weights.txt", parts[1]);
  check_scorer<align::LexiconScorer>(path, std::string(parts[0]));
  check_scorer<align::LinearScorer>(path, std::string(parts[0]));
  return 0;
}
