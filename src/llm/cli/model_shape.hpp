// The shape of a new model, as commands that make one are told it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "rgu/llm/files/model_config.hpp"
#include "rgu/llm/text/tokenizer.hpp"

namespace rgu::llm {

struct ShapeArguments {
  std::string size;    // of the Pythia suite
  std::string config;  // or a config.json

  void add_to(CLI::App& command);
  bool given() const { return !size.empty() || !config.empty(); }
  // A size of the suite gets the tokenizer's vocabulary, rounded up to a multiple of 128 as the
  // suite has it, and its special tokens; a config stays as it is. Throws InvalidInput unless one
  // of them is given.
  ModelConfig shape(const Tokenizer* tokenizer) const;
};

}  // namespace rgu::llm
