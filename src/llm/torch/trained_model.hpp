// The model of a training run: made ready, written down, saved.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/files/parameters.hpp"
#include "rgu/llm/torch/option_checks.hpp"
#include "rgu/llm/torch/training_loop.hpp"
#include "rgu/llm/torch/training_options.hpp"
#include "rgu/llm/torch/transformer.hpp"

namespace rgu::llm {

// In float32, on the device of the options, with the adapter of the options where there is one;
// otherwise all weights are trained.
Transformer trained_model(const ModelFiles& start, Head head, const TrainingOptions& options);

// The adapter with `base_model` as the name of its base, or the whole model, as files. `config` is
// the model's own, with what was learned besides; beside an adapter, a config that has a score is
// written too.
void save_trained(const Transformer& model, const ModelConfig& config,
                  const std::string& base_model, const std::filesystem::path& folder);

// Of the shape and the beginnings of all tensors.
void put_start(Fingerprint& fingerprint, const ModelFiles& start);

// A checksum of numbers that are read one after the other.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes);
  template <class T>
  void add(std::span<const T> values) {
    add(std::as_bytes(values));
  }
  std::string text() const;

 private:
  std::uint32_t value_ = 0;
};

}  // namespace rgu::llm
