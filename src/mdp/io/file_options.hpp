// What a reader is told beyond the file, and what a writer is told beyond the world.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rgu/base/types.hpp"

namespace rgu {

// A state that lists fewer actions than another one. A FiniteMdp has the same actions in every
// state, so the file is refused, or the state's first or last listed action stands in for those it
// lacks: then the missing actions are copies, and no policy gains or loses anything by them.
enum class MissingActions { kError, kRepeatFirst, kRepeatLast };

// A state without any listed action (a deadlock): refused, or made absorbing under every action,
// with transition reward 0.
enum class DeadStates { kError, kAbsorb };

struct ReadOptions {
  // Used in place of what the file says. CSV and PRISM files hold no discount: there it must be
  // set.
  std::optional<double> discount = std::nullopt;
  // Used in place of what the file says, (S). Without it: JSON as stored; CSV uniform; PRISM
  // uniform over the states labelled "init", or state 0 where there is no label file.
  std::optional<Vector> start = std::nullopt;
  // CSV and PRISM only; in a JSON model every state lists every action.
  MissingActions missing_actions = MissingActions::kError;
  DeadStates dead_states = DeadStates::kError;
};

// options.discount. Throws InvalidInput, naming `file`, if it is not set.
double required_discount(std::string_view file, const ReadOptions& options);

struct WriteOptions {
  // CSV and PRISM hold one reward: the signal of this name, which must exist. Empty: zeros.
  std::string reward = "reward";
};

}  // namespace rgu
