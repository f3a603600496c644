#include "rgu/llm/torch/linear.hpp"

#include <ATen/ATen.h>

namespace rgu::llm {

at::Tensor dropped_out(const at::Tensor& x, double p, at::Generator& generator) {
  const at::Tensor kept = at::empty(x.sizes(), at::TensorOptions().dtype(x.scalar_type()))
                              .bernoulli_(1 - p, generator)
                              .div_(1 - p);
  return x * kept.to(x.device());
}

namespace {

// y + scaling B A x, in y's own memory: the gradient of the linear map that made y does not need y.
// Adapters of a 16-bit model are float32.
at::Tensor with_adapter(at::Tensor y, const LowRank& adapter, const at::Tensor& x,
                        AdapterPass& pass) {
  at::Tensor input = x.to(adapter.a.scalar_type()).reshape({-1, x.size(-1)});
  if (pass.generator && pass.dropout > 0) input = dropped_out(input, pass.dropout, *pass.generator);
  const at::Tensor reduced = at::linear(input, adapter.a);
  // Adding to a view costs autograd a copy.
  const at::Tensor rows = y.dim() == 2 ? y : y.view({-1, y.size(-1)});
  if (y.scalar_type() == adapter.b.scalar_type()) {
    rows.addmm_(reduced, adapter.b.t(), 1, pass.scaling);
  } else {
    rows.add_(at::linear(reduced, adapter.b).mul_(pass.scaling).to(y.scalar_type()));
  }
  return y;
}

}  // namespace

at::Tensor merged_weight(const Linear& linear, double scaling) {
  const at::NoGradGuard no_gradients;
  const at::Tensor& weight = linear.weight;
  return at::addmm(weight.to(linear.adapter->b.scalar_type()), linear.adapter->b, linear.adapter->a,
                   1, scaling)
      .to(weight.scalar_type());
}

at::Tensor apply(const Linear& linear, const at::Tensor& x, AdapterPass& pass) {
  if (!pass.on) return at::linear(x, linear.weight, linear.bias);
  if (linear.replacement) {
    const Linear::Replacement& trained = *linear.replacement;
    return at::linear(x.to(trained.weight.scalar_type()), trained.weight, trained.bias)
        .to(x.scalar_type());
  }
  if (linear.merged.defined()) return at::linear(x, linear.merged, linear.bias);
  const at::Tensor y = at::linear(x, linear.weight, linear.bias);
  return linear.adapter ? with_adapter(y, *linear.adapter, x, pass) : y;
}

}  // namespace rgu::llm
