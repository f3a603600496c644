// All that the seeds of an alignment run share: models, tokenizer, prompts, scorers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rgu/align/config.hpp"
#include "rgu/align/prompts.hpp"
#include "rgu/align/scorer.hpp"
#include "rgu/align/text_scorer.hpp"
#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/text/tokenizer.hpp"

namespace rgu::align {

struct MachineOptions {
  int threads = 0;             // 0: as many as the machine has
  std::string device = "cpu";  // as LibTorch spells it
  Commands commands = Commands::kRefuse;
};

struct Setup {
  AlignConfig config = {};
  MachineOptions machine = {};
  llm::ModelFiles model = {};
  std::optional<llm::AdapterFiles> adapter = {};  // to go on from
  std::unique_ptr<llm::Tokenizer> tokenizer = {};
  std::filesystem::path tokenizer_path = {};
  llm::TokenId end = 0;  // EOS
  PromptSet prompts = {};
  std::vector<std::unique_ptr<Scorer>> rewards = {};
  std::vector<std::unique_ptr<Scorer>> costs = {};
};

// Opens everything the config names. Throws InvalidInput where something is missing, damaged or
// does not fit: a tokenizer of other ids than the model's or without EOS, prompts that leave no
// room for an answer; commands, unless the machine allows them, before anything is opened.
Setup open_setup(const AlignConfig& config, const MachineOptions& machine);

// Of what the run is made from: the config but for [stopping] and [output], the policy's weights,
// the prompts.
std::string fingerprint(const Setup& setup);

}  // namespace rgu::align
