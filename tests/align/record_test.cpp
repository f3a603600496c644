#include "rgu/align/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mdp/file_testing.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::align {
namespace {

using testing::HasSubstr;

const std::string kAbout = R"({
 "kind": "alignment", "name": "demo", "description": "d", "version": "rgu 1", "fingerprint": "f0",
 "rewards": ["helpfulness", "style"],
 "constraints": [{"name": "harm", "threshold": -0.25, "least_multiplier": 0, "most_multiplier": 5}],
 "facts": [["policy", "small"], ["prompts", "166 + 18"]],
 "warnings": ["w"], "more": 1
})";
const std::string kMetrics =
    "{\"iteration\": 1, \"objective\": -1.5, \"cost/harm\": 0.1}\n"
    "{\"iteration\": 2, \"objective\": 2, \"kl\": \"inf\", \"skipped\": \"-inf\"}\n"
    "{\"iteration\": 3, \"objec";
const std::string kTiming =
    "{\"iteration\": 1, \"seconds\": 1.5, \"sampling\": 1, \"scoring\": 0.2, \"update\": 0.3}\n"
    "{\"iteration\": 2, \"seconds\": 3, \"sampling\": 1, \"scoring\": 0.2, \"update\": 0.3}\n";
const std::string kAnswers =
    R"({"iteration": 2, "prompt": "p", "answer": "a\n\u00e9<", "tokens": 4, "finished": false, )"
    R"("rewards": {"helpfulness": 0.5, "style": -1}, "costs": {"harm": 2}})"
    "\n";
const std::string kShown =
    R"({"prompt": "p", "before": {"answer": "b", "rewards": {"helpfulness": 1}, "costs": {}}, )"
    R"("after": {"answer": "c", "rewards": {"helpfulness": 2}, "costs": {"harm": -3}}})"
    "\n";
const std::string kResult =
    R"({"status": "reached 2 steps", "reason": "iteration-limit", "finished": true, "iterations": 2, "notes": ["n"]})";

class ReadRun : public testing::Test {
 protected:
  void SetUp() override {
    put(folder_ / "config.toml", "name = \"demo\"\n");
    put(folder_ / "run.json", kAbout);
    for (const char* seed : {"seed-3", "seed-12"})
      std::filesystem::create_directory(folder_ / seed);
    put(folder_ / "seed-3/metrics.jsonl", kMetrics);
    put(folder_ / "seed-3/timing.jsonl", kTiming);
    put(folder_ / "seed-3/answers.jsonl", kAnswers);
    put(folder_ / "seed-3/shown.jsonl", kShown);
    put(folder_ / "seed-3/result.json", kResult);
  }

  // The message after `text` has taken the place of a file.
  std::string refusal(const std::string& name, const std::string& text) {
    const std::string before = contents(folder_ / name);
    put(folder_ / name, text);
    const std::string message = thrown_by([&] { read_run(folder_.path()); });
    put(folder_ / name, before);
    expect_parts(message, {});
    return message;
  }

  TemporaryFolder folder_;
};

TEST_F(ReadRun, ReadsEveryFile) {
  const RunRecord run = read_run(folder_.path());
  EXPECT_EQ(run.name, "demo");
  EXPECT_EQ(run.description, "d");
  EXPECT_EQ(run.version, "rgu 1");
  EXPECT_EQ(run.fingerprint, "f0");
  EXPECT_EQ(run.config, "name = \"demo\"\n");
  EXPECT_THAT(run.rewards, testing::ElementsAre("helpfulness", "style"));
  ASSERT_EQ(run.constraints.size(), 1u);
  EXPECT_EQ(run.constraints[0].name, "harm");
  EXPECT_EQ(run.constraints[0].threshold, -0.25);
  EXPECT_EQ(run.constraints[0].most_multiplier, 5);
  ASSERT_EQ(run.facts.size(), 2u);
  EXPECT_EQ(run.facts[1], std::pair(std::string("prompts"), std::string("166 + 18")));
  EXPECT_THAT(run.warnings, testing::ElementsAre("w"));

  ASSERT_EQ(run.seeds.size(), 2u);
  const SeedRecord& seed = run.seeds[0];
  EXPECT_EQ(seed.seed, 3u);
  EXPECT_EQ(seed.status, "reached 2 steps");
  EXPECT_TRUE(seed.finished);
  EXPECT_THAT(seed.notes, testing::ElementsAre("n"));
  ASSERT_EQ(seed.steps.size(), 2u);  // the third was cut off
  EXPECT_EQ(seed.steps[0].iteration, 1);
  EXPECT_EQ(seed.steps[0].at("cost/harm"), 0.1);
  EXPECT_TRUE(std::isnan(seed.steps[0].at("kl")));
  EXPECT_EQ(seed.steps[1].at("kl"), kInfinity);
  EXPECT_EQ(seed.steps[1].at("skipped"), -kInfinity);
  EXPECT_THAT(seed.seconds, testing::ElementsAre(1.5, 3));
  ASSERT_EQ(seed.answers.size(), 1u);
  EXPECT_EQ(seed.answers[0].answer.text, "a\n\u00e9<");
  EXPECT_EQ(seed.answers[0].tokens, 4);
  EXPECT_FALSE(seed.answers[0].finished);
  EXPECT_EQ(seed.answers[0].answer.rewards, (NamedNumbers{{"helpfulness", 0.5}, {"style", -1}}));
  ASSERT_EQ(seed.shown.size(), 1u);
  EXPECT_EQ(seed.shown[0].before.text, "b");
  EXPECT_EQ(seed.shown[0].after.costs, (NamedNumbers{{"harm", -3}}));
}

