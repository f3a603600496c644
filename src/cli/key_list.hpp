// The keys of configuration files on the terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "rgu/cli/program.hpp"
#include "rgu/experiment/config.hpp"

namespace rgu {

// What is listed, and what it is called.
struct KeyList {
  std::string what;     // "a problem file"
  std::string example;  // "rgu keys solver"
  std::function<std::vector<KeyHelp>()> keys;
};

// Adds the command `keys [TABLE] [--json]`.
void add_key_list(CLI::App& app, Command& chosen, const KeyList& list);

}  // namespace rgu
