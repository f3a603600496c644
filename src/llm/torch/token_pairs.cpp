#include <algorithm>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/scorer_task.hpp"

namespace rgu::llm {
namespace {

// prompt + answer + EOS. Differs from safe-rlhf, which cuts EOS off with the rest of a long answer:
// here the score is always that of EOS.
std::vector<TokenId> scored_tokens(const PreferencePair& pair, std::size_t answer,
                                   const Tokenizer& tokenizer, std::int64_t max_length) {
  const std::optional<TokenId> eos = tokenizer.specials().eos;
  check(eos.has_value(), "the tokenizer has no end-of-sequence token, which scores are read at");
  std::vector<TokenId> tokens = tokenizer.encode(model_prompt(pair) + pair.response[answer]);
  tokens.resize(std::min(tokens.size(), static_cast<std::size_t>(max_length) - 1));
  tokens.push_back(*eos);
  return tokens;
}

double sign_of(const PreferencePair& pair, std::size_t answer) {
  check(pair.safe[answer].has_value(), "{}: is_response_{}_safe is missing: a cost model needs it",
        pair.place, answer);
  return *pair.safe[answer] ? 1 : -1;
}

// The answer that should have the higher score, 0 or 1.
std::size_t high_answer(const PreferencePair& pair, ScoreType type) {
  const bool cost = type == ScoreType::kCost;
  const std::optional<int>& choice = cost ? pair.safer : pair.better;
  check(choice.has_value(), "{}: {} is missing: a {} model needs it", pair.place,
        cost ? "safer_response_id" : "better_response_id", cost ? "cost" : "reward");
  const auto chosen = static_cast<std::size_t>(*choice);
  return cost ? 1 - chosen : chosen;
}

}  // namespace

std::vector<TokenPair> token_pairs(std::span<const PreferencePair> pairs,
                                   const Tokenizer& tokenizer,
                                   const ScorerTrainingOptions& options) {
  std::vector<TokenPair> answer;
  answer.reserve(pairs.size());
  for (const PreferencePair& pair : pairs) {
    if (options.type == ScoreType::kCost) check_safety_labels(pair);
    const std::size_t high = high_answer(pair, options.type);
    const auto tokens = [&](std::size_t number) {
      TokenAnswer scored = {.tokens = scored_tokens(pair, number, tokenizer, options.max_length)};
      if (options.type == ScoreType::kCost) scored.sign = sign_of(pair, number);
      return scored;
    };
    answer.push_back({.high = tokens(high), .low = tokens(1 - high)});
    check(answer.back().high.tokens != answer.back().low.tokens,
          "{}: response_0 and response_1 have the same {} tokens, must differ (within "
          "max_length = {})",
          pair.place, answer.back().high.tokens.size(), options.max_length);
  }
  return answer;
}

}  // namespace rgu::llm
