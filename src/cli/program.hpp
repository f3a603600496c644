// What every program of rgu does around its commands: parse, dispatch, one line for an error, exit
// code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace rgu {

using Command = std::function<int()>;  // returns an ExitCode

// Parses the arguments, which lets a command put itself into `chosen`, and calls it. `name` begins
// every error message and is what the user types: "rgu", "rgu lm".
int run_program(CLI::App& app, const std::string& name, int argc, char** argv, Command& chosen);

struct ThreadArgument {
  int threads = 0;  // 0: as many as the machine has

  void add_to(CLI::App& command);
  int count() const;
};

}  // namespace rgu
