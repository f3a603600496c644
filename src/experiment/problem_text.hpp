// A problem in plain arrays: all that a program without rgu needs to check a certificate.
#pragma once

#include <string>

#include "rgu/experiment/instance.hpp"

namespace rgu {

// The numbers of a larger problem are not written down beside each certificate; config.toml gives
// it again.
inline constexpr Index kLargestProblemText = 200000;

// JSON with three parts (docs/cli.md says every field):
//   model      states, actions, discount, start, and the kernel by rows: row s A + a has the next
//              states next[k] with probability[k], offsets[s A + a] <= k < offsets[s A + a + 1]
//   utility    `type` as in a problem file, and its numbers
//   ambiguity  `set` as in a problem file, and its numbers
// Every number reads back to the same double. Empty if there are more than `limit` numbers, or if
// the utility or the set is of the user's own.
std::string problem_text(const Instance& instance, Index limit = kLargestProblemText);

}  // namespace rgu
