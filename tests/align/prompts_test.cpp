#include "rgu/align/prompts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "llm/data.hpp"
#include "llm/text/compressed.hpp"
#include "mdp/file_testing.hpp"

namespace rgu::align {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A byte is a token.
class ByteTokenizer : public llm::Tokenizer {
 public:
  std::vector<llm::TokenId> encode(std::string_view text) const override {
    std::vector<llm::TokenId> ids;
    for (const char letter : text) ids.push_back(static_cast<unsigned char>(letter));
    return ids;
  }
  std::string decode(std::span<const llm::TokenId> ids, llm::Specials) const override {
    std::string text;
    for (const llm::TokenId id : ids) text += static_cast<char>(id);
    return text;
  }
  std::string piece(llm::TokenId id) const override {
    return std::string(1, static_cast<char>(id));
  }
  std::int64_t size() const override { return 256; }
  llm::SpecialTokens specials() const override { return {}; }
};

// PKU-SafeRLHF-10K, and the release with more fields of 2024.
const std::string kFirstSchema =
    R"({"prompt": "one", "response_0": "a", "response_1": "b", "is_response_0_safe": true, )"
    R"("is_response_1_safe": false, "better_response_id": 1, "safer_response_id": 0})"
    "\n";
const std::string kLaterSchema =
    R"({"prompt": "two", "response_0": "a", "response_1": "b", "prompt_source": "x", )"
    R"("response_0_source": "y", "is_response_0_safe": true, "is_response_1_safe": true, )"
    R"("response_0_harm_category": {"Cybercrime": false}, "response_0_severity_level": 0, )"
    R"("better_response_id": 0, "safer_response_id": 0, "response_0_sha256": "00"})"
    "\n";

std::vector<std::string> inputs(const std::vector<TokenisedPrompt>& prompts) {
  std::vector<std::string> list;
  for (const TokenisedPrompt& prompt : prompts) list.push_back(prompt.input);
  return list;
}

class ReadPromptSet : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    put(folder_ / name, text);
    return (folder_ / name).string();
  }
  PromptSet read(const DataConfig& data) { return read_prompt_set(data, ByteTokenizer()); }
  std::string refusal(const DataConfig& data) {
    return thrown_by([&] { read(data); });
  }

  TemporaryFolder folder_;
};

TEST_F(ReadPromptSet, ReadsBothSchemasPlainLinesAndCompressedFilesEachPromptOnce) {
  const std::vector<std::filesystem::path> files = {
      file("a.jsonl", kFirstSchema + "\n" + kLaterSchema + kFirstSchema),
      file("b.jsonl.gz", llm::gzipped(kLaterSchema + R"({"prompt": "three"})")),
      file("c.jsonl.xz", llm::xz(R"({"prompt": "four", "kind": "x"})"
                                 "\n" +
                                 kFirstSchema)),
      file("d.txt", "five\n\none\nfive\nsix")};
  const PromptSet set = read({.prompts = files, .held_out = 0});
  EXPECT_THAT(inputs(set.training), ElementsAre("one", "two", "three", "four", "five", "six"));
  EXPECT_EQ(inputs(set.evaluation), inputs(set.training));
  EXPECT_EQ(set.read, 6);
  EXPECT_EQ(set.too_long, 0);
}

TEST_F(ReadPromptSet, GivesThePolicyTheTemplateOrTheTextItself) {
  const std::string path = file("p", "hello");
  const PromptSet conversation = read({.prompts = {path}, .held_out = 0});
  EXPECT_EQ(conversation.training[0].text, "BEGINNING OF CONVERSATION: USER: hello ASSISTANT:");
  EXPECT_EQ(conversation.training[0].tokens, ByteTokenizer().encode(conversation.training[0].text));
  const PromptSet plain =
      read({.prompts = {path}, .form = DataConfig::Template::kNone, .held_out = 0});
  EXPECT_EQ(plain.training[0].text, "hello");
  EXPECT_EQ(plain.training[0].tokens.size(), 5u);
}

std::string numbered_lines(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "prompt " + std::to_string(i) + "\n";
  return text;
}

std::set<std::string> evaluation_of(const PromptSet& set) {
  const std::vector<std::string> list = inputs(set.evaluation);
  return {list.begin(), list.end()};
}

TEST_F(ReadPromptSet, HoldsOutTheShareAndNoPromptIsOnBothSides) {
  const std::string path = file("p", numbered_lines(0, 4000));
  for (const double share : {0.1, 0.5, 0.9}) {
    const PromptSet set = read({.prompts = {path}, .held_out = share});
    EXPECT_NEAR(static_cast<double>(set.evaluation.size()) / 4000, share,
                4 * std::sqrt(share * (1 - share) / 4000));
    EXPECT_EQ(set.training.size() + set.evaluation.size(), 4000u);
    const std::set<std::string> evaluation = evaluation_of(set);
    for (const TokenisedPrompt& prompt : set.training) {
      EXPECT_FALSE(evaluation.contains(prompt.input));
    }
  }
}

