#include "rgu/llm/decode/packed_model.hpp"

#include <string>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/parameters.hpp"

namespace rgu::llm::decode {
namespace {

Size same(Size row) { return row; }

// The names of one architecture.
class Packer {
 public:
  Packer(const ModelConfig& config, const Weights& weights, int threads)
      : config_(config), weights_(weights), threads_(threads) {}

  void pack_into(PackedModel& model) const {
    model.config = config_;
    model.layers.resize(static_cast<std::size_t>(config_.layers));
    const bool llama = config_.architecture == Architecture::kLlama;
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      llama ? pack_llama(i, model.layers[i]) : pack_neox(i, model.layers[i]);
    }
    const std::string embedding = llama ? "model.embed_tokens.weight" : "gpt_neox.embed_in.weight";
    const std::string head = llama ? "lm_head.weight" : "embed_out.weight";
    const NormGain last = norm(llama ? "model.norm" : "gpt_neox.final_layer_norm");
    model.head.reshape(config_.vocabulary, config_.hidden);
    model.head.place({.weight = weights_.at(config_.tied_embeddings ? embedding : head),
                      .bias = {},
                      .norm = &last},
                     0, threads_, same);
    model.embedding = weights_.at(embedding);
    model.weights.owners = weights_.owners;
  }

 private:
  NormGain norm(const std::string& name) const {
    const bool shifted = config_.architecture == Architecture::kGptNeoX;
    return {.gain = floats_of(weights_.at(name + ".weight")),
            .shift = shifted ? floats_of(weights_.at(name + ".bias")) : std::vector<float>{}};
  }

  LinearSource linear(const std::string& name, const NormGain* before = nullptr) const {
    LinearSource source{.weight = weights_.at(name + ".weight"), .bias = {}, .norm = before};
    if (config_.architecture == Architecture::kGptNeoX) source.bias = weights_.at(name + ".bias");
    return source;
  }

  void pack_neox(std::size_t number, PackedLayer& to) const {
    const std::string layer = "gpt_neox.layers." + std::to_string(number);
    const NormGain first = norm(layer + ".input_layernorm");
    const NormGain second = norm(layer + ".post_attention_layernorm");
    const Size hidden = config_.hidden;
    const Size wide = config_.intermediate;
    const Size size = config_.head_size();
    // (heads, 3, size) in the file, (3, heads, size) here.
    const auto apart = [&](Size row) {
      return row / size % 3 * hidden + row / (3 * size) * size + row % size;
    };
    to.attention_in.reshape(3 * hidden, hidden);
    to.attention_in.place(linear(layer + ".attention.query_key_value", &first), 0, threads_, apart);
    to.mlp_in.reshape(wide, hidden);
    to.mlp_in.place(linear(layer + ".mlp.dense_h_to_4h", &second), 0, threads_, same);
    const LinearSource attention_out = linear(layer + ".attention.dense");
    if (!config_.parallel_residual) {
      to.attention_out.reshape(hidden, hidden);
      to.attention_out.place(attention_out, 0, threads_, same);
    }
    const Size before = config_.parallel_residual ? hidden : 0;
    to.mlp_out.reshape(hidden, before + wide);
    if (config_.parallel_residual) to.mlp_out.place(attention_out, 0, threads_, same);
    to.mlp_out.place(linear(layer + ".mlp.dense_4h_to_h"), before, threads_, same);
  }

  void pack_llama(std::size_t number, PackedLayer& to) const {
    const std::string layer = "model.layers." + std::to_string(number);
    const NormGain first = norm(layer + ".input_layernorm");
    const NormGain second = norm(layer + ".post_attention_layernorm");
    const Size hidden = config_.hidden;
    const Size shared = config_.key_value_heads * config_.head_size();
    const std::string attention = layer + ".self_attn.";
    to.attention_in.reshape(hidden + 2 * shared, hidden);
    to.attention_in.place(linear(attention + "q_proj", &first), 0, threads_, same);
    to.attention_in.place(linear(attention + "k_proj", &first), 0, threads_,
                          [&](Size row) { return hidden + row; });
    to.attention_in.place(linear(attention + "v_proj", &first), 0, threads_,
                          [&](Size row) { return hidden + shared + row; });
    to.attention_out.reshape(hidden, hidden);
    to.attention_out.place(linear(attention + "o_proj"), 0, threads_, same);
    const auto gates = [](Size row) { return row / kPanel * 2 * kPanel + row % kPanel; };
    to.mlp_in.reshape(2 * rounded_up(config_.intermediate, kPanel), hidden);
    to.mlp_in.place(linear(layer + ".mlp.gate_proj", &second), 0, threads_, gates);
    to.mlp_in.place(linear(layer + ".mlp.up_proj", &second), 0, threads_,
                    [&](Size row) { return gates(row) + kPanel; });
    to.mlp_out.reshape(hidden, config_.intermediate);
    to.mlp_out.place(linear(layer + ".mlp.down_proj"), 0, threads_, same);
  }

  const ModelConfig& config_;
  const Weights& weights_;
  int threads_;
};

}  // namespace

std::size_t PackedModel::bytes() const {
  std::size_t total = head.bytes();
  for (const PackedLayer& layer : layers) {
    total += layer.attention_in.bytes() + layer.mlp_in.bytes() + layer.attention_out.bytes() +
             layer.mlp_out.bytes();
  }
  return total;
}

void PackedModel::embed(TokenId token, float* x) const {
  const auto width = static_cast<std::size_t>(config.hidden);
  const std::size_t bytes = width * bytes_of(embedding.type);
  const TensorView row{
      .type = embedding.type,
      .shape = {config.hidden},
      .bytes = embedding.bytes.subspan(static_cast<std::size_t>(token) * bytes, bytes)};
  copy_floats(row, {x, width});
}

void pack(const ModelConfig& config, const Weights& weights, int threads, PackedModel& model) {
  check_config(config, "decoder");
  check_weights(config, Head::kLanguage, weights, "decoder");
  Packer(config, weights, threads).pack_into(model);
}

}  // namespace rgu::llm::decode
