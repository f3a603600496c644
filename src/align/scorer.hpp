// What answers are judged by.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rgu/llm/files/token_id.hpp"

namespace rgu::align {

// One answer of the policy. A view: whoever makes it keeps texts and tokens alive.
struct Answer {
  std::string_view prompt = {};  // as the policy was given it
  std::string_view text = {};    // special tokens left out
  std::span<const llm::TokenId> prompt_tokens = {};
  std::span<const llm::TokenId> tokens = {};  // with EOS where `finished`
  bool finished = true;                       // the policy ended it itself, by EOS
};

class Scorer {
 public:
  virtual ~Scorer() = default;
  // One finite number for each answer, in their order. Throws InvalidInput, naming the scorer, if
  // it cannot be had: a command that died, a number that is not finite.
  virtual std::vector<double> scores(std::span<const Answer> answers) = 0;
  // For the log, one line: what it is and how it is run.
  virtual std::string about() const { return {}; }
  // What happened since the last call that a person should know, a line each.
  virtual std::vector<std::string> take_notes() { return {}; }
};

}  // namespace rgu::align
