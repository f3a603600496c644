#include "rgu/align/prompts.hpp"

#include <algorithm>
#include <unordered_set>

#include "rgu/base/check.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/llm/text/preferences.hpp"

namespace rgu::align {
namespace {

// FNV-1a, 64 bits.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return hash;
}

// A prompt and its lot: uniform on [0, 1), by text and split seed alone. Below held_out:
// evaluation.
struct Drawn {
  TokenisedPrompt prompt = {};
  double lot = 0;
};

std::string policy_text(const std::string& input, DataConfig::Template form) {
  return form == DataConfig::Template::kConversation ? llm::conversation_prompt(input) : input;
}

// Every different prompt of the files, tokenised; those that are too long are only counted.
std::vector<Drawn> read_drawn(const DataConfig& data, const llm::Tokenizer& tokenizer,
                              PromptSet& set) {
  std::vector<Drawn> drawn;
  std::unordered_set<std::string> seen;
  for (const std::filesystem::path& file : data.prompts) {
    for (llm::Prompt& prompt : llm::read_prompts(file)) {
      if (!seen.insert(prompt.text).second) continue;
      ++set.read;
      std::string text = policy_text(prompt.text, data.form);
      std::vector<llm::TokenId> tokens = tokenizer.encode(text);
      check(!tokens.empty(), "{}:{}: the prompt has no token, must have one at least",
            file.string(), prompt.line);
      if (std::ssize(tokens) > data.max_prompt_tokens) {
        ++set.too_long;
        continue;
      }
      const auto seed = static_cast<std::uint64_t>(data.split_seed);
      const double lot = Rng(seed, hash_of(prompt.text)).uniform();
      drawn.push_back({{std::move(prompt.text), std::move(text), std::move(tokens)}, lot});
    }
  }
  return drawn;
}

std::string names_of(const std::vector<std::filesystem::path>& files) {
  const std::string first = files.front().string();
  return files.size() == 1 ? first : fmt::format("{} and others", first);
}

// A bound such that at least one lot is below it and one is not: held_out wherever that will do.
double bound_between(const std::vector<Drawn>& drawn, double held_out) {
  const auto order = [](const Drawn& a, const Drawn& b) { return a.lot < b.lot; };
  const auto [least, most] = std::minmax_element(drawn.begin(), drawn.end(), order);
  if (held_out > most->lot) return most->lot;
  if (held_out > least->lot) return held_out;
  double next = most->lot;
  for (const Drawn& d : drawn) {
    if (d.lot > least->lot) next = std::min(next, d.lot);
  }
  return next;
}

void split(std::vector<Drawn> drawn, double held_out, PromptSet& set) {
  const double bound = held_out == 0 ? 0 : bound_between(drawn, held_out);
  for (Drawn& d : drawn) {
    (d.lot < bound ? set.evaluation : set.training).push_back(std::move(d.prompt));
  }
  if (held_out == 0) set.evaluation = set.training;
}

}  // namespace

PromptSet read_prompt_set(const DataConfig& data, const llm::Tokenizer& tokenizer) {
  check(!data.prompts.empty(), "no file of prompts is given, must be one at least");
  check(data.held_out >= 0 && data.held_out < 1, "held_out is {}, must be in [0, 1)",
        data.held_out);
  check_count("max_prompt_tokens", data.max_prompt_tokens);
  PromptSet set;
  std::vector<Drawn> drawn = read_drawn(data, tokenizer, set);
  check(set.read > 0, "{}: holds no prompt, must hold one at least", names_of(data.prompts));
  check(!drawn.empty(), "{}: none of {} prompts has {} tokens or fewer (max_prompt_tokens)",
        names_of(data.prompts), set.read, data.max_prompt_tokens);
  check(data.held_out == 0 || drawn.size() >= 2,
        "{}: has {} prompt of {} tokens or fewer, must have two at least: one to learn from, one "
        "held out",
        names_of(data.prompts), drawn.size(), data.max_prompt_tokens);
  split(std::move(drawn), data.held_out, set);
  return set;
}

}  // namespace rgu::align
