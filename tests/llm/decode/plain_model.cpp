#include "llm/decode/plain_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace rgu::llm {
namespace {

using Numbers = std::vector<double>;

class PlainModel {
 public:
  PlainModel(const ModelConfig& config, const Weights& weights)
      : config_(config), weights_(weights) {}

  std::vector<Numbers> logits(std::span<const TokenId> tokens) const {
    const bool llama = config_.architecture == Architecture::kLlama;
    const std::string embedding = llama ? "model.embed_tokens" : "gpt_neox.embed_in";
    const Numbers table = tensor(embedding + ".weight");
    const auto hidden = static_cast<std::size_t>(config_.hidden);
    std::vector<Numbers> x;
    for (const TokenId token : tokens) {
      const auto first = table.begin() + static_cast<std::ptrdiff_t>(token * config_.hidden);
      x.emplace_back(first, first + static_cast<std::ptrdiff_t>(hidden));
    }
    for (std::int64_t i = 0; i < config_.layers; ++i) {
      llama ? llama_layer("model.layers." + std::to_string(i) + ".", x)
            : neox_layer("gpt_neox.layers." + std::to_string(i) + ".", x);
    }
    const std::string head = config_.tied_embeddings ? embedding : llama ? "lm_head" : "embed_out";
    std::vector<Numbers> result;
    for (const Numbers& row : normed(llama ? "model.norm" : "gpt_neox.final_layer_norm", x)) {
      result.push_back(linear(head, row));
    }
    return result;
  }

 private:
  Numbers tensor(const std::string& name) const {
    const std::vector<float> values = floats_of(weights_.at(name));
    return Numbers(values.begin(), values.end());
  }

  Numbers linear(const std::string& name, const Numbers& x) const {
    const Numbers w = tensor(name + ".weight");
    Numbers y(w.size() / x.size());
    if (weights_.contains(name + ".bias")) y = tensor(name + ".bias");
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (std::size_t k = 0; k < x.size(); ++k) y[i] += w[i * x.size() + k] * x[k];
    }
    return y;
  }

  std::vector<Numbers> linear(const std::string& name, const std::vector<Numbers>& x) const {
    std::vector<Numbers> y;
    for (const Numbers& row : x) y.push_back(linear(name, row));
    return y;
  }

