// The commands of `rgu align`.
#pragma once

#include <CLI/CLI.hpp>

#include "rgu/cli/program.hpp"

namespace rgu::align {

// Makes `app` the command line of `rgu align`: a run from a file or from options, and its own
// commands demo, resume, report and keys. Without LibTorch it takes anything, and says so.
void set_up_align(CLI::App& app, Command& chosen);

}  // namespace rgu::align
