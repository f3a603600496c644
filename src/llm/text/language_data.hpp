// Text to learn a language model from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "rgu/llm/files/token_id.hpp"
#include "rgu/llm/text/tokenizer.hpp"

namespace rgu::llm {

// One prompt and its answer, the only part that carries loss, which begins at token `answer`.
struct PromptAnswer {
  std::vector<TokenId> tokens = {};
  std::int64_t answer = 0;
};

// Either documents in one stream, each followed by EOS, which sequences of any length are cut from,
// or prompts with answers, one a sequence.
struct LanguageData {
  std::vector<TokenId> stream = {};
  std::vector<PromptAnswer> pairs = {};
  std::int64_t documents = 0;
  std::int64_t bytes = 0;  // of text
};

// Each file is JSON lines (.jsonl) with "text", or with "prompt" and "response", in every line, or
// plain text: one document. All may be compressed (.gz, .xz). Answers are followed by EOS, prompts
// are put as they are. Throws InvalidInput, naming file and line, on anything else, on a mixture of
// both kinds, and if the tokenizer has no EOS.
LanguageData read_language_data(std::span<const std::filesystem::path> files,
                                const Tokenizer& tokenizer);

}  // namespace rgu::llm
