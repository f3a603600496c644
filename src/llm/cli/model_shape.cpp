#include "rgu/llm/cli/model_shape.hpp"

#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

void fit_to(ModelConfig& config, const Tokenizer& tokenizer) {
  config.vocabulary = (tokenizer.size() + 127) / 128 * 128;
  const SpecialTokens specials = tokenizer.specials();
  config.eos = specials.eos.value_or(0);
  config.bos = specials.bos ? *specials.bos : config.eos;
  if (specials.pad) config.pad = *specials.pad;
}

}  // namespace

void ShapeArguments::add_to(CLI::App& command) {
  command
      .add_option(
          "--size", size,
          "A shape of the Pythia suite: 14m, 31m, 70m, 160m, 410m, 1b, 1.4b, 2.8b, 6.9b, 12b")
      ->type_name("SIZE");
  command.add_option("--config", config, "A config.json with the shape")->type_name("FILE");
}

ModelConfig ShapeArguments::shape(const Tokenizer* tokenizer) const {
  check(size.empty() != config.empty(), "give --size or --config: one of them");
  if (size.empty()) return read_model_config(config);
  ModelConfig shape = pythia(size);
  if (tokenizer != nullptr) fit_to(shape, *tokenizer);
  return shape;
}

}  // namespace rgu::llm
