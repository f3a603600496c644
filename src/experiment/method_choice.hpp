// method = "auto" of [solver].
#pragma once

#include <string>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"

namespace rgu {

struct MethodChoice {
  SolverConfig solver;
  std::string reason;  // one line; empty where the problem itself names the method
};

// The method with the strongest guarantee that the problem admits, in this order:
//   envelope            the model is used exactly, policies are tabular, the utility is convex in
//                       the occupancy and its worst case exact or certified: the optimum, proven
//   worst-case          the worst case is exact or certified: descent on the worst case itself
//   prox-extragradient  otherwise: nature's choice may stay in a local maximum
MethodChoice chosen_method(const ProblemConfig& config, const Instance& instance);

// The same where only trajectories are to be had.
MethodChoice chosen_without_model(const SolverConfig& solver, const Utility& utility,
                                  const ConvexSet& ambiguity);

// The method in one line, with the reason where it was chosen.
std::string chosen_method_text(const ProblemConfig& config, const Instance& instance);

// Throws InvalidInput, beginning with "solver: ", where a method over occupancies does not fit the
// rest of the problem: sampled gradients, policies with features, a utility that is not convex in
// the occupancy.
void check_method(const ProblemConfig& config, const Instance& instance);

}  // namespace rgu
