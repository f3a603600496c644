// Encodings of real tokenizers, agreed on by independent implementations.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "llm/data.hpp"
#include "rgu/llm/text/tokenizer.hpp"
#include "rgu/llm/text/unicode.hpp"

namespace rgu::llm {
namespace {

struct GoldenText {
  std::string text;
  std::vector<TokenId> ids;
  std::vector<std::string> pieces;  // those of the first ids, if any
};

std::vector<GoldenText> golden_texts(const std::filesystem::path& path) {
  std::vector<GoldenText> texts;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line);
    texts.push_back({.text = json.at("text"),
                     .ids = json.at("ids"),
                     .pieces = json.value("tokens", std::vector<std::string>())});
  }
  return texts;
}

TEST(GoldenTexts, GptNeoXIsIdentical) {
  RGU_DATA_FILE(path, "tokenizers/gpt-neox-20B_tokenizer.json");
  const auto golden = data_folder() / "tokenizers/golden_neox.jsonl";
  const auto tokenizer = open_tokenizer(path);
  const auto texts = golden_texts(golden);
  EXPECT_EQ(texts.size(), 135u);
  for (const GoldenText& golden_text : texts) {
    EXPECT_EQ(tokenizer->encode(golden_text.text), golden_text.ids) << golden_text.text;
    EXPECT_EQ(tokenizer->decode(golden_text.ids, Specials::kKeep), composed(golden_text.text));
    for (std::size_t i = 0; i < golden_text.pieces.size(); ++i) {
      EXPECT_EQ(tokenizer->piece(golden_text.ids[i]), golden_text.pieces[i]);
    }
  }
}

TEST(GoldenTexts, GptNeoXHasItsSpecialTokens) {
  RGU_DATA_FILE(path, "tokenizers/gpt-neox-20B_tokenizer.json");
  const auto tokenizer = open_tokenizer(path);
  EXPECT_EQ(tokenizer->size(), 50277);
  EXPECT_EQ(tokenizer->specials().bos, 0);
  EXPECT_EQ(tokenizer->specials().eos, 0);
  EXPECT_EQ(tokenizer->specials().pad, 1);
  EXPECT_EQ(tokenizer->encode("a<|endoftext|>b"), (std::vector<TokenId>{66, 0, 67}));
  const std::vector<TokenId> ids = {66, 0, 67};
  EXPECT_EQ(tokenizer->decode(ids, Specials::kKeep), "a<|endoftext|>b");
  EXPECT_EQ(tokenizer->decode(ids, Specials::kSkip), "ab");
}

TEST(GoldenTexts, LlamaIsIdentical) {
  RGU_DATA_FILE(path, "tokenizers/llama_tokenizer.model");
  const auto golden = data_folder() / "tokenizers/golden_llama.jsonl";
  const auto tokenizer = open_tokenizer(path);
  EXPECT_EQ(tokenizer->size(), 32000);
  EXPECT_EQ(tokenizer->specials().bos, 1);
  EXPECT_EQ(tokenizer->specials().eos, 2);
  EXPECT_FALSE(tokenizer->specials().pad);
  const auto texts = golden_texts(golden);
  EXPECT_EQ(texts.size(), 132u);
  for (const GoldenText& golden_text : texts) {
    EXPECT_EQ(tokenizer->encode(golden_text.text), golden_text.ids) << golden_text.text;
    EXPECT_EQ(tokenizer->decode(golden_text.ids, Specials::kSkip), golden_text.text);
  }
}

TEST(GoldenTexts, TheStoryOfTheSmallLlamaIsItsIds) {
  RGU_DATA_FILE(path, "models/tok512.bin");
  const auto golden = data_folder() / "golden/stories260K_golden.json";
  const auto tokenizer = open_tokenizer(path);
  EXPECT_EQ(tokenizer->size(), 512);
  std::ifstream file(golden);
  const auto json = nlohmann::json::parse(file);
  const std::vector<TokenId> prompt = json.at("input_ids");
  const std::string text =
      "Once upon a time, there was a little girl named Lily. She loved to play outs";
  EXPECT_EQ(tokenizer->encode(text), prompt);
  EXPECT_EQ(tokenizer->decode(prompt, Specials::kSkip), text);
  const std::vector<TokenId> story = json.at("greedy_ids");
  EXPECT_EQ(tokenizer->encode(tokenizer->decode(story, Specials::kSkip)), story);
}

}  // namespace
}  // namespace rgu::llm
