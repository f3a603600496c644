// Random models of many shapes, small enough for plain loops.
#pragma once

#include <string>
#include <vector>

#include "rgu/llm/decode/decoder.hpp"
#include "rgu/llm/files/parameters.hpp"

namespace rgu::llm {

struct SmallModel {
  std::string name;
  ModelConfig config;
};

// Parallel and sequential GPT-NeoX, LLaMA with shared and with own keys, every activation, tied and
// untied, sizes that are no multiple of a vector.
std::vector<SmallModel> small_models();
ModelConfig small_neox();   // the plainest of them
ModelConfig small_llama();  // with shared keys

// All parameters random, also the gains and shifts of norms, large enough for uneven probabilities.
Weights lively_weights(const ModelConfig& config, std::uint64_t seed);

std::vector<TokenId> random_tokens(const ModelConfig& config, std::size_t size, std::uint64_t seed);

// Small models are fastest on one thread, and where many programs run many threads wait long.
Decoder one_thread(const ModelConfig& config, const Weights& weights);

}  // namespace rgu::llm
