// What the commands that only run a model have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "rgu/cli/program.hpp"
#include "rgu/llm/torch/evaluation.hpp"

namespace rgu::llm {

struct EvaluationArguments {
  EvaluationOptions options = {};
  ThreadArgument threads = {};

  // `what` is read in batches: "Windows".
  void add_to(CLI::App& command, const std::string& what) {
    command.add_option("--batch", options.batch, what + " at once")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    threads.add_to(command);
    command.add_option("--device", options.device, "cpu, cuda, cuda:1, ..")->capture_default_str();
  }

  EvaluationOptions chosen() const {
    EvaluationOptions all = options;
    all.threads = threads.count();
    return all;
  }
};

}  // namespace rgu::llm
