#include "rgu/llm/text/word_merger.hpp"

namespace rgu::llm {

WordMerger::WordMerger(const MergeTable& table) : merger_(table), known_(kKnown) {}

WordMergers::Borrowed WordMergers::borrow() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Borrowed borrowed(idle_.back().release(), GiveBack{this});
      idle_.pop_back();
      return borrowed;
    }
  }
  return {new WordMerger(*table_), GiveBack{this}};
}

void WordMergers::give_back(std::unique_ptr<WordMerger> merger) const {
  if (merger->is_large()) return;  // after a huge word: its memory is worth more
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(merger));
}

}  // namespace rgu::llm
