// Toy models, texts and preferences for the tests of training.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/text/preferences.hpp"
#include "rgu/llm/text/tokenizer.hpp"
#include "rgu/llm/torch/language_training.hpp"
#include "rgu/llm/torch/scorer_training.hpp"

namespace rgu::llm {

// One token for each byte below 96; 0 ends a text.
class LetterTokenizer final : public Tokenizer {
 public:
  std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<TokenId> ids;
    for (const char letter : text) ids.push_back(1 + (static_cast<unsigned char>(letter) % 95));
    return ids;
  }
  std::string decode(std::span<const TokenId>, Specials) const override { return {}; }
  std::string piece(TokenId) const override { return {}; }
  std::int64_t size() const override { return 96; }
  SpecialTokens specials() const override { return {.bos = {}, .eos = 0, .pad = {}}; }
};

inline ModelConfig letter_model() {
  ModelConfig config;
  config.vocabulary = 96;
  config.hidden = 32;
  config.layers = 2;
  config.heads = 4;
  config.key_value_heads = 4;
  config.intermediate = 64;
  config.max_positions = 128;
  config.initializer_range = 0.05;
  return config;
}

inline LanguageData letters(const std::string& text) {
  LanguageData data = {.stream = LetterTokenizer().encode(text), .pairs = {}, .documents = 1};
  data.stream.push_back(0);
  return data;
}

// "nice" is the helpful and the safe answer.
inline std::vector<PreferencePair> toy_preferences(std::size_t count) {
  std::vector<PreferencePair> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string word(1 + i % 5, static_cast<char>('a' + i % 7));
    PreferencePair pair = {.prompt = "say " + word, .response = {word + " nice", word + " rude"}};
    const int good = i % 2 == 0 ? 0 : 1;
    if (good == 1) std::swap(pair.response[0], pair.response[1]);
    pair.better = pair.safer = good;
    pair.safe = {good == 0, good == 1};
    pair.place = fmt::format("toys:{}", i + 1);
    pairs.push_back(pair);
  }
  return pairs;
}

// A folder of this test's own, removed at its end.
class ToyFolder {
 public:
  ToyFolder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) /
            (std::string("rgu_training_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~ToyFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string file_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline std::size_t line_count(const std::filesystem::path& path) {
  const std::string text = file_text(path);
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// The largest difference of any two numbers; infinite where tensors differ in name or shape.
inline double distance(const Weights& a, const Weights& b) {
  double largest =
      a.tensors.size() == b.tensors.size() ? 0 : std::numeric_limits<double>::infinity();
  for (const auto& [name, tensor] : a.tensors) {
    const std::vector<float> left = floats_of(tensor), right = floats_of(b.at(name));
    if (left.size() != right.size()) return std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < left.size(); ++i) {
      largest =
          std::max(largest, std::abs(static_cast<double>(left[i]) - static_cast<double>(right[i])));
    }
  }
  return largest;
}

inline bool same_bits(const Weights& a, const Weights& b) {
  return std::ranges::equal(a.tensors, b.tensors, [](const auto& left, const auto& right) {
    return left.first == right.first && left.second.shape == right.second.shape &&
           std::ranges::equal(left.second.bytes, right.second.bytes);
  });
}

// Stops a run after so many steps.
inline TrainingObserver stop_after(std::int64_t steps) {
  return [steps](const TrainingProgress& progress) { return progress.step < steps; };
}

}  // namespace rgu::llm
