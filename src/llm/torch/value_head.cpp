#include "rgu/llm/torch/value_head.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/tensors.hpp"

namespace rgu::llm {
namespace {

constexpr const char* kWeight = "v_head.summary.weight";
constexpr const char* kBias = "v_head.summary.bias";

void check_options(const ValueHeadOptions& options) {
  check(options.dropout >= 0 && options.dropout < 1,
        "value head dropout = {}: must be at least 0 and less than 1", options.dropout);
}

at::Tensor stored(const Weights& weights, const char* name, const TensorShape& shape) {
  const TensorView& view = weights.at(name);
  check(view.shape == shape, "tensor \"{}\" has shape {}, must be {}", name, text_of(view.shape),
        text_of(shape));
  return tensor_of(view, weights.owners).to(at::kFloat).clone();
}

}  // namespace

ValueHead::ValueHead(std::int64_t hidden, const ValueHeadOptions& options, Rng& rng)
    : options_(options), weight_(at::zeros({1, hidden})), bias_(at::zeros({1})) {
  check_options(options);
  using Start = ValueHeadOptions::Start;
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  const auto draw = [&] {
    return static_cast<float>(options.start == Start::kNormal ? 0.2 * rng.normal()
                                                              : rng.uniform(-bound, bound));
  };
  if (options.start != Start::kZero) {
    float* weight = weight_.data_ptr<float>();
    for (std::int64_t i = 0; i < hidden; ++i) weight[i] = draw();
  }
  if (options.start == Start::kUniform) bias_.data_ptr<float>()[0] = draw();
  weight_.requires_grad_();
  bias_.requires_grad_();
}

ValueHead::ValueHead(std::int64_t hidden, const ValueHeadOptions& options, const Weights& weights)
    : options_(options),
      weight_(stored(weights, kWeight, {1, hidden})),
      bias_(stored(weights, kBias, {1})) {
  check_options(options);
  weight_.requires_grad_();
  bias_.requires_grad_();
}

at::Tensor ValueHead::values(const at::Tensor& hidden,
                             std::optional<std::uint64_t> dropout_seed) const {
  at::Tensor input = hidden.to(weight_.scalar_type());
  if (dropout_seed && options_.dropout > 0) {
    at::Generator generator = at::detail::createCPUGenerator(*dropout_seed);
    input = dropped_out(input, options_.dropout, generator);
  }
  return at::linear(input, weight_, bias_).squeeze(-1);
}

void ValueHead::move_to(at::Device device, at::ScalarType type) {
  const auto wide = at::promote_types(type, at::kFloat);
  weight_ = weight_.detach().to(device, wide).requires_grad_();
  bias_ = bias_.detach().to(device, wide).requires_grad_();
}

std::vector<NamedTensor> ValueHead::parameters() const {
  return {{kWeight, weight_}, {kBias, bias_}};
}

Weights ValueHead::weights() const {
  Weights weights;
  for (const NamedTensor& parameter : parameters()) {
    put_copy(weights, parameter.name, parameter.tensor);
  }
  return weights;
}

}  // namespace rgu::llm
