// The prompts of an alignment run: read, de-duplicated, tokenised, split.
#pragma once

#include <string>
#include <vector>

#include "rgu/align/config.hpp"
#include "rgu/llm/files/token_id.hpp"
#include "rgu/llm/text/tokenizer.hpp"

namespace rgu::align {

struct TokenisedPrompt {
  std::string input = {};  // as it stands in the file
  std::string text = {};   // as the policy is given it
  std::vector<llm::TokenId> tokens = {};
};

struct PromptSet {
  std::vector<TokenisedPrompt> training = {};
  std::vector<TokenisedPrompt> evaluation = {};
  Index read = 0;      // different prompts in the files
  Index too_long = 0;  // of these were left out
};

// Every prompt once, over all files, in the order of first appearance; which of them are held out
// depends on the prompt's text and the split seed only, so that another file more does not move a
// prompt from one side to the other. Both sides have one at least: where chance gives all prompts
// to one side, the one nearest to the other side changes over. With held_out = 0 evaluation has the
// training prompts, and one prompt is enough. Throws InvalidInput, with the line where there is
// one, if a file does not read, no prompt is short enough or, with something held out, only one is.
PromptSet read_prompt_set(const DataConfig& data, const llm::Tokenizer& tokenizer);

}  // namespace rgu::align
