#include "rgu/llm/torch/attention.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace rgu::llm {

Rotation rotation_table(const ModelConfig& config, const at::TensorOptions& options) {
  const std::int64_t size = config.rotary_size();
  const auto exact = at::TensorOptions().dtype(at::kDouble);
  const at::Tensor frequencies =
      at::pow(config.rotary_base, at::arange(0, size, 2, exact) / static_cast<double>(-size));
  const at::Tensor angles = at::outer(at::arange(config.max_positions, exact), frequencies);
  return {.cos = at::cos(angles).to(options), .sin = at::sin(angles).to(options)};
}

Rotation rotation_at(const Rotation& table, const at::Tensor& positions) {
  const auto rows = [&](const at::Tensor& values) {
    return values.index_select(0, positions.reshape({-1}))
        .view({positions.size(0), positions.size(1), values.size(1)});
  };
  return {.cos = rows(table.cos), .sin = rows(table.sin)};
}

at::Tensor rotated(const at::Tensor& x, const Rotation& rotation) {
  const std::int64_t half = rotation.cos.size(-1);
  const at::Tensor cos = rotation.cos.unsqueeze(1);  // over the heads
  const at::Tensor sin = rotation.sin.unsqueeze(1);
  const at::Tensor first = x.narrow(-1, 0, half);
  const at::Tensor second = x.narrow(-1, half, half);
  const at::Tensor rest = x.narrow(-1, 2 * half, x.size(-1) - 2 * half);
  return at::cat({first * cos - second * sin, second * cos + first * sin, rest}, -1);
}

at::Tensor causal_bias(Span span, const at::Tensor& mask, const at::TensorOptions& options) {
  const auto integers = at::TensorOptions().dtype(at::kLong).device(options.device());
  const at::Tensor query =
      at::arange(span.positions - span.queries, span.positions, integers).unsqueeze(1);
  at::Tensor hidden = (at::arange(span.positions, integers) > query).unsqueeze(0);
  if (mask.defined()) hidden = hidden.logical_or(mask.eq(0).unsqueeze(1));
  // Half of the lowest number: rows that see nothing (padding) stay finite when scores are added.
  const double lowest =
      options.dtype() == at::kHalf ? -32752.0 : -std::numeric_limits<float>::max() / 2;
  return at::zeros(hidden.sizes(), options).masked_fill_(hidden, lowest);
}

at::Tensor attended(const HeadStates& states, const at::Tensor& bias) {
  const std::int64_t batch = states.queries.size(0), heads = states.queries.size(1),
                     tokens = states.queries.size(2), size = states.queries.size(3),
                     groups = states.keys.size(1), positions = states.keys.size(2);
  const std::int64_t sharing = heads / groups;  // query heads for each key
  const at::Tensor queries = states.queries.reshape({batch * groups, sharing * tokens, size});
  const at::Tensor keys = states.keys.reshape({batch * groups, positions, size});
  const at::Tensor values = states.values.reshape({batch * groups, positions, size});
  const at::Tensor products =
      at::bmm(queries, keys.transpose(1, 2)).view({batch, heads, tokens, positions});
  const at::Tensor scores =
      bias.unsqueeze(1).add(products, 1 / std::sqrt(static_cast<double>(size)));
  // Of 16-bit scores in float32, as the reference models do.
  const bool narrow = scores.element_size() < 4;
  at::Tensor weights = narrow ? at::softmax(scores, -1, at::kFloat).to(scores.scalar_type())
                              : at::softmax(scores, -1);
  return at::bmm(weights.view({batch * groups, sharing * tokens, positions}), values)
      .view({batch, heads, tokens, size})
      .transpose(1, 2)
      .reshape({batch, tokens, heads * size});
}

}  // namespace rgu::llm
