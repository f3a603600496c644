// Answers that were sampled and scored.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rgu/align/objective.hpp"
#include "rgu/align/prompts.hpp"
#include "rgu/align/record.hpp"
#include "rgu/align/scorer.hpp"
#include "rgu/llm/decode/decoder.hpp"

namespace rgu::align {

// Answer i is to prompt i; answers to one prompt follow each other.
struct AnswerBatch {
  std::vector<const TokenisedPrompt*> prompts = {};
  std::vector<llm::Sequence> sequences = {};
  std::vector<std::string> texts = {};
  AnswerScores scores = {};

  Index size() const { return static_cast<Index>(prompts.size()); }
  Answer answer(std::size_t i) const;
  std::vector<bool> finished() const;
  double mean_length() const;
  double longest() const;
  double finished_share() const;
  JudgedAnswer judged(std::size_t i, const AlignConfig& config) const;
};

// The first `count` answers, and the rest.
struct SplitBatch {
  AnswerBatch first = {};
  AnswerBatch rest = {};
};
SplitBatch split(AnswerBatch batch, Index count);

// What was sampled and scored, to the bit, as a message for other ranks; they know the prompts.
std::string message_of(const AnswerBatch& batch);
// The batch of all prompts, from the messages of its parts, in order.
AnswerBatch joined(std::vector<const TokenisedPrompt*> prompts,
                   std::span<const std::string> messages);

}  // namespace rgu::align
