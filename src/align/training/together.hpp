// What the ranks of an alignment job do in step.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/ranks.hpp"
#include "rgu/base/types.hpp"

namespace rgu::align {

// Thrown between sampling and update where `interrupt` is set: the policy is as it was. All ranks
// throw it at the same place.
struct Interrupted {};

// An error that all ranks throw at the same place: it is enough that rank 0 tells it.
class JobError : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

// The part of a list of `count` that is this rank's. Those of all ranks, one after the other, are
// the list.
struct Share {
  Index first = 0;
  Index count = 0;
};
Share own_share(const Ranks& ranks, Index count);

// What the task gives on each rank, for all. Where it is interrupted on one, all are; where it
// throws InvalidInput, all throw JobError with the message of the first such rank. Alone: task().
std::vector<std::string> gathered(Ranks& ranks, const std::function<std::string()>& task);

}  // namespace rgu::align
