// Scorers as they are named on the command line.
#pragma once

#include <string>

#include "rgu/align/config.hpp"

namespace rgu::align {

// "[NAME=]WHAT", where WHAT is a folder (a score model, or the adapter of a trained scorer, which
// knows its base model), "lexicon:FILE", "linear:FILE" or "command:PROGRAM ARGUMENTS". Throws
// InvalidInput.
ScorerConfig scorer_from(const std::string& text, const std::string& default_name);

}  // namespace rgu::align
