#include "rgu/llm/torch/device_generate.hpp"

#include "rgu/llm/torch/torch_generate.hpp"
#include "rgu/llm/torch/torch_setup.hpp"
#include "rgu/llm/torch/transformer.hpp"

namespace rgu::llm {

struct DeviceGenerator::State {
  Transformer model;
};

DeviceGenerator::DeviceGenerator(const ModelFiles& model, const DeviceOptions& options) {
  prepare_torch(options.threads);
  state_ = std::make_unique<State>(
      State{Transformer(model.config, model.weights, {.device = options.device})});
}

DeviceGenerator::~DeviceGenerator() = default;

std::vector<Sequence> DeviceGenerator::generate(std::span<const std::vector<TokenId>> prompts,
                                                const GenerateOptions& options) const {
  return llm::generate(state_->model, prompts, options);
}

}  // namespace rgu::llm
