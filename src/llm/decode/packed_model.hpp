// All weights of a model in the form the decode path reads.
#pragma once

#include <vector>

#include "rgu/llm/decode/packed_matrix.hpp"
#include "rgu/llm/files/model_config.hpp"
#include "rgu/llm/files/token_id.hpp"

namespace rgu::llm::decode {

// attention_in gives the queries of all heads, then all keys, then all values. With n a norm
// without its gain and shift, which are in the maps that follow,
//   sequential: x += attention_out(attend(attention_in(n(x))));  x += mlp_out(act(mlp_in(n(x))))
//   parallel:   x += mlp_out([attend(attention_in(n(x))), act(mlp_in(n(x)))]), attention_out is
//   empty.
// A gated MLP has in mlp_in a panel of gates before each panel of what they gate.
struct PackedLayer {
  PackedMatrix attention_in = {};
  PackedMatrix mlp_in = {};
  PackedMatrix attention_out = {};
  PackedMatrix mlp_out = {};
};

struct PackedModel {
  ModelConfig config = {};
  Weights weights = {};       // keeps the embedding alive, which is read where it lies
  TensorView embedding = {};  // (vocabulary, hidden)
  std::vector<PackedLayer> layers = {};
  PackedMatrix head = {};

  Size hidden() const { return config.hidden; }
  Size heads() const { return config.heads; }
  Size head_size() const { return config.head_size(); }
  Size key_value_heads() const { return gated() ? config.key_value_heads : config.heads; }
  Size intermediate() const { return config.intermediate; }
  bool gated() const { return config.architecture == Architecture::kLlama; }
  bool parallel() const { return !gated() && config.parallel_residual; }
  std::size_t bytes() const;

  // The embedding of `token`, as floats.
  void embed(TokenId token, float* x) const;
};

// Throws InvalidInput where the weights do not fit the config; the model is then as it was.
void pack(const ModelConfig& config, const Weights& weights, int threads, PackedModel& model);

}  // namespace rgu::llm::decode
