#include "rgu/llm/text/bpe_merge.hpp"

#include <algorithm>
#include <functional>

namespace rgu::llm {
namespace {

constexpr std::size_t kShort = 40;  // symbols up to which scanning beats a heap
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr TokenId kGone = std::numeric_limits<TokenId>::min();  // a symbol merged into another

}  // namespace

MergeTable::MergeTable(std::size_t expected) {
  std::size_t slots = 16;
  while (slots < 2 * expected) slots *= 2;
  slots_.resize(slots);
  mask_ = slots - 1;
}

void MergeTable::put(TokenId left, TokenId right, Merge merge) {
  if (2 * (size_ + 1) > slots_.size()) grow();
  const std::uint64_t key = key_of(left, right);
  std::size_t slot = first_slot(key);
  while (slots_[slot].merge.exists() && slots_[slot].key != key) slot = (slot + 1) & mask_;
  if (!slots_[slot].merge.exists()) ++size_;
  slots_[slot] = {.key = key, .merge = merge};
}

void MergeTable::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const Slot& entry : old) {
    if (!entry.merge.exists()) continue;
    std::size_t slot = first_slot(entry.key);
    while (slots_[slot].merge.exists()) slot = (slot + 1) & mask_;
    slots_[slot] = entry;
  }
}

void Merger::merge(std::vector<TokenId>& symbols) {
  if (symbols.size() < 2) return;
  if (symbols.size() <= kShort) {
    merge_short(symbols);
  } else {
    merge_long(symbols);
  }
}

void Merger::merge_short(std::vector<TokenId>& symbols) {
  pairs_.clear();
  for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
    pairs_.push_back(table_->find(symbols[i], symbols[i + 1]));
  }
  while (!pairs_.empty()) {
    const auto best =
        std::min_element(pairs_.begin(), pairs_.end(),
                         [](const Merge& a, const Merge& b) { return a.rank < b.rank; });
    if (!best->exists()) return;
    const auto at = best - pairs_.begin();
    const auto here = static_cast<std::size_t>(at);
    symbols[here] = best->result;
    symbols.erase(symbols.begin() + at + 1);
    pairs_.erase(best);
    if (here > 0) pairs_[here - 1] = table_->find(symbols[here - 1], symbols[here]);
    if (here < pairs_.size()) pairs_[here] = table_->find(symbols[here], symbols[here + 1]);
  }
}

void Merger::link(std::size_t count) {
  next_.resize(count);
  previous_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    next_[i] = i + 1 < count ? static_cast<std::uint32_t>(i + 1) : kNone;
    previous_[i] = i > 0 ? static_cast<std::uint32_t>(i - 1) : kNone;
  }
}

void Merger::propose(const std::vector<TokenId>& symbols, std::uint32_t position) {
  if (position == kNone || next_[position] == kNone) return;
  const Merge merge = table_->find(symbols[position], symbols[next_[position]]);
  if (!merge.exists()) return;
  candidates_.push_back({(std::uint64_t{static_cast<std::uint32_t>(merge.rank)} << 32) | position});
  std::push_heap(candidates_.begin(), candidates_.end(), std::greater<>());
}

void Merger::unlink_after(std::uint32_t position) {
  const std::uint32_t after = next_[next_[position]];
  next_[position] = after;
  if (after != kNone) previous_[after] = position;
}

void Merger::merge_long(std::vector<TokenId>& symbols) {
  link(symbols.size());
  candidates_.clear();
  for (std::uint32_t i = 0; i < symbols.size(); ++i) propose(symbols, i);
  while (!candidates_.empty()) {
    std::pop_heap(candidates_.begin(), candidates_.end(), std::greater<>());
    const std::uint64_t order = candidates_.back().order;
    candidates_.pop_back();
    const auto position = static_cast<std::uint32_t>(order);
    if (symbols[position] == kGone || next_[position] == kNone) continue;
    const std::uint32_t right = next_[position];
    // Out of date if the pair at this position is not any more the one that was proposed.
    const Merge merge = table_->find(symbols[position], symbols[right]);
    if (!merge.exists() || static_cast<std::uint64_t>(merge.rank) != order >> 32) continue;
    symbols[position] = merge.result;
    symbols[right] = kGone;
    unlink_after(position);
    propose(symbols, previous_[position]);
    propose(symbols, position);
  }
  std::erase(symbols, kGone);
}

}  // namespace rgu::llm
