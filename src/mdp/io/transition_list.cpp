#include "rgu/mdp/io/transition_list.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>

#include "rgu/mdp/io/place.hpp"

namespace rgu {
namespace {

using Transitions = std::span<const ListedTransition>;

constexpr Index kMostEntries = std::numeric_limits<std::int32_t>::max();

// The listed actions of one state, each with its transitions; empty for a dead state.
using Choices = std::span<const Transitions>;

// Consecutive transitions of equal (state, action), in order.
std::vector<Transitions> choices_of(Transitions transitions) {
  std::vector<Transitions> choices;
  for (std::size_t begin = 0; begin < transitions.size();) {
    std::size_t end = begin + 1;
    while (end < transitions.size() && transitions[end].state == transitions[begin].state &&
           transitions[end].action == transitions[begin].action) {
      ++end;
    }
    choices.push_back(transitions.subspan(begin, end - begin));
    begin = end;
  }
  return choices;
}

Index states_of(const Listing& listing) {
  const Place end{listing.file, listing.last_line};
  const Index count = std::ssize(listing.transitions);
  check_at(count > 0, end, "no transitions are listed, must be at least one");
  Index states = listing.states;
  if (states == 0) {
    for (const ListedTransition& t : listing.transitions) {
      states = std::max<Index>({states, t.state + Index{1}, t.next + Index{1}});
    }
  }
  check_at(states <= 2 * count, end,
           "the model has {} states, but the {} listed transitions can mention at most {}", states,
           count, 2 * count);
  return states;
}

// Splits the choices among the states and checks that each state has all it must have.
class States {
 public:
  States(const Listing& listing, const std::vector<Transitions>& choices)
      : states_(static_cast<std::size_t>(states_of(listing))), actions_(listing.actions) {
    for (std::size_t begin = 0; begin < choices.size();) {
      const std::int32_t state = choices[begin].front().state;
      std::size_t end = begin;
      while (end < choices.size() && choices[end].front().state == state) {
        check_numbering(listing, choices[end].front(), static_cast<Index>(end - begin));
        ++end;
      }
      states_[static_cast<std::size_t>(state)] = Choices(choices).subspan(begin, end - begin);
      actions_ = std::max(actions_, static_cast<Index>(end - begin));
      begin = end;
    }
    check_complete(listing);
  }

  Index states() const { return std::ssize(states_); }
  Index actions() const { return actions_; }
  Choices choices(Index state) const { return states_[static_cast<std::size_t>(state)]; }

 private:
  static void check_numbering(const Listing& listing, const ListedTransition& first,
                              Index expected) {
    check_at(first.action == expected, {listing.file, first.line},
             "state {} lists action {} but no action {}, must number its actions from 0 without "
             "gaps",
             first.state, first.action, expected);
  }

  void check_complete(const Listing& listing) const {
    const Place end{listing.file, listing.last_line};
    for (Index s = 0; s < states(); ++s) {
      const Index listed = std::ssize(choices(s));
      check_at(listed > 0 || listing.dead_states == DeadStates::kAbsorb, end,
               "state {} lists no action, must list at least one", s);
      check_at(
          listed == 0 || listed == actions_ || listing.missing_actions != MissingActions::kError,
          end, "state {} lists no action {}, must list all {}", s, listed, actions_);
    }
    check_at(states() * actions_ <= kMostEntries, end,
             "the model has {} states and {} actions, must have at most {} pairs of them", states(),
             actions_, kMostEntries);
  }

  std::vector<Choices> states_;
  Index actions_;
};

// The transitions that stand for action `action` of a state that lists some.
Transitions stand_in(Choices choices, Index action, MissingActions rule) {
  if (action < std::ssize(choices)) return choices[static_cast<std::size_t>(action)];
  return rule == MissingActions::kRepeatFirst ? choices.front() : choices.back();
}

// r0 + sum p (r - r0): the expectation where sum p = 1, and exactly r0 where all rewards are r0.
double expected_reward(std::string_view file, Transitions transitions) {
  const ListedTransition& first = transitions.front();
  double difference = 0;
  for (const ListedTransition& t : transitions) {
    difference += t.probability * (t.reward - first.reward);
  }
  const double reward = first.reward + difference;
  check_at(std::isfinite(reward), {file, first.line},
           "the expected reward of s={} a={} is {}, must be finite: its rewards are too large",
           first.state, first.action, reward);
  return reward;
}

void check_row(const SparseMatrix& kernel, Index row, const Place& place,
               const ListedTransition& first) {
  const Index begin = kernel.outerIndexPtr()[row];
  const Index size = kernel.outerIndexPtr()[row + 1] - begin;
  const std::span<const double> values(kernel.valuePtr() + begin, static_cast<std::size_t>(size));
  if (is_distribution(values)) return;  // naming a row costs more than checking it
  check_distribution(place, fmt::format("transition row s={} a={}", first.state, first.action),
                     values);
}

void append_row(SparseMatrix& kernel, Index row, const Listing& listing, Transitions transitions) {
  kernel.startVec(row);
  double* last = nullptr;
  std::int32_t column = -1;
  for (const ListedTransition& t : transitions) {
    if (t.next == column) {
      check_at(listing.repeated == RepeatedTransitions::kSum, {listing.file, t.line},
               "transition s={} a={} s'={} is listed twice", t.state, t.action, t.next);
      *last += t.probability;
      continue;
    }
    last = &kernel.insertBack(row, t.next);
    *last = t.probability;
    column = t.next;
  }
  check_row(kernel, row, {listing.file, transitions.front().line}, transitions.front());
}

Index entries_of(const Listing& listing, const States& states) {
  Index entries = 0;
  for (Index s = 0; s < states.states(); ++s) {
    const Choices choices = states.choices(s);
    for (Index a = 0; a < states.actions(); ++a) {
      entries += choices.empty() ? 1 : std::ssize(stand_in(choices, a, listing.missing_actions));
    }
  }
  check_at(entries <= kMostEntries, {listing.file, listing.last_line},
           "the model has {} transitions, must have at most {}", entries, kMostEntries);
  return entries;
}

}  // namespace

void sort_transitions(std::vector<ListedTransition>& transitions) {
  const auto before = [](const ListedTransition& x, const ListedTransition& y) {
    return std::tie(x.state, x.action, x.next, x.line) <
           std::tie(y.state, y.action, y.next, y.line);
  };
  // Files are mostly written in order.
  if (!std::is_sorted(transitions.begin(), transitions.end(), before)) {
    std::sort(transitions.begin(), transitions.end(), before);
  }
}

Tabulation tabulate(Listing listing) {
  sort_transitions(listing.transitions);
  const std::vector<Transitions> choices = choices_of(listing.transitions);
  const States states(listing, choices);
  const Index actions = states.actions();
  const Index entries = entries_of(listing, states);
  Tabulation table{SparseMatrix(states.states() * actions, states.states()),
                   Matrix::Zero(states.states(), actions)};
  table.kernel.reserve(entries);
  for (Index s = 0; s < states.states(); ++s) {
    for (Index a = 0; a < actions; ++a) {
      const Index row = s * actions + a;
      if (states.choices(s).empty()) {
        table.kernel.startVec(row);
        table.kernel.insertBack(row, s) = 1.0;
        continue;
      }
      const Transitions transitions = stand_in(states.choices(s), a, listing.missing_actions);
      append_row(table.kernel, row, listing, transitions);
      table.reward(s, a) = expected_reward(listing.file, transitions);
    }
  }
  table.kernel.finalize();
  return table;
}

}  // namespace rgu
