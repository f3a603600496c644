// tokenizer.model of SentencePiece: the first section is a text to encode, the rest the file.
#include "rgu/llm/text/sentencepiece.hpp"

#include "support.hpp"
#include "tokenizer_checks.hpp"

using namespace rgu;
using namespace rgu::llm;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parts = fuzz::sections(fuzz::text_of(data, size), 2);
  const auto tokenizer = fuzz::accepted([&] {
    return std::make_unique<PieceTokenizer>(sentencepiece_model(parts[1], "input"), "input");
  });
  if (tokenizer) fuzz::check_tokenizer(**tokenizer, parts[0]);
  return 0;
}
