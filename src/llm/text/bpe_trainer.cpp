#include "rgu/llm/text/bpe_trainer.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <queue>
#include <set>

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/llm/text/byte_level.hpp"
#include "rgu/llm/text/gpt2_split.hpp"
#include "rgu/llm/text/token_range.hpp"
#include "rgu/llm/text/unicode.hpp"

namespace rgu::llm {
namespace {

using Pair = std::pair<TokenId, TokenId>;

struct PairHash {
  std::size_t operator()(const Pair& pair) const {
    const auto left = std::uint64_t{static_cast<std::uint32_t>(pair.first)};
    const std::uint64_t key = (left << 32) | static_cast<std::uint32_t>(pair.second);
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 16);
  }
};

struct Word {
  std::vector<TokenId> symbols = {};
  std::int64_t count = 0;
};

struct PairFacts {
  std::int64_t count = 0;
  std::vector<std::uint32_t> words = {};  // all that hold the pair, and some that did
};

// A count that a pair once had. The heap gives the most frequent, then the smallest pair.
struct Claim {
  std::int64_t count = 0;
  Pair pair = {};
  bool operator<(const Claim& other) const {
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

std::array<std::uint8_t, 256> bytes_by_character() {
  std::array<std::uint8_t, 256> bytes = {};
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  std::sort(bytes.begin(), bytes.end(), [](std::uint8_t a, std::uint8_t b) {
    return character_of_byte(a) < character_of_byte(b);  // UTF-8 sorts like code points
  });
  return bytes;
}

void check_options(const BpeTrainerOptions& options) {
  check(options.min_frequency >= 1, "min_frequency is {}, must be at least 1",
        options.min_frequency);
  const auto least = static_cast<std::int64_t>(options.special_tokens.size()) + 256;
  check(options.vocabulary >= least && options.vocabulary <= kLargestVocabulary,
        "vocabulary is {}, must be {} (special tokens and 256 bytes) to {}", options.vocabulary,
        least, kLargestVocabulary);
  for (const std::string& token : options.special_tokens) {
    check(!token.empty() && is_utf8(token), "special token '{}' must be UTF-8 and not empty",
          token);
    check(std::count(options.special_tokens.begin(), options.special_tokens.end(), token) == 1,
          "special token '{}' is given twice, must be given once", token);
    const auto spelled = unspelled_bytes(token);
    check(!spelled || spelled->size() != 1, "special token '{}' is the character of a byte", token);
  }
}

class Trainer {
 public:
  Trainer(const WordCounts& words, const BpeTrainerOptions& options) : options_(options) {
    begin_vocabulary();
    begin_words(words);
    for (std::uint32_t i = 0; i < words_.size(); ++i) count_pairs(i, +1);
    for (const auto& [pair, facts] : pairs_) claims_.push({facts.count, pair});
  }

  TrainedBpe run() {
    while (!claims_.empty() && std::ssize(trained_.pieces) < options_.vocabulary) {
      const Claim claim = claims_.top();
      claims_.pop();
      const auto facts = pairs_.find(claim.pair);
      if (facts == pairs_.end()) continue;  // merged since
      const std::int64_t count = facts->second.count;
      if (claim.count != count) {  // out of date: it comes again where it belongs now
        if (count >= options_.min_frequency && count < claim.count)
          claims_.push({count, claim.pair});
        continue;
      }
      if (count < options_.min_frequency) break;
      merge(claim.pair);
    }
    return std::move(trained_);
  }

 private:
  TokenId put_piece(const std::string& piece) {
    const auto [found, is_new] = ids_.emplace(piece, static_cast<TokenId>(trained_.pieces.size()));
    if (is_new) trained_.pieces.push_back(piece);
    return found->second;
  }

  void begin_vocabulary() {
    for (const std::string& token : options_.special_tokens) put_piece(token);
    trained_.special_tokens = std::ssize(trained_.pieces);
    for (const std::uint8_t byte : bytes_by_character()) {
      byte_ids_[byte] = put_piece(std::string(character_of_byte(byte)));
    }
  }

  void begin_words(const WordCounts& words) {
    for (const auto& [text, count] : words.counts()) {
      Word word{.count = count};
      for (const char byte : text)
        word.symbols.push_back(byte_ids_[static_cast<std::uint8_t>(byte)]);
      if (word.symbols.size() > 1) words_.push_back(std::move(word));
    }
  }

  // Adds the pairs of a word to the counts, or (sign -1) takes them out.
  void count_pairs(std::uint32_t index, int sign) {
    const Word& word = words_[index];
    for (std::size_t i = 0; i + 1 < word.symbols.size(); ++i) {
      PairFacts& facts = pairs_[{word.symbols[i], word.symbols[i + 1]}];
      facts.count += sign * word.count;
      if (sign > 0 && (facts.words.empty() || facts.words.back() != index))
        facts.words.push_back(index);
    }
  }

  void merge(const Pair& pair) {
    const TokenId result = put_piece(trained_.pieces[static_cast<std::size_t>(pair.first)] +
                                     trained_.pieces[static_cast<std::size_t>(pair.second)]);
    // A pair can come back where another merge makes its pieces anew: its merge is known then.
    if (merged_.insert(pair).second) trained_.merges.push_back(pair);
    std::vector<std::uint32_t> touched = std::move(pairs_.at(pair).words);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    std::vector<Pair> grown;
    for (const std::uint32_t index : touched) merge_in_word(index, pair, result, grown);
    pairs_.erase(pair);
    claim_again(grown);
  }

  void merge_in_word(std::uint32_t index, const Pair& pair, TokenId result,
                     std::vector<Pair>& grown) {
    std::vector<TokenId>& symbols = words_[index].symbols;
    if (!holds(symbols, pair)) return;
    change_counts(index, -1);
    std::size_t end = 0;
    for (std::size_t i = 0; i < symbols.size(); ++i, ++end) {
      const bool here =
          symbols[i] == pair.first && i + 1 < symbols.size() && symbols[i + 1] == pair.second;
      symbols[end] = here ? result : symbols[i];
      if (here) ++i;
    }
    symbols.resize(end);
    change_counts(index, +1);
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      if (symbols[i] != result && symbols[i + 1] != result) continue;
      const Pair made = {symbols[i], symbols[i + 1]};
      grown.push_back(made);
      pairs_.at(made).words.push_back(index);
    }
  }

  // As count_pairs, but without noting the word: pairs that were there before know it already.
  void change_counts(std::uint32_t index, int sign) {
    const Word& word = words_[index];
    for (std::size_t i = 0; i + 1 < word.symbols.size(); ++i) {
      pairs_[{word.symbols[i], word.symbols[i + 1]}].count += sign * word.count;
    }
  }

  static bool holds(const std::vector<TokenId>& symbols, const Pair& pair) {
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      if (symbols[i] == pair.first && symbols[i + 1] == pair.second) return true;
    }
    return false;
  }