TEST_F(ReadPromptSet, SplitsByTextAndSeedOnlyWhateverOtherFilesThereAre) {
  const std::string few = file("few", numbered_lines(100, 300));
  const std::string more = file("more", numbered_lines(0, 200));
  const std::set<std::string> alone = evaluation_of(read({.prompts = {few}}));
  const PromptSet both = read({.prompts = {more, few}});
  EXPECT_EQ(both.read, 300);
  const std::set<std::string> together = evaluation_of(both);
  for (int i = 100; i < 300; ++i) {
    const std::string prompt = "prompt " + std::to_string(i);
    EXPECT_EQ(alone.contains(prompt), together.contains(prompt)) << prompt;
  }
  EXPECT_EQ(evaluation_of(read({.prompts = {few}, .form = DataConfig::Template::kNone})), alone);
  EXPECT_NE(evaluation_of(read({.prompts = {few}, .split_seed = 1})), alone);
}

TEST_F(ReadPromptSet, HoldsOutMoreWhereTheShareGrowsAndNeverOtherPrompts) {
  const std::string path = file("p", numbered_lines(0, 500));
  const std::set<std::string> tenth = evaluation_of(read({.prompts = {path}, .held_out = 0.1}));
  const std::set<std::string> third = evaluation_of(read({.prompts = {path}, .held_out = 0.3}));
  EXPECT_TRUE(std::includes(third.begin(), third.end(), tenth.begin(), tenth.end()));
}

TEST_F(ReadPromptSet, LeavesNoSideEmpty) {
  for (int i = 0; i < 50; ++i) {
    const std::string path = file("p", numbered_lines(2 * i, 2 * i + 2));
    for (const double share : {0.001, 0.5, 0.999}) {
      const PromptSet set = read({.prompts = {path}, .held_out = share});
      EXPECT_EQ(set.training.size(), 1u);
      EXPECT_EQ(set.evaluation.size(), 1u);
    }
  }
}

TEST_F(ReadPromptSet, LeavesOutAndCountsLongPrompts) {
  const std::string path = file("p", "12345\n123456\n1\n123456789");
  const PromptSet set = read({.prompts = {path},
                              .form = DataConfig::Template::kNone,
                              .held_out = 0,
                              .max_prompt_tokens = 5});
  EXPECT_THAT(inputs(set.training), ElementsAre("12345", "1"));
  EXPECT_EQ(set.read, 4);
  EXPECT_EQ(set.too_long, 2);
}

TEST_F(ReadPromptSet, NamesFileAndLineOfWhatDoesNotRead) {
  const std::string good = file("good.jsonl", kFirstSchema + kLaterSchema);
  const auto message = [&](const std::string& name, const std::string& text) {
    return refusal({.prompts = {good, file(name, text)}});
  };
  EXPECT_THAT(message("a.jsonl", kFirstSchema + "\n{\"text\": 1}\n"),
              HasSubstr("a.jsonl:3: has no 'prompt'"));
  EXPECT_THAT(message("b.jsonl", kFirstSchema + "{\"prompt\": 7}\n"),
              HasSubstr("b.jsonl:2: prompt is 7, must be a string"));
  EXPECT_THAT(message("c.jsonl.gz", llm::gzipped(kFirstSchema + "{\"prompt\": \n")),
              HasSubstr("c.jsonl.gz:2"));
  EXPECT_THAT(message("d.jsonl.xz", llm::xz(kFirstSchema).substr(0, 90)), HasSubstr("d.jsonl.xz"));
  EXPECT_THAT(refusal({.prompts = {good, folder_ / "none"}}), HasSubstr("none"));
  EXPECT_THAT(refusal({.prompts = {file("e.jsonl", "{\"prompt\": \"a\"}\n{\"prompt\": \"\"}")},
                       .form = DataConfig::Template::kNone}),
              HasSubstr("e.jsonl:2: the prompt has no token"));
}

TEST_F(ReadPromptSet, SaysWhichRuleIsBroken) {
  const std::string path = file("p", "one\ntwo");
  EXPECT_THAT(refusal({}), HasSubstr("no file of prompts"));
  EXPECT_THAT(refusal({.prompts = {file("empty", "\n\n")}}), HasSubstr("empty: holds no prompt"));
  EXPECT_THAT(refusal({.prompts = {path}, .max_prompt_tokens = 10}),
              HasSubstr("none of 2 prompts has 10 tokens or fewer"));
  EXPECT_THAT(refusal({.prompts = {file("single", "one\none")}}),
              HasSubstr("single: has 1 prompt of 256 tokens or fewer, must have two"));
  EXPECT_THAT(refusal({.prompts = {path}, .held_out = 1}), HasSubstr("held_out is 1"));
  EXPECT_THAT(refusal({.prompts = {path}, .held_out = std::nan("")}), HasSubstr("held_out"));
}

TEST(ReadPromptSetOfRealData, HasEveryPromptOfAFileOfPreferencesOnce) {
  RGU_DATA_FILE(path, "preference/pku_saferlhf_derived_3590.jsonl");
  const PromptSet set =
      read_prompt_set({.prompts = {path}, .max_prompt_tokens = 1000}, ByteTokenizer());
  EXPECT_EQ(set.read, 930);
  EXPECT_EQ(set.training.size() + set.evaluation.size() + static_cast<std::size_t>(set.too_long),
            930u);
  EXPECT_NEAR(static_cast<double>(set.evaluation.size()), 93, 36);
}

}  // namespace
}  // namespace rgu::align
