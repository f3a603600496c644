// The value head of TRL's PPO: one number for each hidden state.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/llm/files/tensor.hpp"
#include "rgu/llm/torch/linear.hpp"

namespace rgu::llm {

struct ValueHeadOptions {
  double dropout = 0.1;
  // kUniform: weight and bias on [-1/sqrt(hidden), 1/sqrt(hidden)), as torch's Linear starts;
  // kNormal: weight normal with sd 0.2, bias 0; kZero: both 0.
  enum class Start { kUniform, kNormal, kZero } start = Start::kUniform;
};

// v(h) = w . dropout(h) + b in float32 (float64 for a float64 model).
class ValueHead {
 public:
  ValueHead(std::int64_t hidden, const ValueHeadOptions& options, Rng& rng);
  // From v_head.summary.weight (1, hidden) and v_head.summary.bias (1). Throws InvalidInput.
  ValueHead(std::int64_t hidden, const ValueHeadOptions& options, const Weights& weights);

  // (..., hidden) -> (...). Dropout only with a seed.
  at::Tensor values(const at::Tensor& hidden, std::optional<std::uint64_t> dropout_seed = {}) const;

  void move_to(at::Device device, at::ScalarType type);  // before training begins
  std::vector<NamedTensor> parameters() const;           // v_head.summary.weight, .bias
  Weights weights() const;                               // a copy of their present values

 private:
  ValueHeadOptions options_;
  at::Tensor weight_;
  at::Tensor bias_;
};

}  // namespace rgu::llm
