// The linear maps of a model, and what adapters add to them.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace rgu::llm {

struct NamedTensor {
  std::string name;
  at::Tensor tensor;  // a handle: it shares the model's memory
};

// scaling * B A, added to a weight of shape (out, in).
struct LowRank {
  at::Tensor a;  // (rank, in)
  at::Tensor b;  // (out, rank)
};

// y = W x + b, with W (out, in) as checkpoints hold it. An undefined bias is none.
struct Linear {
  std::string name = {};  // of the module: "gpt_neox.layers.0.attention.query_key_value"
  at::Tensor weight = {};
  at::Tensor bias = {};

  std::optional<LowRank> adapter = {};
  struct Replacement {
    at::Tensor weight;
    at::Tensor bias;
  };
  std::optional<Replacement> replacement =
      {};                  // trained in place of weight and bias: modules_to_save
  at::Tensor merged = {};  // W + scaling B A while the adapter is merged
};

// What every linear map of one forward pass does with its adapter.
struct AdapterPass {
  bool on = false;
  double scaling = 1;
  double dropout = 0;                           // of the adapter's input; 0 without a generator
  std::optional<at::Generator> generator = {};  // of the CPU, whatever the device
};

// x is (..., in), the answer (..., out), in memory of its own.
at::Tensor apply(const Linear& linear, const at::Tensor& x, AdapterPass& pass);

// W + scaling B A, without gradients. For a linear map with an adapter.
at::Tensor merged_weight(const Linear& linear, double scaling);

// x with each entry 0 with probability p, otherwise divided by 1 - p. The draws are made on the
// CPU, so that they do not depend on the device.
at::Tensor dropped_out(const at::Tensor& x, double p, at::Generator& generator);

}  // namespace rgu::llm
