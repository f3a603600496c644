#include "rgu/llm/text/preferences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llm/data.hpp"
#include "llm/text/text_testing.hpp"
#include "mdp/file_testing.hpp"

namespace rgu::llm {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

std::vector<PreferencePair> pairs_in(const std::string& text) {
  const TemporaryFolder folder;
  put(folder / "p.jsonl", text);
  return read_preferences(folder / "p.jsonl");
}

const std::string kFull =
    R"({"prompt": "p", "response_0": "a", "response_1": "b", "is_response_0_safe": true, )"
    R"("is_response_1_safe": false, "better_response_id": 1, "safer_response_id": 0, "prompt_source": {"x": 1}})";

TEST(Preferences, AllFieldsAreRead) {
  const auto pairs =
      pairs_in("\n" + kFull + "\n  \n" + R"({"prompt": "q", "response_0": "", "response_1": "é"})");
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].prompt, "p");
  EXPECT_EQ(pairs[0].response[1], "b");
  EXPECT_EQ(pairs[0].better, 1);
  EXPECT_EQ(pairs[0].safer, 0);
  EXPECT_EQ(pairs[0].safe[0], true);
  EXPECT_EQ(pairs[0].safe[1], false);
  EXPECT_THAT(pairs[0].place, EndsWith(":2"));
  EXPECT_EQ(pairs[1].response[1], "é");
  EXPECT_FALSE(pairs[1].better || pairs[1].safer || pairs[1].safe[0] || pairs[1].safe[1]);
  EXPECT_THAT(pairs[1].place, EndsWith(":4"));
}

TEST(Preferences, ErrorsNameThePlaceTheFieldTheValueAndTheRule) {
  struct Case {
    std::string from;
    std::string to;
    std::string message;
  };
  for (const Case& c : std::vector<Case>{
           {R"("better_response_id": 1)", R"("better_response_id": 2)",
            "p.jsonl:2: better_response_id is 2, must be an integer from 0 to 1"},
           {R"("safer_response_id": 0)", R"("safer_response_id": "0")",
            "p.jsonl:2: safer_response_id is \"0\""},
           {R"("prompt": "p")", R"("prompt": 7)", "p.jsonl:2: prompt is 7, must be a string"},
           {R"("prompt": "p", )", "", "p.jsonl:2: has no 'prompt'"},
           {R"("response_1": "b")", R"("response_1": null)", "response_1 is null"},
           {R"("is_response_0_safe": true)", R"("is_response_0_safe": 1)",
            "is_response_0_safe is 1, must be true or false"},
           {R"({"x": 1}})", R"({"x": 1})", "p.jsonl:2: byte"}}) {
    EXPECT_THAT(thrown_by([&] { pairs_in(kFull + "\n" + replaced(kFull, c.from, c.to)); }),
                HasSubstr(c.message));
  }
  EXPECT_THAT(thrown_by([] { pairs_in("[1]"); }), HasSubstr("must be an object"));
}

TEST(Preferences, TheSaferAnswerMustNotBeTheUnsafeOne) {
  PreferencePair pair = {.safer = 1, .safe = {true, false}, .place = "f:3"};
  EXPECT_THAT(thrown_by([&] { check_safety_labels(pair); }),
              HasSubstr("f:3: safer_response_id is 1, but is_response_1_safe is false"));
  for (const auto& safe : {std::array<std::optional<bool>, 2>{false, true},
                           {true, true},
                           {false, false},
                           {true, {}}}) {
    pair.safe = safe;
    EXPECT_NO_THROW(check_safety_labels(pair));
  }
  pair = {.safe = {true, false}};
  EXPECT_NO_THROW(check_safety_labels(pair));
}

TEST(Preferences, DialoguesAreSplitWhereTheirAnswersDiffer) {
  const auto pairs =
      pairs_in(R"({"chosen": "\n\nHuman: hi\n\nAssistant: Hello\n\nHuman: x\n\nAssistant: yes", )"
               R"("rejected": "\n\nHuman: hi\n\nAssistant: Hello\n\nHuman: x\n\nAssistant: yep"})");
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].prompt, "\n\nHuman: hi\n\nAssistant: Hello\n\nHuman: x\n\nAssistant: ");
  EXPECT_EQ(pairs[0].response[0], "yes");
  EXPECT_EQ(pairs[0].response[1], "yep");
  EXPECT_EQ(pairs[0].better, 0);
  EXPECT_EQ(model_prompt(pairs[0]), pairs[0].prompt);
  EXPECT_THAT(thrown_by([] { pairs_in(R"({"chosen": "ab", "rejected": "ac"})"); }),
              HasSubstr("chosen is \"ab\""));
}

TEST(Preferences, ThePromptIsThatOfTheScorers) {
  EXPECT_EQ(conversation_prompt("hello"), "BEGINNING OF CONVERSATION: USER: hello ASSISTANT:");
  EXPECT_EQ(model_prompt({.prompt = "hello"}), conversation_prompt("hello"));
}

TEST(Prompts, AreGivenOnceWithTheirLastLine) {
  const TemporaryFolder folder;
  put(folder / "p.txt", "one\n\ntwo\none\nthree\ntwo\n");
  const std::vector<Prompt> expected = {{"one", 4}, {"two", 6}, {"three", 5}};
  EXPECT_EQ(read_prompts(folder / "p.txt"), expected);
  put(folder / "p.jsonl",
      "{\"prompt\": \"one\"}\n\n{\"prompt\": \"two\", \"x\": 1}\n{\"prompt\": \"one\"}\n"
      "{\"prompt\": \"three\"}\n{\"prompt\": \"two\"}\n");
  EXPECT_EQ(read_prompts(folder / "p.jsonl"), expected);
  put(folder / "p.jsonl", "{\"prompt\": \"one\"}\n{\"text\": 1}");
  EXPECT_THAT(thrown_by([&] { read_prompts(folder / "p.jsonl"); }),
              HasSubstr("p.jsonl:2: has no 'prompt'"));
}

TEST(Preferences, ARealFileIsRead) {
  RGU_DATA_FILE(path, "preference/pku_saferlhf_derived_3590.jsonl");
  const auto pairs = read_preferences(path);
  EXPECT_EQ(pairs.size(), 3590u);
  for (const PreferencePair& pair : pairs) {
    ASSERT_TRUE(pair.safer && pair.safe[0] && pair.safe[1]);
    ASSERT_FALSE(pair.better);
    check_safety_labels(pair);
  }
  EXPECT_EQ(read_prompts(path).size(), 930u);
}

}  // namespace
}  // namespace rgu::llm
