#include "rgu/llm/torch/optimizer.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/tensors.hpp"

namespace rgu::llm {
namespace {

// The numbers of one step, in the type it is made in.
template <class T>
struct Coefficients {
  T scale, beta1, beta2, keep, rate, root, epsilon;
};

// One pass over memory: every number is read and written once.
template <class T>
void update(T* p, const T* gradient, T* first, T* second, std::int64_t size,
            const Coefficients<T>& c) {
  at::parallel_for(0, size, 1 << 14, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T g = gradient[i] * c.scale;
      first[i] = c.beta1 * first[i] + (1 - c.beta1) * g;
      second[i] = c.beta2 * second[i] + (1 - c.beta2) * g * g;
      p[i] = c.keep * p[i] - c.rate * first[i] / (std::sqrt(second[i]) * c.root + c.epsilon);
    }
  });
}

template <class T>
void update_on_cpu(at::Tensor p, const at::Tensor& gradient, at::Tensor first, at::Tensor second,
                   const Coefficients<double>& c) {
  update<T>(p.data_ptr<T>(), gradient.data_ptr<T>(), first.data_ptr<T>(), second.data_ptr<T>(),
            p.numel(),
            {.scale = static_cast<T>(c.scale),
             .beta1 = static_cast<T>(c.beta1),
             .beta2 = static_cast<T>(c.beta2),
             .keep = static_cast<T>(c.keep),
             .rate = static_cast<T>(c.rate),
             .root = static_cast<T>(c.root),
             .epsilon = static_cast<T>(c.epsilon)});
}

void update_anywhere(at::Tensor p, const at::Tensor& gradient, at::Tensor first, at::Tensor second,
                     const Coefficients<double>& c) {
  const at::Tensor g = gradient * c.scale;
  first.mul_(c.beta1).add_(g, 1 - c.beta1);
  second.mul_(c.beta2).addcmul_(g, g, 1 - c.beta2);
  p.mul_(c.keep).addcdiv_(first, second.sqrt().mul_(c.root).add_(c.epsilon), -c.rate);
}

void copy_checked(const at::Tensor& into, const Weights& from, const std::string& name) {
  const TensorView& view = from.at(name);
  check(view.shape == into.sizes().vec() && view.type == data_type_of(into.scalar_type()),
        "tensor {} is {} {}: must be {} {}", name, name_of(view.type), text_of(view.shape),
        name_of(data_type_of(into.scalar_type())), text_of(into.sizes().vec()));
  at::Tensor target = into;
  target.copy_(tensor_of(view, from.owners));
}

}  // namespace

bool is_decayed(std::string_view name) {
  constexpr std::array<std::string_view, 4> kept = {"bias", "layernorm", "layer_norm",
                                                    "norm.weight"};
  return std::ranges::none_of(
      kept, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

AdamW::AdamW(std::vector<NamedTensor> parameters, const AdamWOptions& options)
    : options_(options), parameters_(std::move(parameters)) {
  for (const NamedTensor& parameter : parameters_) {
    check(parameter.tensor.is_contiguous(), "parameter {} is not contiguous", parameter.name);
    moments_.push_back({.first = at::zeros_like(parameter.tensor.detach()),
                        .second = at::zeros_like(parameter.tensor.detach())});
  }
}

void AdamW::step(const Step& step) {
  const at::NoGradGuard no_gradients;
  ++steps_;
  const auto k = static_cast<double>(steps_);
  const double correction1 = 1 - std::pow(options_.beta1, k);
  const double correction2 = 1 - std::pow(options_.beta2, k);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& p = parameters_[i].tensor;
    if (!p.grad().defined()) continue;
    const at::Tensor gradient = p.grad().contiguous();
    const double decay = is_decayed(parameters_[i].name) ? options_.weight_decay : 0;
    const Coefficients<double> c = {.scale = step.gradient_scale,
                                    .beta1 = options_.beta1,
                                    .beta2 = options_.beta2,
                                    .keep = 1 - step.rate * decay,
                                    .rate = step.rate / correction1,
                                    .root = 1 / std::sqrt(correction2),
                                    .epsilon = options_.epsilon};
    const Moments& m = moments_[i];
    if (p.is_cpu() && p.scalar_type() == at::kFloat) {
      update_on_cpu<float>(p, gradient, m.first, m.second, c);
    } else if (p.is_cpu() && p.scalar_type() == at::kDouble) {
      update_on_cpu<double>(p, gradient, m.first, m.second, c);
    } else {
      update_anywhere(p, gradient, m.first, m.second, c);
    }
  }
}

void AdamW::clear_gradients() {
  for (NamedTensor& parameter : parameters_) parameter.tensor.mutable_grad() = at::Tensor();
}

double AdamW::gradient_norm() const {
  double sum = 0;
  for (const NamedTensor& parameter : parameters_) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (!gradient.defined()) continue;
    const double norm = gradient.norm().item<double>();
    sum += norm * norm;
  }
  return std::sqrt(sum);
}

Weights AdamW::state() const {
  Weights state;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    put_tensor(state, parameters_[i].name + ".exp_avg", moments_[i].first.clone());
    put_tensor(state, parameters_[i].name + ".exp_avg_sq", moments_[i].second.clone());
  }
  put_tensor(state, "step", at::tensor({steps_}, at::TensorOptions().dtype(at::kLong)));
  return state;
}

void AdamW::restore(const Weights& state) {
  const at::Tensor steps = at::zeros({1}, at::TensorOptions().dtype(at::kLong));
  copy_checked(steps, state, "step");
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    copy_checked(moments_[i].first, state, parameters_[i].name + ".exp_avg");
    copy_checked(moments_[i].second, state, parameters_[i].name + ".exp_avg_sq");
  }
  steps_ = steps.item<std::int64_t>();
}

double clip_scale(double norm, double clip) {
  return clip > 0 ? std::min(1.0, clip / (norm + 1e-6)) : 1;
}

double learning_rate(const RateOptions& options, std::int64_t step) {
  if (step < options.warmup) {
    return options.rate * static_cast<double>(step + 1) / static_cast<double>(options.warmup + 1);
  }
  const double x = static_cast<double>(step - options.warmup) /
                   static_cast<double>(std::max<std::int64_t>(1, options.steps - options.warmup));
  switch (options.schedule) {
    case Schedule::kConstant:
      return options.rate;
    case Schedule::kLinear:
      return options.rate * (1 - x);
    case Schedule::kCosine:
      return options.rate * (1 + std::cos(std::numbers::pi * x)) / 2;
  }
  throw InvalidInput("an unknown schedule");
}

RateOptions rate_options(const TrainingOptions& options, std::int64_t steps) {
  const auto share =
      static_cast<std::int64_t>(std::ceil(options.warmup * static_cast<double>(steps)));
  return {.rate = options.learning_rate,
          .schedule = options.schedule,
          .warmup = std::min(options.warmup_steps.value_or(share), steps),
          .steps = steps};
}

}  // namespace rgu::llm
