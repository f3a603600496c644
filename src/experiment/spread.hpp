// A run on several ranks: rank 0 leads and writes, the others compute for it.
#pragma once

#include <cstdint>
#include <vector>

#include "rgu/base/ranks.hpp"
#include "rgu/experiment/runner.hpp"

namespace rgu {

// What the ranks share: the trajectories of each batch, seed after seed, or whole seeds. What is
// written is the same, to the last bit.
enum class Spread { kSamples, kSeeds };

// Whole seeds where gradients are exact or there is one for each rank, else trajectories.
Spread chosen_spread(const ProblemConfig& config, std::size_t open_seeds, int ranks);

// Rank 0: runs these seeds, numbers in config.seeds, with the help of the other ranks, which are in
// assist(). The outcomes are in the order of the seeds.
std::vector<SeedOutcome> run_spread(const ProblemConfig& config, const RunFolder& folder,
                                    const std::vector<std::size_t>& open,
                                    const RunnerOptions& options);

// The other ranks: helps with a run, until it is over. `threads` as in RunnerOptions.
void assist(Ranks& ranks, int threads);

// Rank 0, where a run ends before it began: the others return from assist().
void dismiss(Ranks& ranks);

}  // namespace rgu
