// What the ranks of an alignment job do in step.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rgu/base/together.hpp"

namespace rgu::align {

// Thrown between sampling and update where `interrupt` is set: the policy is as it was. All ranks
// throw it at the same place.
struct Interrupted {};

// What the task gives on each rank, for all. Where it is interrupted on one, all are; where it
// throws InvalidInput, all throw SharedComplaint with the message of the first such rank. Alone:
// task().
std::vector<std::string> gathered(Ranks& ranks, const std::function<std::string()>& task);

}  // namespace rgu::align
