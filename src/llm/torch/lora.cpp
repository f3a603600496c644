#include "rgu/llm/torch/lora.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/tensors.hpp"

namespace rgu::llm {
namespace {

Linear& linear_named(Transformer& model, const std::string& name) {
  for (Linear* linear : model.linears()) {
    if (linear->name == name) return *linear;
  }
  throw InvalidInput(fmt::format("the model has no linear map \"{}\"", name));
}

// Whether "score_head" or "attention.dense" names the module by the last parts of its path.
bool names_module(const std::string& ending, const std::string& module) {
  return module == ending || module.ends_with("." + ending);
}

void check_adapter(const Transformer& model, const AdapterConfig& config) {
  check(!model.adapter(), "the model has an adapter already");
  check(config.rank >= 1, "adapter rank r = {}: must be at least 1", config.rank);
  check_finite("adapter lora_alpha", config.alpha);
  check(config.dropout >= 0 && config.dropout < 1,
        "adapter dropout = {}: must be at least 0 and less than 1", config.dropout);
}

// Trained values are at least float32, whatever the type of the base weights.
at::TensorOptions trained_options(const Transformer& model) {
  return at::TensorOptions()
      .dtype(at::promote_types(model.type(), at::kFloat))
      .device(model.device());
}

using Values = std::function<at::Tensor(const std::string& name, const at::Tensor& otherwise)>;

// `values` gives the parameter of a name, where `otherwise` is what a fresh adapter would have.
void attach(Transformer& model, AdapterConfig config, const Values& values) {
  const auto trained = [&](const std::string& name, const at::Tensor& otherwise) {
    const at::Tensor value = values(name, otherwise);
    check(value.sizes() == otherwise.sizes(), "adapter tensor \"{}\" has shape {}, must be {}",
          name, text_of(value.sizes().vec()), text_of(otherwise.sizes().vec()));
    // A copy of its own: files may be mapped read-only.
    return at::empty_like(otherwise, trained_options(model)).copy_(value.detach()).requires_grad_();
  };
  const std::vector<LinearModule> modules = adapted_modules(model.config(), config.target_modules);
  for (const LinearModule& module : modules) {
    Linear& linear = linear_named(model, module.name);
    linear.adapter = {.a = trained(module.name + ".lora_A", at::empty({config.rank, module.in})),
                      .b = trained(module.name + ".lora_B", at::zeros({module.out, config.rank}))};
  }
  for (const std::string& saved : config.modules_to_save) {
    bool found = false;
    for (Linear* linear : model.linears()) {
      if (!names_module(saved, linear->name)) continue;
      found = true;
      linear->replacement = {.weight = trained(linear->name + ".weight", linear->weight),
                             .bias = {}};
      if (linear->bias.defined()) {
        linear->replacement->bias = trained(linear->name + ".bias", linear->bias);
      }
    }
    check(found, "adapter modules_to_save: \"{}\" names no linear map of the model", saved);
  }
  model.adapter() = AdapterState{.config = std::move(config), .on = true, .merged = false};
}

void detach(Transformer& model) {
  for (Linear* linear : model.linears()) {
    linear->adapter.reset();
    linear->replacement.reset();
  }
}

void attach_or_leave(Transformer& model, const AdapterConfig& config, const Values& values) {
  check_adapter(model, config);
  AdapterConfig complete = config;
  if (complete.target_modules.empty()) {
    complete.target_modules = default_targets(model.config().architecture);
  }
  try {
    attach(model, std::move(complete), values);
  } catch (...) {
    detach(model);
    throw;
  }
}

AdapterState& state_of(Transformer& model) {
  check(model.adapter().has_value(), "the model has no adapter");
  return *model.adapter();
}

}  // namespace

void add_adapter(Transformer& model, const AdapterConfig& config, Rng& rng) {
  const auto fresh = [&](const std::string& name, const at::Tensor& otherwise) {
    if (!name.ends_with(".lora_A")) return otherwise;
    const double bound = 1 / std::sqrt(static_cast<double>(otherwise.size(1)));
    at::Tensor values = at::empty(otherwise.sizes(), at::TensorOptions().dtype(at::kDouble));
    double* value = values.data_ptr<double>();
    for (std::int64_t i = 0; i < values.numel(); ++i) value[i] = rng.uniform(-bound, bound);
    return values;
  };
  attach_or_leave(model, config, fresh);
}

void load_adapter(Transformer& model, const AdapterFiles& adapter) {
  attach_or_leave(model, adapter.config, [&](const std::string& name, const at::Tensor&) {
    return tensor_of(adapter.weights.at(name), adapter.weights.owners);
  });
}

AdapterFiles adapter_files(const Transformer& model) {
  check(model.adapter().has_value(), "the model has no adapter");
  AdapterFiles files = {.config = model.adapter()->config, .weights = {}};
  for (const NamedTensor& parameter : adapter_parameters(model)) {
    put_copy(files.weights, parameter.name, parameter.tensor);
  }
  return files;
}

AdapterOff::AdapterOff(Transformer& model) : model_(model) {
  if (!model.adapter()) return;
  before_ = model.adapter()->on;
  model.adapter()->on = false;
}

AdapterOff::~AdapterOff() {
  if (model_.adapter()) model_.adapter()->on = before_;
}

void merge_adapter(Transformer& model) {
  AdapterState& state = state_of(model);
  check(!state.merged, "the adapter is merged already");
  for (Linear* linear : model.linears()) {
    if (linear->adapter) linear->merged = merged_weight(*linear, state.config.scaling());
  }
  state.merged = true;
}

void unmerge_adapter(Transformer& model) {
  AdapterState& state = state_of(model);
  check(state.merged, "the adapter is not merged");
  for (Linear* linear : model.linears()) linear->merged.reset();
  state.merged = false;
}

std::vector<NamedTensor> adapter_parameters(const Transformer& model) {
  std::vector<NamedTensor> parameters;
  for (const Linear* linear : model.linears()) {
    if (!linear->adapter) continue;
    parameters.push_back({linear->name + ".lora_A", linear->adapter->a});
    parameters.push_back({linear->name + ".lora_B", linear->adapter->b});
  }
  for (const Linear* linear : model.linears()) {
    if (!linear->replacement) continue;
    parameters.push_back({linear->name + ".weight", linear->replacement->weight});
    if (linear->replacement->bias.defined()) {
      parameters.push_back({linear->name + ".bias", linear->replacement->bias});
    }
  }
  return parameters;
}

std::vector<NamedTensor> trainable_parameters(const Transformer& model) {
  std::vector<NamedTensor> parameters;
  if (model.options().base == BaseWeights::kTrained) parameters = model.base_parameters();
  for (NamedTensor& parameter : adapter_parameters(model)) parameters.push_back(parameter);
  return parameters;
}

Weights weights_of(const Transformer& model) {
  const bool on = model.adapter() && model.adapter()->on;
  Weights weights;
  for (const NamedTensor& parameter : model.base_parameters()) {
    put_tensor(weights, parameter.name, parameter.tensor);
  }
  if (!on) return weights;
  for (const Linear* linear : model.linears()) {
    if (linear->merged.defined()) {
      put_tensor(weights, linear->name + ".weight", linear->merged);
    } else if (linear->adapter) {
      put_tensor(weights, linear->name + ".weight",
                 merged_weight(*linear, model.adapter()->config.scaling()));
    }
    if (!linear->replacement) continue;
    put_tensor(weights, linear->name + ".weight", linear->replacement->weight);
    if (linear->replacement->bias.defined()) {
      put_tensor(weights, linear->name + ".bias", linear->replacement->bias);
    }
  }
  return weights;
}

}  // namespace rgu::llm
