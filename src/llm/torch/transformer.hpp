// GPT-NeoX and LLaMA by LibTorch: differentiable, on a CPU or a GPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rgu/llm/files/model_config.hpp"
#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/files/parameters.hpp"
#include "rgu/llm/files/tensor.hpp"
#include "rgu/llm/torch/attention.hpp"
#include "rgu/llm/torch/key_value_cache.hpp"
#include "rgu/llm/torch/linear.hpp"

namespace rgu::llm {

enum class BaseWeights { kFrozen, kTrained };

struct TransformerOptions {
  Head head = Head::kLanguage;
  // The type weights are converted to and computed in: F32, F64 (for tests), F16 or BF16; none: the
  // type that the first parameter has in the file.
  std::optional<DataType> compute = DataType::kF32;
  std::string device = "cpu";  // as LibTorch spells it: "cpu", "cuda", "cuda:1"
  BaseWeights base = BaseWeights::kFrozen;
};

struct ForwardOptions {
  at::Tensor mask = {};            // (B, T), 1 for a token and 0 for padding; undefined: all tokens
  KeyValueCache* cache = nullptr;  // what was read before; see KeyValueCache
  // None: no dropout. A given seed gives the same dropout in every run and on every device.
  std::optional<std::uint64_t> dropout_seed = {};
};

// An adapter on a model: see lora.hpp.
struct AdapterState {
  AdapterConfig config = {};
  bool on = true;
  bool merged = false;
};

class Transformer {
 public:
  // Weights that lie in memory as they are computed with are shared, not copied (and kept alive),
  // unless they are to be trained. Throws InvalidInput where weights do not fit the config, the
  // type cannot be computed in or the device is not there.
  Transformer(const ModelConfig& config, const Weights& weights,
              const TransformerOptions& options = {});

  // Hidden states after the final norm, (B, T, hidden), of ids (B, T), int64. Positions count the
  // tokens that the mask leaves: cumsum(mask) - 1, at least 0, so that padding on the left changes
  // nothing. Throws InvalidInput for ids outside the vocabulary (where ids lie on the CPU), or more
  // positions than the model has.
  at::Tensor forward(const at::Tensor& ids, const ForwardOptions& options = {}) const;

  // (..., hidden) -> (..., vocabulary). Head::kLanguage only.
  at::Tensor logits(const at::Tensor& hidden) const;
  const at::Tensor& output_weight() const;  // (vocabulary, hidden): logits(h) = h output_weight^T

  // (..., hidden) -> (..., score dimension), at least float32, normalised as the config says.
  // Head::kScore only.
  at::Tensor score(const at::Tensor& hidden) const;

  const ModelConfig& config() const { return config_; }
  const TransformerOptions& options() const { return options_; }
  at::Device device() const { return embedding_.device(); }
  at::ScalarType type() const { return embedding_.scalar_type(); }

  // The base parameters, in the order of parameters_of.
  std::vector<NamedTensor> base_parameters() const;

  // The linear maps by their module names, layer by layer, the head last; for lora.hpp.
  std::vector<Linear*> linears();
  std::vector<const Linear*> linears() const;
  const std::optional<AdapterState>& adapter() const { return adapter_; }
  std::optional<AdapterState>& adapter() { return adapter_; }

 private:
  struct Norm {
    std::string name;
    at::Tensor weight;
    at::Tensor bias;  // GPT-NeoX only
  };
  struct Layer {
    Norm attention_norm;
    Norm mlp_norm;
    std::vector<Linear> inputs;  // query_key_value, or q_proj, k_proj, v_proj
    Linear output;               // dense, or o_proj
    std::vector<Linear> mlp;     // h_to_4h, 4h_to_h, or gate, up, down
  };
  struct Step;  // what all layers of one forward pass share

  Layer loaded_layer(const Weights& weights, std::int64_t number) const;
  Norm loaded_norm(const Weights& weights, const std::string& name) const;
  Linear loaded_linear(const Weights& weights, const std::string& name) const;
  at::Tensor loaded(const Weights& weights, const std::string& name) const;
  void load_head(const Weights& weights);
  void load_normaliser(const Weights& weights);

  at::Tensor positions_of(const at::Tensor& mask, std::int64_t tokens) const;
  Step step_of(const at::Tensor& ids, const ForwardOptions& options) const;
  HeadStates head_states(const std::vector<at::Tensor>& projections, const Step& step) const;
  at::Tensor context(const std::vector<at::Tensor>& projections, const Step& step) const;
  at::Tensor normed(const at::Tensor& x, const Norm& norm) const;
  at::Tensor attention(const Layer& layer, const at::Tensor& x, Step& step) const;
  at::Tensor mlp(const Layer& layer, const at::Tensor& x, Step& step) const;
  at::Tensor layer_output(const Layer& layer, const at::Tensor& x, Step& step) const;
  AdapterPass adapter_pass(std::optional<std::uint64_t> dropout_seed) const;

  ModelConfig config_;
  TransformerOptions options_;
  at::Tensor embedding_;  // (vocabulary, hidden)
  std::vector<Layer> layers_;
  Norm final_norm_;
  Linear head_;        // output or score head; a tied output head shares embedding_
  Rotation rotation_;  // of every position
  // Of the normaliser of scores: normalised = (score - mean) / deviation. Undefined: none.
  at::Tensor score_mean_;
  at::Tensor score_deviation_;
  std::optional<AdapterState> adapter_;
};

// (B, score dimension): the scores (B, T, score dimension) at the last position where mask (B, T)
// is 1. Throws InvalidInput for a row without one.
at::Tensor end_scores(const at::Tensor& scores, const at::Tensor& mask);

// The weights of what the model computes now, as views onto its memory, which they keep alive: for
// a Decoder and for save_model. Modules with an adapter that is on are fresh tensors W + scaling B
// A. Tensors on a GPU are copied to the CPU.
Weights weights_of(const Transformer& model);

}  // namespace rgu::llm
