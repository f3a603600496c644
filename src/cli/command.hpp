// The commands of `rgu`: each adds itself to the parser and, when chosen, sets what is to be done.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "rgu/cli/exit_code.hpp"
#include "rgu/cli/program.hpp"
#include "rgu/experiment/config.hpp"

namespace rgu {

void add_solve(CLI::App& app, Command& chosen);
void add_resume(CLI::App& app, Command& chosen);
void add_replay(CLI::App& app, Command& chosen);
void add_evaluate(CLI::App& app, Command& chosen);
void add_certify(CLI::App& app, Command& chosen);
void add_verify(CLI::App& app, Command& chosen);
void add_sweep(CLI::App& app, Command& chosen);
void add_compare(CLI::App& app, Command& chosen);
void add_report(CLI::App& app, Command& chosen);
void add_list(CLI::App& app, Command& chosen);
void add_show(CLI::App& app, Command& chosen);
void add_check(CLI::App& app, Command& chosen);
void add_convert(CLI::App& app, Command& chosen);
void add_theory(CLI::App& app, Command& chosen);
void add_lm(CLI::App& app, Command& chosen);
void add_align(CLI::App& app, Command& chosen);
void add_large(CLI::App& app, Command& chosen);  // in large/cli, or that there is none
void add_doctor(CLI::App& app, Command& chosen);
void add_keys(CLI::App& app, Command& chosen);
void add_completions(CLI::App& app, Command& chosen);

// What several commands share.
struct ProblemArguments {
  std::string problem;            // a name or a file
  std::vector<std::string> sets;  // "a.b=v"
  std::string seeds;              // "5", or "3,4,7"

  void add_to(CLI::App& command);
  ProblemConfig config() const;
};

}  // namespace rgu
