#include <algorithm>
#include <tuple>

#include "rgu/mdp/io/line_scanner.hpp"
#include "rgu/mdp/io/prism_file.hpp"
#include "rgu/mdp/io/transition_list.hpp"

namespace rgu {
namespace {

// To the next line that is neither blank nor a comment.
bool next_entry(LineScanner& scanner) {
  while (scanner.next_line()) {
    if (!scanner.accept('#')) return true;
  }
  return false;
}

void require_header(LineScanner& scanner) {
  if (next_entry(scanner)) return;
  fail_at({scanner.place().file, std::max<Index>(1, scanner.place().line)},
          "the file holds no header line");
}

void check_line_ends(LineScanner& scanner, const char* form) {
  if (scanner.at_end()) return;
  fail_at(scanner.place(), "line {} is too long, must be: {}", excerpt(scanner.line()), form);
}

struct Header {
  Place place;
  Index states = 0;
  Index choices = 0;
  Index entries = 0;
};

Header read_header(LineScanner& scanner) {
  require_header(scanner);
  Header header{.place = scanner.place()};
  header.states = scanner.id("number of states");
  header.choices = scanner.id("number of choices");
  header.entries = scanner.id("number of transitions");
  check_line_ends(scanner, "states choices transitions");
  return header;
}

void check_entries(const Header& header, Index listed) {
  check_at(listed == header.entries, header.place, "the header declares {} entries, {} are listed",
           header.entries, listed);
}

std::int32_t read_state(LineScanner& scanner, const char* name, Index states) {
  const std::int32_t state = scanner.id(name);
  if (state >= states) {
    fail_at(scanner.place(), "{} is {}, must be below the number of states, {}", name, state,
            states);
  }
  return state;
}

ListedTransition read_source_choice_target(LineScanner& scanner, Index states) {
  ListedTransition t;
  t.line = static_cast<std::uint32_t>(scanner.place().line);
  t.state = read_state(scanner, "source", states);
  t.action = scanner.id("choice");
  t.next = read_state(scanner, "target", states);
  return t;
}

Index count_choices(const std::vector<ListedTransition>& sorted) {
  Index count = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    count += i == 0 || sorted[i].state != sorted[i - 1].state ||
             sorted[i].action != sorted[i - 1].action;
  }
  return count;
}

// The transitions, sorted, as the listing they make.
Listing read_transitions(const NamedText& source, const ReadOptions& options) {
  LineScanner scanner(source);
  const Header header = read_header(scanner);
  check_at(header.states > 0, header.place, "number of states is 0, must be at least 1");
  Listing listing{.file = source.file,
                  .transitions = {},
                  .states = header.states,
                  .missing_actions = options.missing_actions,
                  .dead_states = options.dead_states};
  while (next_entry(scanner)) {
    ListedTransition t = read_source_choice_target(scanner, header.states);
    t.probability = scanner.probability("probability");
    scanner.word();  // the action's name
    check_line_ends(scanner, "source choice target probability [action]");
    listing.transitions.push_back(t);
  }
  listing.last_line = scanner.place().line;
  check_entries(header, std::ssize(listing.transitions));
  sort_transitions(listing.transitions);
  const Index choices = count_choices(listing.transitions);
  check_at(choices == header.choices, header.place, "the header declares {} choices, {} are listed",
           header.choices, choices);
  return listing;
}

void check_states(const Header& header, Index states) {
  check_at(header.states == states, header.place, "the header declares {} states, the model has {}",
           header.states, states);
}

// Puts the rewards of a .trew file on the transitions of the listing, which are sorted.
void read_transition_rewards(const NamedText& source, Listing& listing) {
  LineScanner scanner(source);
  const Header header = read_header(scanner);
  check_states(header, listing.states);
  std::vector<ListedTransition> rewards;
  while (next_entry(scanner)) {
    ListedTransition t = read_source_choice_target(scanner, header.states);
    t.reward = scanner.finite("reward");
    check_line_ends(scanner, "source choice target reward");
    rewards.push_back(t);
  }
  check_entries(header, std::ssize(rewards));
  sort_transitions(rewards);
  const auto key = [](const ListedTransition& t) { return std::tie(t.state, t.action, t.next); };
  auto transition = listing.transitions.begin();
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    const ListedTransition& r = rewards[i];
    const Place place{source.file, r.line};
    check_at(i == 0 || key(rewards[i - 1]) != key(r), place,
             "the reward of transition s={} a={} s'={} is listed twice", r.state, r.action, r.next);
    while (transition != listing.transitions.end() && key(*transition) < key(r)) ++transition;
    check_at(transition != listing.transitions.end() && key(*transition) == key(r), place,
             "there is a reward but no transition s={} a={} s'={}", r.state, r.action, r.next);
    transition->reward = r.reward;
  }
}

