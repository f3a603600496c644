#include "rgu/align/training/setup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rgu/align/config_file.hpp"
#include "rgu/align/training/make_scorer.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/crc32c.hpp"
#include "rgu/llm/torch/tensors.hpp"
#include "rgu/llm/torch/trained_model.hpp"

namespace rgu::align {
namespace {

namespace fs = std::filesystem;

fs::path tokenizer_path(const PolicyConfig& policy, const llm::ModelFiles& model) {
  return policy.tokenizer.value_or(model.folder);
}

llm::TokenId end_of(const llm::Tokenizer& tokenizer, const fs::path& path) {
  const auto end = tokenizer.specials().eos;
  check(end.has_value(), "{}: the tokenizer has no EOS token, by which answers end", path.string());
  return *end;
}

void check_all_commands(const AlignConfig& config, Commands commands) {
  for (const ConstraintConfig& constraint : config.constraints) {
    check_commands(constraint.scorer, "cost", commands);
  }
  for (const ScorerConfig& reward : config.rewards) check_commands(reward, "reward", commands);
}

void check_room(const Setup& setup) {
  std::size_t longest = 0;
  for (const auto* prompts : {&setup.prompts.training, &setup.prompts.evaluation}) {
    for (const TokenisedPrompt& prompt : *prompts)
      longest = std::max(longest, prompt.tokens.size());
  }
  const auto needed = static_cast<Index>(longest) + setup.config.sampling.max_new_tokens;
  check(needed <= setup.model.config.max_positions,
        "the longest prompt has {} tokens and answers up to sampling.max_new_tokens = {}, but the "
        "policy has {} positions: lower data.max_prompt_tokens or sampling.max_new_tokens",
        longest, setup.config.sampling.max_new_tokens, setup.model.config.max_positions);
}

}  // namespace

Setup open_setup(const AlignConfig& config, const MachineOptions& machine) {
  check_config(config);
  check_all_commands(config, machine.commands);
  llm::device_named(machine.device);
  Setup setup{.config = config, .machine = machine, .model = llm::open_model(config.policy.model)};
  if (config.policy.adapter) setup.adapter = llm::open_adapter(*config.policy.adapter);
  setup.tokenizer_path = tokenizer_path(config.policy, setup.model);
  setup.tokenizer = llm::open_tokenizer(setup.tokenizer_path);
  check(setup.tokenizer->size() <= setup.model.config.vocabulary,
        "{}: the tokenizer has {} tokens, the policy a vocabulary of {}",
        setup.tokenizer_path.string(), setup.tokenizer->size(), setup.model.config.vocabulary);
  setup.end = end_of(*setup.tokenizer, setup.tokenizer_path);
  setup.prompts = read_prompt_set(config.data, *setup.tokenizer);
  check_room(setup);
  RunScorers scorers = make_scorers(config, {.policy_tokenizer = setup.tokenizer.get(),
                                             .policy_tokenizer_path = setup.tokenizer_path,
                                             .threads = machine.threads,
                                             .device = machine.device,
                                             .commands = machine.commands});
  setup.rewards = std::move(scorers.rewards);
  setup.costs = std::move(scorers.costs);
  return setup;
}

std::string fingerprint(const Setup& setup) {
  AlignConfig config = setup.config;
  config.stopping = {};
  config.output = {};
  config.seeds = {0};
  llm::Fingerprint start;
  llm::put_start(start, setup.model);
  llm::Checksum prompts;
  for (const auto* part : {&setup.prompts.training, &setup.prompts.evaluation}) {
    for (const TokenisedPrompt& prompt : *part) {
      prompts.add(std::span<const llm::TokenId>(prompt.tokens));
    }
  }
  return fmt::format("{:08x}-{}-{}", crc32c(to_toml(config)), start["start"], prompts.text());
}

}  // namespace rgu::align