  void claim_again(std::vector<Pair>& grown) {
    std::sort(grown.begin(), grown.end());
    grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
    for (const Pair& pair : grown) {
      const auto found = pairs_.find(pair);
      if (found != pairs_.end()) claims_.push({found->second.count, pair});
    }
  }

  const BpeTrainerOptions& options_;
  TrainedBpe trained_;
  std::unordered_map<std::string, TokenId> ids_;
  std::array<TokenId, 256> byte_ids_ = {};
  std::vector<Word> words_;
  std::unordered_map<Pair, PairFacts, PairHash> pairs_;
  std::priority_queue<Claim> claims_;
  std::set<Pair> merged_;
};

nlohmann::ordered_json byte_level_part() {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", true},
          {"use_regex", true}};
}

nlohmann::ordered_json added_tokens_of(const TrainedBpe& trained) {
  auto tokens = nlohmann::ordered_json::array();
  for (std::int64_t id = 0; id < trained.special_tokens; ++id) {
    tokens.push_back({{"id", id},
                      {"content", trained.pieces[static_cast<std::size_t>(id)]},
                      {"single_word", false},
                      {"lstrip", false},
                      {"rstrip", false},
                      {"normalized", false},
                      {"special", true}});
  }
  return tokens;
}

nlohmann::ordered_json model_of(const TrainedBpe& trained) {
  // Not put one by one: an ordered object looks through all its keys for each.
  nlohmann::ordered_json::object_t vocabulary;
  for (std::size_t id = 0; id < trained.pieces.size(); ++id) {
    vocabulary.push_back({trained.pieces[id], id});
  }
  auto merges = nlohmann::ordered_json::array();
  for (const auto& [left, right] : trained.merges) {
    merges.push_back(trained.pieces[static_cast<std::size_t>(left)] + " " +
                     trained.pieces[static_cast<std::size_t>(right)]);
  }
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"vocab", std::move(vocabulary)},
          {"merges", std::move(merges)}};
}

}  // namespace

void WordCounts::add(std::string_view text) {
  const std::string normal = composed(is_utf8(text) ? std::string(text) : with_replacements(text));
  for_each_gpt2_word(normal, [this](std::string_view word) { add_word(word, 1); });
}

void WordCounts::add_word(std::string_view word, std::int64_t count) {
  check(count >= 1, "the count of word '{}' is {}, must be at least 1", word, count);
  counts_[std::string(word)] += count;
}

TrainedBpe train_byte_level_bpe(const WordCounts& words, const BpeTrainerOptions& options) {
  check_options(options);
  return Trainer(words, options).run();
}

nlohmann::ordered_json tokenizer_json_of(const TrainedBpe& trained) {
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added_tokens_of(trained)},
          {"normalizer", {{"type", "NFC"}}},
          {"pre_tokenizer", byte_level_part()},
          {"post_processor", byte_level_part()},
          {"decoder", byte_level_part()},
          {"model", model_of(trained)}};
}

void write_tokenizer_json(const TrainedBpe& trained, const std::filesystem::path& path) {
  OutputFile file(path);
  file.text(tokenizer_json_of(trained).dump(2));
  file.text("\n");
  file.commit();
}

}  // namespace rgu::llm
