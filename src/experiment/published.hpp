// The published method, run beside the one that solves a problem: what progress is measured
// against.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"

namespace rgu {

// The same problem by prox-extragradient as published [RGU, Sec. implementation]: [gradient],
// [solver] and [stopping] are those of the built-in problem paper/exploration.
ProblemConfig published_problem(const ProblemConfig& config);

// pi (S, A) that it ends with; empty if `interrupt` was set on the way. `instance` is that of the
// problem and seed.
std::optional<Matrix> published_policy(const ProblemConfig& config, Instance instance,
                                       std::uint64_t seed,
                                       const std::atomic<bool>* interrupt = nullptr);

}  // namespace rgu
