// Sampling by LibTorch: what a Decoder does on a CPU, on any device.
#pragma once

#include <span>
#include <vector>

#include "rgu/llm/decode/decoder.hpp"
#include "rgu/llm/torch/transformer.hpp"

namespace rgu::llm {

// As Decoder::generate: one sequence per prompt, with the same uniforms, so that both sample the
// same tokens but for rounding. Prompts of a batch are padded on the left; rows leave the batch
// when they end. Throws InvalidInput for an empty prompt, or one that leaves no position.
std::vector<Sequence> generate(const Transformer& model,
                               std::span<const std::vector<TokenId>> prompts,
                               const GenerateOptions& options);

}  // namespace rgu::llm
