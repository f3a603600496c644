#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llm/text/text_testing.hpp"
#include "mdp/file_testing.hpp"
#include "rgu/llm/text/tokenizer.hpp"
#include "rgu/llm/text/tokenizer_files.hpp"

namespace rgu::llm {
namespace {

using Ids = std::vector<TokenId>;
using testing::HasSubstr;

TEST(OpenTokenizer, TellsFilesByTheirNames) {
  const TemporaryFolder folder;
  put(folder / "t.json", small_tokenizer_json({"h e"}).dump());
  put(folder / "t.model", small_sentencepiece({{"▁h", -1}, {"▁", -2}, {"h", -3}}));
  put(folder / "t.bin", small_llama2c({{" h", -1}, {" ", -2}, {"h", -3}}));
  EXPECT_EQ(open_tokenizer(folder / "t.json")->encode("he"), Ids{258});
  EXPECT_EQ(open_tokenizer(folder / "t.model")->encode("h"), (Ids{1, 259}));
  EXPECT_EQ(open_tokenizer(folder / "t.bin")->encode("h"), (Ids{1, 259}));
  EXPECT_THAT(thrown_by([&] { open_tokenizer(folder / "t.txt"); }),
              HasSubstr("must be a folder or end in"));
  EXPECT_THAT(thrown_by([&] { open_tokenizer(folder / "no.json"); }), HasSubstr("no such file"));
  EXPECT_THAT(thrown_by([&] { open_tokenizer(folder.path()); }), HasSubstr("neither"));
}

// Whatever a tokenizer was called, beside a model it is found again.
TEST(OpenTokenizer, FindsACopyByItsUsualName) {
  const TemporaryFolder folder;
  put(folder / "t.json", small_tokenizer_json({"h e"}).dump());
  put(folder / "t.model", small_sentencepiece({{"▁h", -1}, {"▁", -2}, {"h", -3}}));
  put(folder / "t.bin", small_llama2c({{" h", -1}, {" ", -2}, {"h", -3}}));
  for (const char* name : {"t.json", "t.model", "t.bin"}) {
    const auto copy = folder / (std::string("copy of ") + name);
    EXPECT_EQ(copy_tokenizer_files(folder / name, copy), 1);
    EXPECT_TRUE(holds_tokenizer(copy));
    EXPECT_EQ(open_tokenizer(copy)->encode("h"), open_tokenizer(folder / name)->encode("h"));
  }
}

// An answer is not a text by itself: "▁h" at the begin of a text is "h", behind something " h".
TEST(ContinuationText, KeepsTheFirstSpaceOfAnAnswer) {
  const TemporaryFolder folder;
  put(folder / "t.model", small_sentencepiece({{"▁h", -1}, {"▁", -2}, {"h", -3}}));
  const auto tokenizer = open_tokenizer(folder / "t.model");
  EXPECT_EQ(text_of_ids(*tokenizer, Ids{259}), "h");
  EXPECT_EQ(continuation_text(*tokenizer, Ids{1, 259}, Ids{259, 2}), " h");
  EXPECT_EQ(continuation_text(*tokenizer, Ids{1, 259}, Ids{259, 99999}), " h");
}

TEST(OpenTokenizer, UsualNamesAreSpecial) {
  const TemporaryFolder folder;
  put(folder / "t.json", small_tokenizer_json({}).dump());
  const SpecialTokens specials = open_tokenizer(folder / "t.json")->specials();
  EXPECT_EQ(specials.bos, 0);
  EXPECT_EQ(specials.eos, 0);
  EXPECT_EQ(specials.pad, 1);
}

TEST(OpenTokenizer, TheFilesOfAFolderNameTheSpecialTokens) {
  const TemporaryFolder folder;
  put(folder / "tokenizer.json", small_tokenizer_json({}).dump());
  put(folder / "special_tokens_map.json", R"({"bos_token": {"content": "a"}, "eos_token": "b"})");
  put(folder / "tokenizer_config.json", R"({"eos_token": "c", "pad_token": null})");
  const SpecialTokens specials = open_tokenizer(folder.path())->specials();
  EXPECT_EQ(specials.bos, 2 + 'a');
  EXPECT_EQ(specials.eos, 2 + 'c');
  EXPECT_EQ(specials.pad, 1);
  put(folder / "tokenizer_config.json", R"({"eos_token": "none"})");
  EXPECT_THAT(thrown_by([&] { open_tokenizer(folder.path()); }),
              HasSubstr("the eos_token is 'none'"));
  put(folder / "tokenizer_config.json", R"({"eos_token": 3})");
  EXPECT_THAT(thrown_by([&] { open_tokenizer(folder.path()); }),
              HasSubstr("tokenizer_config.json: eos_token is 3"));
  put(folder / "tokenizer_config.json", "{");
  EXPECT_THAT(thrown_by([&] { open_tokenizer(folder.path()); }), HasSubstr("is not JSON"));
}

TEST(OpenTokenizer, ALlamaFolderHasItsAddedPadding) {
  const TemporaryFolder folder;
  put(folder / "tokenizer.model", small_sentencepiece({{"▁h", -1}, {"▁", -2}, {"h", -3}}));
  EXPECT_FALSE(open_tokenizer(folder.path())->specials().pad);
  put(folder / "added_tokens.json", R"({"<pad>": 262})");
  const auto tokenizer = open_tokenizer(folder.path());
  EXPECT_EQ(tokenizer->specials().pad, 262);
  EXPECT_EQ(tokenizer->specials().bos, 1);
  EXPECT_EQ(tokenizer->size(), 263);
  put(folder / "added_tokens.json", R"({})");
  put(folder / "tokenizer_config.json",
      R"({"add_bos_token": false, "add_eos_token": true, "pad_token": "<pad>",
          "added_tokens_decoder": {"265": {"content": "<pad>"}}})");
  const auto other = open_tokenizer(folder.path());
  EXPECT_EQ(other->specials().pad, 265);
  EXPECT_EQ(other->encode("h"), (Ids{259, 2}));
  put(folder / "tokenizer_config.json",
      R"({"added_tokens_decoder": {"-1": {"content": "<pad>"}}})");
  EXPECT_THAT(thrown_by([&] { open_tokenizer(folder.path()); }), HasSubstr("'-1', must be digits"));
}

TEST(OpenTokenizer, InAFolderTokenizerJsonWinsIfItIsByteLevel) {
  const TemporaryFolder folder;
  put(folder / "tokenizer.model", small_sentencepiece({{"▁", -2}}));
  put(folder / "tokenizer.json", small_tokenizer_json({}).dump());
  EXPECT_EQ(open_tokenizer(folder.path())->size(), 258);
  nlohmann::json other = small_tokenizer_json({});
  other["pre_tokenizer"] = nullptr;
  put(folder / "tokenizer.json", other.dump());
  EXPECT_EQ(open_tokenizer(folder.path())->size(), 260);
}

// A damaged file is refused or read; what is read encodes and decodes.
void expect_read_or_refused(const std::string& name, const std::string& good, std::uint64_t seed) {
  const TemporaryFolder folder;
  Rng rng(seed);
  int refused = 0;
  constexpr int kFiles = 1500;
  for (int i = 0; i < kFiles; ++i) {
    put(folder / name, mutated(good, rng));
    try {
      const auto tokenizer = open_tokenizer(folder / name);
      const Ids ids = tokenizer->encode("Hello  hé \xff llo 's");
      for (const TokenId id : ids) ASSERT_TRUE(id >= 0 && id < tokenizer->size());
      ASSERT_TRUE(is_utf8(tokenizer->decode(ids, Specials::kKeep)));
    } catch (const InvalidInput& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, kFiles / 20);
  EXPECT_LT(refused, kFiles);
}

TEST(DamagedTokenizers, JsonIsReadOrRefused) {
  expect_read_or_refused("t.json", small_tokenizer_json({"h e", "l l", "he ll"}).dump(1), 21);
}

TEST(DamagedTokenizers, SentencePieceIsReadOrRefused) {
  expect_read_or_refused(
      "t.model", small_sentencepiece({{"▁", -1}, {"h", -2}, {"he", -3}, {"l", -4}, {"ll", -5}}),
      22);
}

TEST(DamagedTokenizers, Llama2cIsReadOrRefused) {
  expect_read_or_refused(
      "t.bin", small_llama2c({{" ", -1}, {"h", -2}, {"he", -3}, {"l", -4}, {"ll", -5}}), 23);
}

}  // namespace
}  // namespace rgu::llm
