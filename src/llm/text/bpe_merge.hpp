// The merge loop that all byte-pair encodings share: as long as two neighbours can be merged, the
// pair of least rank is, the leftmost one of equals [Sennrich2016].
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "rgu/llm/files/token_id.hpp"

namespace rgu::llm {

struct Merge {
  std::int32_t rank = std::numeric_limits<std::int32_t>::max();  // this one: no merge
  TokenId result = 0;

  bool exists() const { return rank != std::numeric_limits<std::int32_t>::max(); }
};

// Merges by their (left, right) pair: an open-addressing hash table.
class MergeTable {
 public:
  explicit MergeTable(std::size_t expected = 0);

  void put(TokenId left, TokenId right, Merge merge);  // replaces what the pair had
  Merge find(TokenId left, TokenId right) const {
    std::size_t slot = first_slot(key_of(left, right));
    while (slots_[slot].merge.exists()) {
      if (slots_[slot].key == key_of(left, right)) return slots_[slot].merge;
      slot = (slot + 1) & mask_;
    }
    return {};
  }
  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Merge merge = {};
  };

  static std::uint64_t key_of(TokenId left, TokenId right) {
    return (std::uint64_t{static_cast<std::uint32_t>(left)} << 32) |
           static_cast<std::uint32_t>(right);
  }
  std::size_t first_slot(std::uint64_t key) const {  // Fibonacci hashing
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & mask_;
  }
  void grow();

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

// Merges symbols in place, in O(n log n) for n symbols. The table must outlive it; one object
// serves one thread.
class Merger {
 public:
  explicit Merger(const MergeTable& table) : table_(&table) {}
  // At most 2^31 - 1 symbols.
  void merge(std::vector<TokenId>& symbols);

 private:
  struct Candidate {
    std::uint64_t order = 0;  // rank, then position
    bool operator>(const Candidate& other) const { return order > other.order; }
  };

  void merge_short(std::vector<TokenId>& symbols);
  void merge_long(std::vector<TokenId>& symbols);
  void link(std::size_t count);
  void propose(const std::vector<TokenId>& symbols, std::uint32_t position);
  void unlink_after(std::uint32_t position);

  const MergeTable* table_;
  std::vector<Merge> pairs_;             // of each symbol with the next
  std::vector<std::uint32_t> next_;      // of the long way: the symbol after
  std::vector<std::uint32_t> previous_;  // ... and before
  std::vector<Candidate> candidates_;    // a heap, of which some are out of date
};

}  // namespace rgu::llm
