// The policy that ignores the ambiguity: what robustness is measured against.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"

namespace rgu {

// The same problem without ambiguity: nature plays the nominal xi. By the envelope solver where the
// problem is solved over occupancies, else by PGDA with a worst-case oracle, which is then plain
// policy gradient.
ProblemConfig nominal_problem(const ProblemConfig& config);

// pi (S, A) after that many iterations of it (by the envelope solver: all that the problem allows),
// whatever other limits the problem has; empty if `interrupt` was set on the way.
std::optional<Matrix> nominal_policy(const ProblemConfig& config, std::uint64_t seed,
                                     Index iterations,
                                     const std::atomic<bool>* interrupt = nullptr);
// The same where the instance of that problem and seed is made already.
std::optional<Matrix> nominal_policy(const ProblemConfig& config, Instance instance,
                                     std::uint64_t seed, Index iterations,
                                     const std::atomic<bool>* interrupt = nullptr);

// Does that policy say something about robustness here? Not without ambiguity, and not where the
// nominal multipliers, 0, leave all constraints out.
bool has_baseline(const Instance& instance);

}  // namespace rgu
