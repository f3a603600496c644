// rgu align demo.
#pragma once

#include <CLI/CLI.hpp>

#include "rgu/cli/program.hpp"

namespace rgu::align {

void add_demo(CLI::App& app, Command& chosen);

}  // namespace rgu::align
