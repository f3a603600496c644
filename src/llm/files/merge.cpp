#include <Eigen/Core>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/files/model_files.hpp"

namespace rgu::llm {
namespace {

using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void check_shape(const std::string& name, const TensorView& tensor, const TensorShape& expected) {
  check(tensor.shape == expected, "tensor {} has shape {}, must have {}", in_quotes(name),
        text_of(tensor.shape), text_of(expected));
}

FloatMatrix matrix_of(const Weights& weights, const std::string& name, const TensorShape& shape) {
  const TensorView& tensor = weights.at(name);
  check_shape(name, tensor, shape);
  FloatMatrix matrix(shape[0], shape[1]);
  copy_floats(tensor, {matrix.data(), static_cast<std::size_t>(matrix.size())});
  return matrix;
}

// W + scale B A.
std::vector<float> updated(const Weights& base, const AdapterFiles& adapter,
                           const LinearModule& module, double scale) {
  const std::int64_t rank = adapter.config.rank;
  const std::string name = module.name + ".weight";
  check_shape(name, base.at(name), {module.out, module.in});
  const FloatMatrix a = matrix_of(adapter.weights, module.name + ".lora_A", {rank, module.in});
  const FloatMatrix b = matrix_of(adapter.weights, module.name + ".lora_B", {module.out, rank});
  std::vector<float> values = floats_of(base.at(name));
  Eigen::Map<FloatMatrix> weight(values.data(), module.out, module.in);
  weight.noalias() += static_cast<float>(scale) * (b * a);
  return values;
}

// The module of a key of adapter.weights; empty if it is a tensor of modules_to_save.
std::string module_of(const std::string& key) {
  const bool factor = key.ends_with(".lora_A") || key.ends_with(".lora_B");
  return factor ? key.substr(0, key.rfind('.')) : std::string();
}

void check_modules(const AdapterFiles& adapter, const std::vector<LinearModule>& modules) {
  for (const auto& [key, tensor] : adapter.weights.tensors) {
    const std::string module = module_of(key);
    bool known = module.empty();
    for (const LinearModule& each : modules) known = known || each.name == module;
    check(known, "the adapter has a tensor {}, but the model no such module among the targets",
          in_quotes(key));
  }
}

void put_saved_modules(const AdapterFiles& adapter, Weights& weights) {
  for (const auto& [key, tensor] : adapter.weights.tensors) {
    if (!module_of(key).empty()) continue;
    if (weights.contains(key)) check_shape(key, tensor, weights.at(key).shape);
    weights.tensors[key] = tensor;
  }
  weights.owners.insert(weights.owners.end(), adapter.weights.owners.begin(),
                        adapter.weights.owners.end());
}

}  // namespace

Weights merged(const ModelConfig& config, const Weights& base, const AdapterFiles& adapter,
               MergeSign sign) {
  check(adapter.config.rank >= 1, "the adapter's rank is {}, must be at least 1",
        adapter.config.rank);
  const std::vector<LinearModule> modules = adapted_modules(config, adapter.config.target_modules);
  check_modules(adapter, modules);
  Weights weights = base;
  const double scale = adapter.config.scaling() * static_cast<int>(sign);
  for (const LinearModule& module : modules) {
    weights.put(module.name + ".weight", updated(base, adapter, module, scale),
                {module.out, module.in});
  }
  if (sign == MergeSign::kAdd) put_saved_modules(adapter, weights);
  return weights;
}

}  // namespace rgu::llm
