// The processes that a command runs in.
#pragma once

#include <string_view>

#include "rgu/base/ranks.hpp"

namespace rgu {

// alone(), unless main has said otherwise.
Ranks& job_ranks();
void set_job_ranks(Ranks& ranks);

// Are other ranks waiting for this one? While they are, its failure must end the whole job.
bool is_waited_for();
void set_not_waited_for();
class WaitedFor {
 public:
  WaitedFor();
  ~WaitedFor();  // after an exception they still are
  WaitedFor(const WaitedFor&) = delete;
  WaitedFor& operator=(const WaitedFor&) = delete;
};

// Can the command `rgu NAME` be run in several processes?
bool runs_in_ranks(std::string_view name);

}  // namespace rgu
