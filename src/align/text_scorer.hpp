// Scorers as a configuration asks for them, but for score models, which need LibTorch
// (training/make_scorer.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "rgu/align/config.hpp"
#include "rgu/align/scorer.hpp"

namespace rgu::align {

// May the programs that a config names be started? A config may come from anybody: only the user of
// this process can say yes, never a file.
enum class Commands { kRefuse, kAllow };

// Throws InvalidInput, which names scorer and program, for a command that may not be started.
void check_commands(const ScorerConfig& config, std::string_view role, Commands commands);

// A lexicon, linear classifier or command. Every error, now and later, is an InvalidInput that
// begins with role and name: `reward "helpfulness": ..`. Throws InvalidInput for a score model, and
// as check_commands.
std::unique_ptr<Scorer> make_text_scorer(const ScorerConfig& config, std::string_view role,
                                         Commands commands = Commands::kRefuse);

// `made()` with the scale and shift of `config`, and with its errors named as above; refuses
// anything but one finite number for each answer. The parts of make_scorer.
std::unique_ptr<Scorer> named_scorer(const ScorerConfig& config, std::string_view role,
                                     const std::function<std::unique_ptr<Scorer>()>& made);

}  // namespace rgu::align