  std::vector<Numbers> normed(const std::string& name, std::vector<Numbers> x) const {
    const Numbers gain = tensor(name + ".weight");
    const bool centred = config_.architecture == Architecture::kGptNeoX;
    const Numbers shift = centred ? tensor(name + ".bias") : Numbers(gain.size());
    for (Numbers& row : x) {
      const auto n = static_cast<double>(row.size());
      double mean = 0;
      for (const double value : row) mean += centred ? value / n : 0;
      double square = 0;
      for (const double value : row) square += (value - mean) * (value - mean) / n;
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = (row[i] - mean) / std::sqrt(square + config_.norm_epsilon) * gain[i] + shift[i];
      }
    }
    return x;
  }

  double activation(double x) const {
    switch (config_.activation) {
      case Activation::kGelu:
        return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
      case Activation::kGeluTanh:
        return 0.5 * x *
               (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
      case Activation::kSilu:
        return x / (1 + std::exp(-x));
    }
    return x;
  }

  Numbers rotated(Numbers x, std::size_t position) const {
    const auto size = static_cast<std::size_t>(config_.rotary_size());
    for (std::size_t i = 0; i < size / 2; ++i) {
      const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(size);
      const double angle = static_cast<double>(position) * std::pow(config_.rotary_base, exponent);
      const double first = x[i];
      const double second = x[i + size / 2];
      x[i] = first * std::cos(angle) - second * std::sin(angle);
      x[i + size / 2] = second * std::cos(angle) + first * std::sin(angle);
    }
    return x;
  }

  // q, k, v by position and head; kv heads may be fewer.
  using Heads = std::vector<std::vector<Numbers>>;
  std::vector<Numbers> attention(const Heads& q, const Heads& k, const Heads& v) const {
    const auto size = static_cast<std::size_t>(config_.head_size());
    std::vector<Numbers> result;
    for (std::size_t t = 0; t < q.size(); ++t) {
      Numbers row;
      for (std::size_t head = 0; head < q[t].size(); ++head) {
        const std::size_t shared = head / (q[t].size() / k[t].size());
        const Numbers query = rotated(q[t][head], t);
        Numbers weight(t + 1);
        for (std::size_t s = 0; s <= t; ++s) {
          const Numbers key = rotated(k[s][shared], s);
          for (std::size_t d = 0; d < size; ++d) weight[s] += query[d] * key[d];
          weight[s] /= std::sqrt(static_cast<double>(size));
        }
        const double most = *std::max_element(weight.begin(), weight.end());
        double total = 0;
        for (double& w : weight) total += w = std::exp(w - most);
        for (std::size_t d = 0; d < size; ++d) {
          double sum = 0;
          for (std::size_t s = 0; s <= t; ++s) sum += weight[s] / total * v[s][shared][d];
          row.push_back(sum);
        }
      }
      result.push_back(row);
    }
    return result;
  }

  std::vector<Numbers> pieces(const Numbers& row) const {
    const auto size = static_cast<std::ptrdiff_t>(config_.head_size());
    std::vector<Numbers> result;
    for (auto at = row.begin(); at != row.end(); at += size) result.emplace_back(at, at + size);
    return result;
  }

  static void add(const std::vector<Numbers>& y, std::vector<Numbers>& x) {
    for (std::size_t t = 0; t < x.size(); ++t) {
      for (std::size_t i = 0; i < x[t].size(); ++i) x[t][i] += y[t][i];
    }
  }

  std::vector<Numbers> neox_attention(const std::string& layer,
                                      const std::vector<Numbers>& x) const {
    Heads q, k, v;
    for (const Numbers& row :
         linear(layer + "attention.query_key_value", normed(layer + "input_layernorm", x))) {
      const std::vector<Numbers> all = pieces(row);  // q, k, v of the first head, then of the next
      q.emplace_back();
      k.emplace_back();
      v.emplace_back();
      for (std::size_t i = 0; i < all.size(); i += 3) {
        q.back().push_back(all[i]);
        k.back().push_back(all[i + 1]);
        v.back().push_back(all[i + 2]);
      }
    }
    return linear(layer + "attention.dense", attention(q, k, v));
  }

  std::vector<Numbers> neox_mlp(const std::string& layer, const std::vector<Numbers>& x) const {
    std::vector<Numbers> wide =
        linear(layer + "mlp.dense_h_to_4h", normed(layer + "post_attention_layernorm", x));
    for (Numbers& row : wide) {
      for (double& value : row) value = activation(value);
    }
    return linear(layer + "mlp.dense_4h_to_h", wide);
  }

  void neox_layer(const std::string& layer, std::vector<Numbers>& x) const {
    const std::vector<Numbers> before = x;
    add(neox_attention(layer, x), x);
    add(neox_mlp(layer, config_.parallel_residual ? before : x), x);
  }

  void llama_layer(const std::string& layer, std::vector<Numbers>& x) const {
    Heads q, k, v;
    for (const Numbers& row : normed(layer + "input_layernorm", x)) {
      q.push_back(pieces(linear(layer + "self_attn.q_proj", row)));
      k.push_back(pieces(linear(layer + "self_attn.k_proj", row)));
      v.push_back(pieces(linear(layer + "self_attn.v_proj", row)));
    }
    add(linear(layer + "self_attn.o_proj", attention(q, k, v)), x);
    const std::vector<Numbers> inner = normed(layer + "post_attention_layernorm", x);
    std::vector<Numbers> gate = linear(layer + "mlp.gate_proj", inner);
    const std::vector<Numbers> up = linear(layer + "mlp.up_proj", inner);
    for (std::size_t t = 0; t < gate.size(); ++t) {
      for (std::size_t i = 0; i < gate[t].size(); ++i)
        gate[t][i] = activation(gate[t][i]) * up[t][i];
    }
    add(linear(layer + "mlp.down_proj", gate), x);
  }

  const ModelConfig& config_;
  const Weights& weights_;
};

}  // namespace

std::vector<std::vector<double>> plain_logits(const ModelConfig& config, const Weights& weights,
                                              std::span<const TokenId> tokens) {
  return PlainModel(config, weights).logits(tokens);
}

double log_softmax(std::span<const double> logits, double temperature, TokenId token) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double logit : logits) sum += std::exp((logit - most) / temperature);
  return (logits[static_cast<std::size_t>(token)] - most) / temperature - std::log(sum);
}

}  // namespace rgu::llm
