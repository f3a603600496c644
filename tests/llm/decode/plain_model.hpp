// Both architectures once more, as plain loops in double precision, one position after the other.
#pragma once

#include <span>
#include <vector>

#include "rgu/llm/files/model_config.hpp"
#include "rgu/llm/files/tensor.hpp"
#include "rgu/llm/files/token_id.hpp"

namespace rgu::llm {

// Logits (positions, vocabulary).
std::vector<std::vector<double>> plain_logits(const ModelConfig& config, const Weights& weights,
                                              std::span<const TokenId> tokens);

// log softmax(logits / temperature)[token].
double log_softmax(std::span<const double> logits, double temperature, TokenId token);

}  // namespace rgu::llm
