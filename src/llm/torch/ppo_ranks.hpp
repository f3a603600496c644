// An update shared among the ranks of a job: each reads some passes, all hold the sums.
#pragma once

#include <cstddef>
#include <span>

#include "rgu/base/ranks.hpp"
#include "rgu/llm/torch/linear.hpp"
#include "rgu/llm/torch/ppo_measure.hpp"

namespace rgu::llm {

// Does pass number `pass` of a mini-batch belong to this rank? Those of like length lie side by
// side and go to different ranks.
bool is_own_pass(const Ranks& ranks, std::size_t pass);

// The sum over ranks of the gradients, in float32; none counts as zeros. Alone: nothing is done.
void sum_gradients(Ranks& ranks, std::span<const NamedTensor> parameters);

// The sum over ranks, each of which has zeros where it measured nothing.
void sum_measured(Ranks& ranks, OldPolicy& old);

}  // namespace rgu::llm
