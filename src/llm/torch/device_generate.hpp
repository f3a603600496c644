// Sampling by LibTorch, for those who do not see it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rgu/llm/decode/decoder.hpp"
#include "rgu/llm/files/model_files.hpp"

namespace rgu::llm {

struct DeviceOptions {
  std::string device = "cpu";
  int threads = 0;  // 0: as many as the machine has
};

class DeviceGenerator {
 public:
  // Throws InvalidInput if the device is not there or the weights do not fit the config.
  DeviceGenerator(const ModelFiles& model, const DeviceOptions& options);
  ~DeviceGenerator();
  DeviceGenerator(const DeviceGenerator&) = delete;
  DeviceGenerator& operator=(const DeviceGenerator&) = delete;

  // As Decoder::generate.
  std::vector<Sequence> generate(std::span<const std::vector<TokenId>> prompts,
                                 const GenerateOptions& options) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rgu::llm
