// Texts to learn a language model from: the first byte chooses the ending of the file's name, the
// rest is the file. The tokenizer knows bytes only.
#include "rgu/llm/text/language_data.hpp"

#include <algorithm>

#include "rgu/llm/text/byte_level_tokenizer.hpp"
#include "support.hpp"

using namespace rgu;
using namespace rgu::llm;

namespace {

ByteLevelTokenizer byte_tokenizer() {
  ByteLevelModel model;
  for (int byte = 0; byte < 256; ++byte) {
    model.byte_ids[static_cast<std::size_t>(byte)] = byte;
    model.pieces.push_back(fmt::format("byte {}", byte));
  }
  model.pieces.emplace_back("<|endoftext|>");
  model.specials.eos = 256;
  return ByteLevelTokenizer(std::move(model));
}

void check_pair(const PromptAnswer& pair) {
  fuzz::require(pair.tokens.size() >= 2, "a pair has tokens");
  fuzz::require(pair.answer >= 0 && pair.answer < std::ssize(pair.tokens),
                "an answer begins inside of its pair");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ByteLevelTokenizer tokenizer = byte_tokenizer();
  if (size == 0) return 0;
  const char* name = data[0] % 2 == 0 ? "data.jsonl" : "data.txt";
  const auto path = fuzz::scratch_file(name, fuzz::text_of(data + 1, size - 1));
  const auto read = fuzz::accepted([&] { return read_language_data({&path, 1}, tokenizer); });
  if (!read) return 0;
  fuzz::require(read->stream.empty() || read->pairs.empty(), "data are of one kind");
  std::ranges::for_each(read->pairs, check_pair);
  return 0;
}
