// Answers of policies as HTML. The texts come from models: all of them pass through `escaped`.
#pragma once

#include <string>
#include <vector>

#include "rgu/align/record.hpp"

namespace rgu::align {

// "helpfulness 1.23 · harm −0.4", without a line break between a name and its number.
std::string scores_text(const JudgedAnswer& judged);

// One answer beside others to the same prompt.
struct AnswerCard {
  std::string who = {};  // "before"
  int colour = -1;       // of the curve that belongs to it; -1: none
  JudgedAnswer answer = {};
};
std::string exchange_html(const std::string& prompt, const std::vector<AnswerCard>& cards);

// The answers before and after, of the first seed that has some; empty where none has.
std::string shown_section(const RunRecord& run);

// The answers that were logged at the last step of that seed; empty where there are none.
std::string logged_section(const RunRecord& run);

// For each prompt that the runs have shown: what was said before, and by each run after.
std::string shown_side_by_side(const std::vector<RunRecord>& runs,
                               const std::vector<std::string>& names);

}  // namespace rgu::align