Vector read_state_rewards(const NamedText& source, Index states) {
  LineScanner scanner(source);
  require_header(scanner);
  Header header{.place = scanner.place()};
  header.states = scanner.id("number of states");
  header.entries = scanner.id("number of entries");
  check_line_ends(scanner, "states entries");
  check_states(header, states);
  Vector rewards = Vector::Zero(states);
  std::vector<bool> seen(static_cast<std::size_t>(states));
  Index listed = 0;
  for (; next_entry(scanner); ++listed) {
    const std::int32_t state = read_state(scanner, "state", states);
    check_at(!seen[static_cast<std::size_t>(state)], scanner.place(),
             "the reward of state {} is listed twice", state);
    seen[static_cast<std::size_t>(state)] = true;
    rewards(state) = scanner.finite("reward");
    check_line_ends(scanner, "state reward");
  }
  check_entries(header, listed);
  return rewards;
}

// The number of the label "init", from a line such as: 0="init" 1="deadlock".
std::int32_t read_init_label(LineScanner& scanner) {
  std::int32_t init = -1;
  while (!scanner.at_end()) {
    const std::int32_t label = scanner.id("label number");
    check_at(scanner.accept('=') && scanner.accept('"'), scanner.place(),
             "line {} must be: 0=\"name\" 1=\"name\" ...", excerpt(scanner.line()));
    if (scanner.until('"', "label name") == "init") init = label;
  }
  check_at(init >= 0, scanner.place(), "line {} must name a label \"init\"",
           excerpt(scanner.line()));
  return init;
}

// Uniform over the states that carry the label "init".
Vector read_start(const NamedText& source, Index states) {
  LineScanner scanner(source);
  require_header(scanner);
  const Place header = scanner.place();
  const std::int32_t init = read_init_label(scanner);
  Vector start = Vector::Zero(states);
  while (next_entry(scanner)) {
    const std::int32_t state = read_state(scanner, "state", states);
    if (!scanner.accept(':')) {
      fail_at(scanner.place(), "line {} must be: state: label label ...", excerpt(scanner.line()));
    }
    while (!scanner.at_end()) {
      if (scanner.id("label") == init) start(state) = 1.0;
    }
  }
  const double count = start.sum();
  check_at(count > 0, header, "no state is labelled \"init\", must be at least one");
  return (start.array() > 0).select(Vector::Constant(states, 1.0 / count), start);
}

// The file of the same name with another ending, if there is one; keeps its text alive.
struct Sibling {
  std::filesystem::path path;
  std::string text = {};

  std::optional<NamedText> read() {
    if (!std::filesystem::exists(path)) return std::nullopt;
    text = read_text(path);
    return NamedText{.file = path.native(), .text = text};
  }
};

Sibling sibling(std::filesystem::path path, const char* extension) {
  return {path.replace_extension(extension)};
}

// The rewards of states on top of those of transitions.
void add_state_rewards(const NamedText& source, Matrix& reward) {
  reward.colwise() += read_state_rewards(source, reward.rows());
  for (Index s = 0; s < reward.rows(); ++s) {
    check_at(reward.row(s).allFinite(), {source.file, 1},
             "state {} has a reward beyond all numbers with that of its transitions", s);
  }
}

}  // namespace

World parse_prism(const PrismTexts& texts, const ReadOptions& options) {
  const double discount = required_discount(texts.transitions.file, options);
  Listing listing = read_transitions(texts.transitions, options);
  if (texts.transition_rewards) read_transition_rewards(*texts.transition_rewards, listing);
  Tabulation table = tabulate(std::move(listing));
  const Index states = table.kernel.cols();
  if (texts.state_rewards) add_state_rewards(*texts.state_rewards, table.reward);
  Vector start = texts.labels ? read_start(*texts.labels, states) : Vector::Unit(states, 0);
  if (options.start) start = *options.start;
  World world{.mdp = FiniteMdp(std::move(table.kernel), std::move(start), discount)};
  if (texts.transition_rewards || texts.state_rewards) {
    world.signals["reward"] = std::move(table.reward);
  }
  return world;
}

World read_prism(const std::filesystem::path& tra, const ReadOptions& options) {
  const std::string transitions = read_text(tra);
  Sibling transition_rewards = sibling(tra, ".trew");
  Sibling state_rewards = sibling(tra, ".srew");
  Sibling labels = sibling(tra, ".lab");
  return parse_prism({.transitions = {.file = tra.native(), .text = transitions},
                      .transition_rewards = transition_rewards.read(),
                      .state_rewards = state_rewards.read(),
                      .labels = labels.read()},
                     options);
}

}  // namespace rgu