TEST_F(ReadRun, TakesASeedThatHasOnlyBegunAsNotFinished) {
  const SeedRecord seed = read_run(folder_.path()).seeds.at(1);
  EXPECT_EQ(seed.seed, 12u);
  EXPECT_EQ(seed.status, "not finished");
  EXPECT_FALSE(seed.finished);
  EXPECT_TRUE(seed.steps.empty());
}

TEST_F(ReadRun, NamesFileAndLineOfWhatIsNotAsWritten) {
  const std::string metrics = "{\"iteration\": 1, \"kl\": 1}\n";
  EXPECT_THAT(refusal("seed-3/metrics.jsonl", metrics + "{\"iteration\": 2, \"kl\": nonsense}\n"),
              HasSubstr("seed-3/metrics.jsonl:2: not JSON"));
  EXPECT_THAT(refusal("seed-3/metrics.jsonl", metrics + "\n"), HasSubstr("metrics.jsonl:2: "));
  EXPECT_THAT(refusal("seed-3/metrics.jsonl", metrics + "{\"kl\": 1}\n"),
              HasSubstr("metrics.jsonl:2: \"iteration\" is missing"));
  EXPECT_THAT(refusal("seed-3/metrics.jsonl", metrics + metrics),
              HasSubstr("metrics.jsonl:2: \"iteration\" is 1 after 1, must grow"));
  EXPECT_THAT(refusal("seed-3/metrics.jsonl", "{\"iteration\": 0}\n"),
              HasSubstr("metrics.jsonl:1: \"iteration\" is 0, must be at least 1"));
  EXPECT_THAT(refusal("seed-3/metrics.jsonl", "{\"iteration\": 1.5}\n"),
              HasSubstr("metrics.jsonl:1: \"iteration\" is 1.5, must be an integer"));
  EXPECT_THAT(refusal("seed-3/metrics.jsonl", "{\"iteration\": 1, \"kl\": null}\n"),
              HasSubstr("metrics.jsonl:1: \"kl\" has an entry null, must be a number"));
  EXPECT_THAT(refusal("seed-3/metrics.jsonl", "[1]\n"), HasSubstr("metrics.jsonl:1: "));
  EXPECT_THAT(refusal("seed-3/timing.jsonl", kTiming + "{\"seconds\": true}\n"),
              HasSubstr("timing.jsonl:3: \"seconds\""));
  EXPECT_THAT(refusal("seed-3/answers.jsonl", replaced(kAnswers, "false", "0")),
              HasSubstr("answers.jsonl:1: \"finished\" is 0, must be true or false"));
  EXPECT_THAT(refusal("seed-3/answers.jsonl", replaced(kAnswers, R"({"harm": 2})", "[2]")),
              HasSubstr("answers.jsonl:1: \"costs\" is [2], must be an object of numbers"));
  EXPECT_THAT(refusal("seed-3/answers.jsonl", replaced(kAnswers, R"("harm": 2)", R"("harm": "2")")),
              HasSubstr("answers.jsonl:1: \"harm\" has an entry \"2\""));
  EXPECT_THAT(refusal("seed-3/shown.jsonl", kShown + "{\"prompt\": \"p\"}\n"),
              HasSubstr("shown.jsonl:2: \"before\" is missing"));
  EXPECT_THAT(refusal("seed-3/shown.jsonl", replaced(kShown, "\"b\"", "7")),
              HasSubstr("shown.jsonl:1: \"answer\" is 7, must be a string"));
  EXPECT_THAT(refusal("seed-3/result.json", replaced(kResult, "true", "\"yes\"")),
              HasSubstr("result.json: \"finished\""));
  EXPECT_THAT(refusal("run.json", replaced(kAbout, "alignment", "solve")),
              HasSubstr("run.json: \"kind\" is \"solve\", must be \"alignment\""));
  EXPECT_THAT(refusal("run.json", replaced(kAbout, "\"kind\": \"alignment\", ", "")),
              HasSubstr("run.json: \"kind\" is missing"));
  EXPECT_THAT(refusal("run.json", replaced(kAbout, R"(["policy", "small"])", R"(["policy"])")),
              HasSubstr("run.json: \"facts\" has an entry [\"policy\"]"));
  EXPECT_THAT(refusal("run.json", replaced(kAbout, "-0.25", "null")),
              HasSubstr("run.json: \"threshold\""));
  EXPECT_THAT(refusal("run.json", "{"), HasSubstr("run.json: not JSON"));
}

