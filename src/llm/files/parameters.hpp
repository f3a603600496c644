// The parameters a model of a given shape has, by the names that the Python ecosystem gives them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/llm/files/model_config.hpp"
#include "rgu/llm/files/tensor.hpp"

namespace rgu::llm {

enum class Initial { kNormal, kZeros, kOnes };  // kNormal: mean 0, sd config.initializer_range

struct Parameter {
  std::string name;
  TensorShape shape;
  Initial initial = Initial::kNormal;
};

// What a model may be loaded for: the output head is a parameter of a language model only, the
// score head of a score model only.
enum class Head { kLanguage, kScore };

// In a fixed order: embeddings, layers, final norm, head. A tied output head is not a parameter.
std::vector<Parameter> parameters_of(const ModelConfig& config, Head head);
std::int64_t parameter_count(const ModelConfig& config, Head head);

// Throws InvalidInput that lists the tensors that are missing, unexpected (neither a parameter nor
// one of the buffers and other heads that checkpoints carry: attention.bias, attention.masked_bias,
// rotary_emb.inv_freq, lm_head, embed_out, score_head, normalizer, v_head) or of the wrong shape;
// at most ten of each by name, the rest counted. score_head.bias is optional.
void check_weights(const ModelConfig& config, Head head, const Weights& weights,
                   const std::string& where);

// Weights drawn afresh, parameter by parameter in the order of parameters_of.
Weights random_weights(const ModelConfig& config, Head head, Rng& rng);

}  // namespace rgu::llm
