#include "rgu/llm/torch/trained_model.hpp"

#include <algorithm>
#include <array>

#include "rgu/base/crc32c.hpp"
#include "rgu/llm/torch/example_order.hpp"
#include "rgu/llm/torch/lora.hpp"

namespace rgu::llm {

Transformer trained_model(const ModelFiles& start, Head head, const TrainingOptions& options) {
  const bool whole = !options.adapter.has_value();
  Transformer model(start.config, start.weights,
                    {.head = head,
                     .compute = DataType::kF32,
                     .device = options.device,
                     .base = whole ? BaseWeights::kTrained : BaseWeights::kFrozen});
  if (whole) return model;
  Rng rng(options.seed, training_stream::kNewWeights);
  add_adapter(model, *options.adapter, rng);
  return model;
}

void save_trained(const Transformer& model, const ModelConfig& config,
                  const std::string& base_model, const std::filesystem::path& folder) {
  if (!model.adapter()) return save_model(config, weights_of(model), folder);
  AdapterFiles adapter = adapter_files(model);
  if (!base_model.empty()) adapter.config.base_model = base_model;
  save_adapter(adapter, folder);
  if (config.score) write_model_config(config, folder / "config.json");
}

void put_start(Fingerprint& fingerprint, const ModelFiles& start) {
  constexpr std::size_t kBeginning = 4096;
  fingerprint["model"] = json_of(start.config).dump();
  Checksum checksum;
  for (const auto& [name, tensor] : start.weights.tensors) {
    checksum.add(std::span<const char>(name));
    checksum.add(std::span<const std::int64_t>(tensor.shape));
    checksum.add(tensor.bytes.first(std::min(kBeginning, tensor.bytes.size())));
  }
  fingerprint["start"] = checksum.text();
}

void Checksum::add(std::span<const std::byte> bytes) {
  const auto of = [](std::span<const std::byte> x) {
    return crc32c({reinterpret_cast<const char*>(x.data()), x.size()});
  };
  const std::array<std::uint32_t, 2> chain = {value_, of(bytes)};
  value_ = of(std::as_bytes(std::span(chain)));
}

std::string Checksum::text() const { return fmt::format("{:08x}", value_); }

}  // namespace rgu::llm
