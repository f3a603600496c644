#include "rgu/llm/torch/ppo_ranks.hpp"

#include <ATen/ATen.h>

#include <vector>

namespace rgu::llm {

bool is_own_pass(const Ranks& ranks, std::size_t pass) {
  return pass % static_cast<std::size_t>(ranks.size()) == static_cast<std::size_t>(ranks.rank());
}

void sum_gradients(Ranks& ranks, std::span<const NamedTensor> parameters) {
  if (ranks.size() == 1) return;
  const at::NoGradGuard no_gradients;
  std::vector<at::Tensor> parts;
  for (NamedTensor parameter : parameters) {
    at::Tensor& gradient = parameter.tensor.mutable_grad();
    if (!gradient.defined()) gradient = at::zeros_like(parameter.tensor);
    parts.push_back(gradient.reshape({-1}).to(at::kCPU, at::kFloat));
  }
  const at::Tensor flat = at::cat(parts);
  ranks.sum(std::span(flat.data_ptr<float>(), static_cast<std::size_t>(flat.numel())));
  std::int64_t begin = 0;
  for (NamedTensor parameter : parameters) {
    at::Tensor& gradient = parameter.tensor.mutable_grad();
    gradient.copy_(flat.narrow(0, begin, gradient.numel()).view(gradient.sizes()));
    begin += gradient.numel();
  }
}

void sum_measured(Ranks& ranks, OldPolicy& old) {
  if (ranks.size() == 1) return;
  std::vector<Vector*> rows = {&old.log_probabilities, &old.entropy, &old.kl};
  for (Vector& values : old.values) rows.push_back(&values);
  Matrix all(old.kl.size(), static_cast<Index>(rows.size()));  // one message
  for (std::size_t j = 0; j < rows.size(); ++j) all.col(static_cast<Index>(j)) = *rows[j];
  ranks.sum(std::span(all.data(), static_cast<std::size_t>(all.size())));
  for (std::size_t j = 0; j < rows.size(); ++j) *rows[j] = all.col(static_cast<Index>(j));
}

}  // namespace rgu::llm