TEST_F(ReadRun, RefusesAFolderThatIsNone) {
  EXPECT_THAT(thrown_by([&] { read_run(folder_ / "seed-3"); }), HasSubstr("not a run folder"));
  EXPECT_THAT(thrown_by([&] { read_run(folder_ / "none"); }), HasSubstr("no run folder"));
}

TEST_F(ReadRun, GivesBackWhatWasWritten) {
  const RunRecord first = read_run(folder_.path());
  put(folder_ / "run.json", about_text(first));
  const SeedRecord& seed = first.seeds[0];
  std::string metrics, answers, shown;
  for (const StepNumbers& step : seed.steps) metrics += to_line(step);
  for (const LoggedAnswer& answer : seed.answers) answers += to_line(answer);
  for (const ShownAnswers& pair : seed.shown) shown += to_line(pair);
  put(folder_ / "seed-3/metrics.jsonl", metrics);
  put(folder_ / "seed-3/answers.jsonl", answers);
  put(folder_ / "seed-3/shown.jsonl", shown);
  put(folder_ / "seed-3/result.json", result_text(seed));
  const RunRecord second = read_run(folder_.path());
  EXPECT_EQ(about_text(second), about_text(first));
  EXPECT_EQ(result_text(second.seeds[0]), result_text(seed));
  EXPECT_THAT(result_text(seed), HasSubstr("\"iterations\": 2"));
  ASSERT_EQ(second.seeds[0].steps.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(second.seeds[0].steps[i].values, seed.steps[i].values);
  }
  EXPECT_EQ(to_line(second.seeds[0].answers.at(0)), answers);
  EXPECT_EQ(second.seeds[0].answers[0].answer.text, seed.answers[0].answer.text);
  EXPECT_EQ(to_line(second.seeds[0].shown.at(0)), shown);
  EXPECT_EQ(second.seeds[0].shown[0].after.rewards, seed.shown[0].after.rewards);
}

TEST(StepNumbersLine, KeepsEveryDigitAndTheOrder) {
  const NamedNumbers values = {{"objective", 1.0 / 3},
                               {"cost/harm \"x\"", -5e-324},
                               {"kl", 1.7976931348623157e308},
                               {"answers", 123456789012345678.0},
                               {"entropy", -0.0},
                               {"aaa", 0.1}};
  const std::string line = to_line(StepNumbers{.iteration = 7, .values = values});
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_TRUE(line.ends_with("}\n"));
  const Json json = parse_json(line);
  NamedNumbers read;
  for (const auto& [name, value] : json.items()) {
    if (name != "iteration") read.emplace_back(name, value.get<double>());
  }
  EXPECT_EQ(read, values);
  EXPECT_TRUE(std::signbit(read[4].second));
  EXPECT_EQ(json["iteration"], 7);
}

TEST(StepNumbersLine, LeavesOutWhatIsNotANumber) {
  const StepNumbers step{.iteration = 1, .values = {{"a", std::nan("")}, {"b", kInfinity}}};
  EXPECT_EQ(to_line(step), "{\"iteration\":1,\"b\":\"inf\"}\n");
}

TEST(AnswerLine, IsOneLineOfUtf8WhateverTheModelSaid) {
  const std::string said = std::string("a\nb\xff\"\\") + '\0' + "</script>";
  const std::string line = to_line(LoggedAnswer{.iteration = 1, .prompt = "p", .answer = {said}});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(words(parse_json(line), "answer"), std::string("a\nb\ufffd\"\\") + '\0' + "</script>");
}

}  // namespace
}  // namespace rgu::align
