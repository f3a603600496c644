// Many sequences at once, with a place in the batch for the next as soon as one is finished.
#pragma once

#include <span>
#include <vector>

#include "rgu/llm/decode/decoder.hpp"
#include "rgu/llm/decode/packed_model.hpp"

namespace rgu::llm::decode {

// A model, and how to run it.
struct Engine {
  const PackedModel& model;
  const Kernels& kernels;
  int threads = 1;
};

std::vector<Sequence> generate(const Engine& engine, std::span<const std::vector<TokenId>> prompts,
                               const GenerateOptions& options);

// (positions, vocabulary).
std::vector<float> all_logits(const Engine& engine, std::span<const TokenId> tokens);

}  // namespace rgu::llm::decode
