// A tiny policy, prompts and word scorers in a folder of their own.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "rgu/align/config.hpp"
#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/text/bpe_trainer.hpp"
#include "rgu/llm/torch/language_training.hpp"

namespace rgu::align {

class SmallWorld : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              fmt::format("rgu_align_{}_{}", test->name(), ::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "policy");
    llm::WordCounts words;
    for (int i = 0; i < 40; ++i) words.add("good words and bad words, say some of the words");
    llm::write_tokenizer_json(llm::train_byte_level_bpe(words, {.vocabulary = 300}),
                              folder_ / "policy" / "tokenizer.json");
    const llm::ModelFiles model = llm::random_model(shape(), 1);
    llm::save_model(model.config, model.weights, folder_ / "policy");
    std::ofstream prompts(folder_ / "prompts.txt");
    for (int i = 0; i < 12; ++i) prompts << "say some of the words " << i << '\n';
    write("good.txt", "1 good\n0.5 words\n0.25 the\n0.1 a\n0.1 e\n");
    write("bad.txt", "1 bad\n0.3 of\n0.1 o\n0.1 i\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static llm::ModelConfig shape() {
    return {.vocabulary = 300,
            .hidden = 32,
            .layers = 2,
            .heads = 4,
            .key_value_heads = 4,
            .intermediate = 64,
            .max_positions = 128,
            .initializer_range = 0.2};
  }

  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  ScorerConfig lexicon(const char* name, const char* file) const {
    return {.name = name, .kind = LexiconScorerConfig{.file = folder_ / file}};
  }

  AlignConfig config() const {
    AlignConfig config;
    config.name = "small";
    config.policy.model = folder_ / "policy";
    config.policy.lora_rank = 4;
    config.data.prompts = {folder_ / "prompts.txt"};
    config.data.form = DataConfig::Template::kNone;
    config.data.held_out = 0.3;
    config.rewards = {lexicon("good", "good.txt")};
    config.constraints = {{.scorer = lexicon("bad", "bad.txt"), .threshold = 0.01}};
    config.sampling.prompts = 4;
    config.sampling.answers = 4;
    config.sampling.evaluation_prompts = 3;
    config.sampling.evaluation_answers = 2;
    config.sampling.max_new_tokens = 12;
    config.ppo.learning_rate = 1e-2;
    config.ppo.minibatch = 8;
    config.ppo.epochs = 2;
    config.stopping.iterations = 4;
    config.output.checkpoint_every = 2;
    config.output.shown_prompts = 2;
    return config;
  }

  std::filesystem::path folder_;
};

}  // namespace rgu::align
