// Merging of the words of texts, with a memory for words that come again, as most do.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rgu/llm/text/bpe_merge.hpp"

namespace rgu::llm {

// The table must outlive it; one object serves one thread at a time.
class WordMerger {
 public:
  explicit WordMerger(const MergeTable& table);

  // The word's symbols after merging; spell(word, symbols) appends those before. `spell` must be
  // the same in every call. Valid until the next call.
  template <class Spell>
  std::span<const TokenId> merged(std::string_view word, Spell spell) {
    Known* const known = word.size() <= kLongestKnown ? &place_of(word) : nullptr;
    if (known != nullptr && known->word == word) return known->symbols;
    symbols_.clear();
    spell(word, symbols_);
    merger_.merge(symbols_);
    if (known == nullptr) return symbols_;
    known->word = word;
    known->symbols = symbols_;
    return known->symbols;
  }

  bool is_large() const { return symbols_.capacity() > kLargeBuffer; }

 private:
  struct Known {
    std::string word = {};  // empty: none yet
    std::vector<TokenId> symbols = {};
  };
  static constexpr std::size_t kKnown = std::size_t{1} << 14;  // one word in each place at most
  static constexpr std::size_t kLongestKnown = 64;             // bytes
  static constexpr std::size_t kLargeBuffer = std::size_t{1} << 16;

  Known& place_of(std::string_view word) {
    return known_[std::hash<std::string_view>()(word) & (kKnown - 1)];
  }

  Merger merger_;
  std::vector<Known> known_;
  std::vector<TokenId> symbols_;
};

// Mergers of one table: each call of an encoder borrows one, so that calls in many threads share
// nothing while they work.
class WordMergers {
 public:
  explicit WordMergers(const MergeTable& table) : table_(&table) {}

  struct GiveBack {
    const WordMergers* owner = nullptr;
    void operator()(WordMerger* merger) const {
      owner->give_back(std::unique_ptr<WordMerger>(merger));
    }
  };
  using Borrowed = std::unique_ptr<WordMerger, GiveBack>;
  Borrowed borrow() const;

 private:
  void give_back(std::unique_ptr<WordMerger> merger) const;

  const MergeTable* table_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<WordMerger>> idle_;
};

}  // namespace rgu::llm
