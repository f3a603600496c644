// Learning a byte-level byte-pair encoding from text: merge after merge, the most frequent pair of
// neighbours within words becomes a new piece [Sennrich2016].
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rgu/llm/files/token_id.hpp"

namespace rgu::llm {

// How often each word occurs: words of GPT-2's pattern in the text's normalisation form C.
class WordCounts {
 public:
  // What is not UTF-8 is read as with_replacements (unicode.hpp) has it.
  void add(std::string_view text);
  void add_word(std::string_view word, std::int64_t count);  // as it is; count at least 1

  const std::unordered_map<std::string, std::int64_t>& counts() const { return counts_; }

 private:
  std::unordered_map<std::string, std::int64_t> counts_;
};

struct BpeTrainerOptions {
  std::int64_t vocabulary = 4096;  // pieces at most, the special tokens and the 256 bytes included
  std::vector<std::string> special_tokens = {"<|endoftext|>", "<|padding|>"};  // the first ids
  std::int64_t min_frequency = 2;  // a pair must occur this often to become a piece, at least 1
};

// Pieces by id: special tokens, the 256 bytes in the order of their characters (byte_level.hpp),
// merged pieces in the order of their merges. Pieces are spelled in byte characters.
struct TrainedBpe {
  std::vector<std::string> pieces = {};
  std::vector<std::pair<TokenId, TokenId>> merges = {};  // of ids, in order
  std::int64_t special_tokens = 0;                       // how many of the first pieces are
};

// A pair's frequency is the number of places where its two pieces are neighbours, summed over all
// occurrences of words (three equal pieces in a row are two such places). Of equally frequent pairs
// the one with the smaller left id is merged first, then the one with the smaller right id. A merge
// whose result is a piece already makes no second one. The result depends on the counts only.
// Throws InvalidInput where an option breaks its rule.
TrainedBpe train_byte_level_bpe(const WordCounts& words, const BpeTrainerOptions& options);

// tokenizer.json with NFC, GPT-2's pattern and the byte-level decoder: read by open_tokenizer and
// by the Python library "tokenizers".
nlohmann::ordered_json tokenizer_json_of(const TrainedBpe& trained);
void write_tokenizer_json(const TrainedBpe& trained, const std::filesystem::path& path);

}  // namespace rgu::llm
