// From a list of transitions, as files hold them, to the rectangular kernel of a FiniteMdp.
#pragma once

#include <string_view>
#include <vector>

#include "rgu/base/types.hpp"
#include "rgu/mdp/io/file_options.hpp"

namespace rgu {

struct ListedTransition {
  std::int32_t state = 0;
  std::int32_t action = 0;
  std::int32_t next = 0;
  std::uint32_t line = 0;
  double probability = 0;  // finite and >= 0
  double reward = 0;       // finite
};

// By state, action, next state, line.
void sort_transitions(std::vector<ListedTransition>& transitions);

// A transition that is listed twice: refused, or its probabilities added.
enum class RepeatedTransitions { kError, kSum };

struct Listing {
  std::string_view file;
  std::vector<ListedTransition> transitions;
  Index states = 0;     // as declared, above every id listed; 0: one more than the largest id
  Index actions = 0;    // likewise
  Index last_line = 1;  // where to place what is missing
  RepeatedTransitions repeated = RepeatedTransitions::kError;
  MissingActions missing_actions = MissingActions::kError;
  DeadStates dead_states = DeadStates::kError;
};

struct Tabulation {
  SparseMatrix kernel;  // (S * A, S), zeros in the list stay stored
  Matrix reward;        // (S, A): expected reward of the listed transitions
};

// Every state and action must be listed, except as the options say; the actions of a state are
// numbered from 0 without gaps; every row sums to 1 and has a finite expected reward. No memory is
// taken for declared sizes before the list is found to support them: a list of n transitions has at
// most 2 n states. Throws InvalidInput at the line that breaks a rule.
Tabulation tabulate(Listing listing);

}  // namespace rgu
