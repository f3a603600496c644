// Models as the explicit files of the PRISM model checker, for Markov decision processes.
//
//   model.tra    "states choices transitions", then "source choice target probability [action]"
//   model.trew   "states choices entries", then "source choice target reward"
//   model.srew   "states entries", then "state reward"
//   model.lab    0="init" 1="deadlock" ..., then "state: label label ..."
//
// as given in the PRISM manual, appendix "Explicit Model Files", and read by PRISM's own importer:
// ids count from 0, lines may come in any order, blank lines and lines that begin with # are
// skipped. Action names are not kept. Not read: probabilities as fractions or intervals, initial
// states inside .tra (lines that begin with -), Markov chains, partially observed models.
//
// In PRISM each state has choices of its own; choice k becomes action k, and
// ReadOptions::missing_actions says what fills up the states with fewer. ReadOptions::dead_states
// treats deadlocks; PRISM itself adds the same self-loop. Where reward files are present, the
// signal "reward" (S, A) is the state reward plus the expected transition reward, entries that are
// not listed counting as 0. The start distribution is uniform over the states labelled "init";
// without a label file it is state 0, as in PRISM. The kernel is sparse. The files hold no
// discount.
#pragma once

#include <filesystem>
#include <optional>

#include "rgu/base/text_file.hpp"
#include "rgu/mdp/io/file_options.hpp"
#include "rgu/mdp/world.hpp"

namespace rgu {

struct PrismTexts {
  NamedText transitions;
  std::optional<NamedText> transition_rewards = std::nullopt;
  std::optional<NamedText> state_rewards = std::nullopt;
  std::optional<NamedText> labels = std::nullopt;
};

// Throws InvalidInput, with file and line, on whatever breaks the format or is no proper model, and
// where options.discount is not set.
World parse_prism(const PrismTexts& texts, const ReadOptions& options);

// Reads `tra` and, where they exist, the files of the same name that end in .trew, .srew and .lab.
World read_prism(const std::filesystem::path& tra, const ReadOptions& options);

// Writes all four files, `tra` last. The reward goes to .srew if it does not depend on the action,
// else to .trew, where PRISM wants the same reward on all targets of a choice; the other file lists
// nothing. Reading the files back gives the same numbers, bit for bit. Throws InvalidInput if the
// signal is missing, not (S, A) or not finite, or if the start distribution is not uniform over
// some set of states, since the format cannot hold any other; and FileError.
void write_prism(const std::filesystem::path& tra, const World& world,
                 const WriteOptions& options = {});

}  // namespace rgu
