// config.json of a language model and adapter_config.json of an adapter: the same JSON as both.
// What json_of writes reads back the same.
#include "rgu/llm/files/model_config.hpp"

#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/files/parameters.hpp"
#include "support.hpp"

using namespace rgu;
using namespace rgu::llm;

namespace {

void check_model(const ModelConfig& config) {
  const nlohmann::json written = json_of(config);
  fuzz::require(json_of(model_config_from(written, "written")) == written,
                "a written configuration reads back the same");
  fuzz::require(parse_json(written.dump(), "written") == written, "it is JSON");
  if (config.layers > 100) return;  // as many names as layers
  fuzz::require(parameter_count(config, Head::kLanguage) > 0, "a model has parameters");
  linear_modules(config);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = fuzz::accepted([&] { return parse_json(fuzz::text_of(data, size), "input"); });
  if (!json) return 0;
  const auto config = fuzz::accepted([&] { return model_config_from(*json, "input"); });
  if (config) check_model(*config);
  fuzz::accepted([&] { return adapter_config_from(*json, "input"); });
  return 0;
}
