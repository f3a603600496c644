// Small files for the tests of this folder.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "mdp/file_testing.hpp"
#include "rgu/llm/files/model_config.hpp"

namespace rgu::llm {

// The message of the InvalidInput that `call` throws; must be one line.
template <class Call>
std::string refusal(Call call) {
  const std::string message = thrown_by(call);
  EXPECT_EQ(message.find('\n'), message.npos) << message;
  return message;
}

// The bytes of a safetensors file with this header and these data, whatever they are.
inline std::string safetensors_text(const std::string& header, std::size_t data_bytes) {
  const std::uint64_t size = header.size();
  std::string text(sizeof(size), '\0');
  std::memcpy(text.data(), &size, sizeof(size));
  text += header;
  for (std::size_t i = 0; i < data_bytes; ++i) text += static_cast<char>(i + 1);
  return text;
}

inline ModelConfig small_gpt_neox() {
  return {.architecture = Architecture::kGptNeoX,
          .vocabulary = 11,
          .hidden = 16,
          .layers = 2,
          .heads = 2,
          .key_value_heads = 2,
          .intermediate = 24,
          .max_positions = 32};
}

inline ModelConfig small_llama() {
  ModelConfig config = small_gpt_neox();
  config.architecture = Architecture::kLlama;
  config.heads = 4;
  config.key_value_heads = 2;
  config.activation = Activation::kSilu;
  config.rotary_fraction = 1;
  config.parallel_residual = false;
  config.bos = 1;
  config.eos = 2;
  return config;
}

}  // namespace rgu::llm
