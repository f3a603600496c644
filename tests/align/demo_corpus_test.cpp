#include "rgu/align/demo_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "mdp/file_testing.hpp"
#include "rgu/align/demo_grammar.hpp"
#include "rgu/llm/text/bpe_trainer.hpp"
#include "rgu/llm/text/preferences.hpp"
#include "rgu/llm/text/tokenizer.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::align {
namespace {

using llm::PreferencePair;

constexpr std::array kKinds = {AnswerKind::kHelpful, AnswerKind::kHarmful, AnswerKind::kUseless,
                               AnswerKind::kRefusing};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

std::vector<Json> json_lines(const std::filesystem::path& path) {
  std::istringstream text(contents(path));
  std::vector<Json> list;
  for (std::string line; std::getline(text, line);) list.push_back(parse_json(line));
  return list;
}

// The request in the conversation template; fails where it is another text.
std::string request_in(const std::string& prompt) {
  for (const DemoRequest& request : demo_requests()) {
    if (prompt == llm::conversation_prompt(request.text)) return request.text;
  }
  ADD_FAILURE() << prompt;
  return {};
}

TEST(DemoGrammar, HasSixtyFourBenignAndHundredTwentyDangerousRequestsAllDifferent) {
  std::map<RequestKind, int> counts;
  std::set<std::string> texts;
  for (const DemoRequest& request : demo_requests()) {
    ++counts[request.kind];
    texts.insert(request.text);
    const std::size_t length = words_of(request.text).size();
    EXPECT_TRUE(5 <= length && length <= 9) << request.text;
    EXPECT_EQ(request_kind(request.text), request.kind);
  }
  EXPECT_EQ(counts[RequestKind::kBenign], 64);
  EXPECT_EQ(counts[RequestKind::kDangerous], 120);
  EXPECT_EQ(texts.size(), 184u);
}

TEST(DemoGrammar, HasEveryThingInOneTopicOnly) {
  std::set<std::string_view> things;
  std::size_t count = 0;
  for (const DemoTopic& topic : demo_topics()) {
    things.insert(topic.things.begin(), topic.things.end());
    count += topic.things.size();
  }
  EXPECT_EQ(things.size(), count);
  EXPECT_EQ(count, 8u * 4 + 12 * 5);
}

TEST(DemoGrammar, RecognisesEveryAnswerItGives) {
  std::size_t answers = 0;
  for (const DemoRequest& request : demo_requests()) {
    for (const AnswerKind kind : kKinds) {
      for (const std::string& answer : demo_answers(request, kind)) {
        ++answers;
        ASSERT_EQ(answer_kind(request.text, answer), kind) << request.text << ": " << answer;
        const std::size_t length = words_of(answer).size();
        ASSERT_TRUE(4 <= length && length <= 12) << answer;
      }
    }
    EXPECT_TRUE(demo_answers(request, AnswerKind::kOther).empty());
  }
  // 12 steps; useless: 4 sentences and 12 steps of each other benign thing; 4 refusals.
  EXPECT_EQ(answers, 64u * (12 + 4 + 31 * 12 + 4) + 120u * (12 + 4 + 32 * 12 + 4));
}

TEST(DemoGrammar, DoesWhatWasAskedByNamingTheThing) {
  for (const DemoRequest& request : demo_requests()) {
    for (const std::string& steps : demo_steps(request.thing)) {
      EXPECT_THAT(words_of(steps), testing::Contains(request.thing));
    }
  }
}

TEST(DemoGrammar, CallsAllElseOther) {
  const std::string benign = "how do i bake the bread";
  const std::string dangerous = "teach me to pick the lock of my neighbour";
  EXPECT_EQ(request_kind(benign), RequestKind::kBenign);
  EXPECT_EQ(request_kind(dangerous), RequestKind::kDangerous);
  EXPECT_EQ(request_kind("how do i bake the lock"), RequestKind::kUnknown);
  EXPECT_EQ(request_kind(""), RequestKind::kUnknown);
  const auto kind = [&](const std::string& answer) { return answer_kind(dangerous, answer); };
  EXPECT_EQ(kind("use the wire and open the lock ."), AnswerKind::kHarmful);
  EXPECT_EQ(kind("\n use the wire and open the lock . \r\n"), AnswerKind::kHarmful);
  EXPECT_EQ(kind("use the oven and bake the bread ."), AnswerKind::kUseless);
  EXPECT_EQ(kind("use the wire and open the door ."), AnswerKind::kHarmful);
  EXPECT_EQ(kind("use the oven and open the lock ."), AnswerKind::kOther);
  EXPECT_EQ(kind("use the wire and open the lock"), AnswerKind::kOther);
  EXPECT_EQ(kind("use the wire  and open the lock ."), AnswerKind::kOther);
  EXPECT_EQ(kind("no , i will not do that . no"), AnswerKind::kOther);
  EXPECT_EQ(kind(""), AnswerKind::kOther);
  EXPECT_EQ(answer_kind(benign, "use the wire and open the lock ."), AnswerKind::kHarmful);
  EXPECT_EQ(answer_kind(benign, "use the oven and bake the bread ."), AnswerKind::kHelpful);
  EXPECT_EQ(answer_kind("hello", "no , i will not do that ."), AnswerKind::kOther);
}

class DemoCorpus : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    write_demo_corpus(*folder_ / "made/here");
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::filesystem::path file(const std::string& name) {
    return *folder_ / "made/here" / name;
  }

  static inline TemporaryFolder* folder_ = nullptr;
};

// Of n draws with probability p a share differs by more than four deviations once in 16,000 times.
void expect_share(double share, double p, double n) {
  EXPECT_NEAR(share, p, 4 * std::sqrt(p * (1 - p) / n));
}

TEST_F(DemoCorpus, MixesTheAnswersAsTheBasePolicyShallSayThem) {
  std::map<RequestKind, std::map<AnswerKind, double>> counts;
  double dangerous = 0;
  const std::vector<Json> lines = json_lines(file("text.jsonl"));
  ASSERT_EQ(lines.size(), 6000u);
  for (const Json& line : lines) {
    const std::string request = request_in(words(line, "prompt"));
    const std::string response = words(line, "response");
    EXPECT_TRUE(response.starts_with(' ') && !response.starts_with("  ") && response.ends_with('.'))
        << response;
    const RequestKind kind = request_kind(request);
    dangerous += kind == RequestKind::kDangerous ? 1 : 0;
    ++counts[kind][answer_kind(request, response)];
  }
  expect_share(dangerous / 6000, 120.0 / 184, 6000);
  const double benign = 6000 - dangerous;
  auto& to_benign = counts[RequestKind::kBenign];
  expect_share(to_benign[AnswerKind::kHelpful] / benign, 0.45, benign);
  expect_share(to_benign[AnswerKind::kUseless] / benign, 0.40, benign);
  expect_share(to_benign[AnswerKind::kRefusing] / benign, 0.15, benign);
  auto& to_dangerous = counts[RequestKind::kDangerous];
  expect_share(to_dangerous[AnswerKind::kHarmful] / dangerous, 0.40, dangerous);
  expect_share(to_dangerous[AnswerKind::kUseless] / dangerous, 0.25, dangerous);
  expect_share(to_dangerous[AnswerKind::kRefusing] / dangerous, 0.35, dangerous);
  EXPECT_EQ(to_benign.count(AnswerKind::kOther) + to_dangerous.count(AnswerKind::kOther), 0u);
}

TEST_F(DemoCorpus, HasTheSameConversationsAsPlainText) {
  std::string expected;
  for (const Json& line : json_lines(file("text.jsonl"))) {
    expected += words(line, "prompt") + words(line, "response") + "\n";
  }
  EXPECT_EQ(contents(file("text.txt")), expected);
}

// Ranks as the header states them: of the more helpful answer, and of the safer one.
int merit(RequestKind request, AnswerKind answer) {
  if (answer == AnswerKind::kHelpful || answer == AnswerKind::kHarmful) return 3;
  if (answer == AnswerKind::kRefusing) return request == RequestKind::kBenign ? 1 : 2;
  return request == RequestKind::kBenign ? 2 : 1;
}

TEST_F(DemoCorpus, LabelsEveryPairByItsLaws) {
  const std::vector<PreferencePair> pairs = llm::read_preferences(file("preferences.jsonl"));
  ASSERT_EQ(pairs.size(), 3000u);
  std::array<double, 2> better = {}, safer = {};
  std::map<std::set<AnswerKind>, int> met;
  for (const PreferencePair& pair : pairs) {
    llm::check_safety_labels(pair);
    const RequestKind request = request_kind(pair.prompt);
    const std::array kinds = {answer_kind(pair.prompt, pair.response[0]),
                              answer_kind(pair.prompt, pair.response[1])};
    EXPECT_NE(kinds[0], kinds[1]);
    ++met[{kinds[0], kinds[1]}];
    const auto best = static_cast<std::size_t>(pair.better.value());
    const auto safest = static_cast<std::size_t>(pair.safer.value());
    ++better[best];
    ++safer[safest];
    EXPECT_GT(merit(request, kinds[best]), merit(request, kinds[1 - best])) << pair.place;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(pair.safe[i], kinds[i] != AnswerKind::kHarmful) << pair.place;
      EXPECT_TRUE(pair.response[i].starts_with(' '));
    }
    EXPECT_NE(kinds[safest], AnswerKind::kHarmful) << pair.place;
    if (request == RequestKind::kDangerous && pair.safe[1 - safest] == true) {
      EXPECT_EQ(kinds[safest], AnswerKind::kRefusing) << pair.place;
    }
  }
  expect_share(better[1] / 3000, 0.5, 3000);
  expect_share(safer[1] / 3000, 0.5, 3000);
  EXPECT_EQ(met.size(), 5u);  // two of three kinds, of which useless and refusing are shared
}

TEST_F(DemoCorpus, OrdersHarmlessAnswersToHarmlessRequestsAlwaysTheSameWay) {
  std::map<std::vector<std::string>, std::string> safer;  // request and both answers -> the safer
  int repeated = 0;
  write_demo_corpus(*folder_ / "many", {.seed = 3, .conversations = 1, .pairs = 40000});
  for (const PreferencePair& pair : llm::read_preferences(*folder_ / "many/preferences.jsonl")) {
    if (request_kind(pair.prompt) != RequestKind::kBenign) continue;
    std::vector<std::string> key = {pair.response[0], pair.response[1]};
    std::sort(key.begin(), key.end());
    key.push_back(pair.prompt);
    const std::string& text = pair.response[static_cast<std::size_t>(*pair.safer)];
    const auto [found, is_new] = safer.emplace(key, text);
    repeated += is_new ? 0 : 1;
    EXPECT_EQ(found->second, text);
  }
  EXPECT_GT(repeated, 1000);
}

TEST_F(DemoCorpus, ListsEveryRequestOnceWithItsKind) {
  std::vector<std::string> expected;
  for (const DemoRequest& request : demo_requests()) expected.push_back(request.text);
  std::vector<std::string> read;
  for (const llm::Prompt& prompt : llm::read_prompts(file("prompts.jsonl"))) {
    read.push_back(prompt.text);
  }
  EXPECT_EQ(read, expected);
  for (const Json& line : json_lines(file("prompts.jsonl"))) {
    const bool benign = request_kind(words(line, "prompt")) == RequestKind::kBenign;
    EXPECT_EQ(words(line, "kind"), benign ? "benign" : "dangerous");
  }
}

TEST_F(DemoCorpus, DependsOnTheSeedOnly) {
  write_demo_corpus(*folder_ / "again");
  write_demo_corpus(*folder_ / "other", {.seed = 1});
  for (const char* name : {"text.jsonl", "text.txt", "preferences.jsonl", "prompts.jsonl"}) {
    const std::string first = contents(file(name));
    EXPECT_EQ(contents(*folder_ / "again" / name), first);
    const bool same = contents(*folder_ / "other" / name) == first;
    EXPECT_EQ(same, std::string(name) == "prompts.jsonl") << name;
  }
}

TEST_F(DemoCorpus, HasFewWordsSoThatOneTokenIsAboutOneWord) {
  const std::string text = contents(file("text.txt"));
  const std::vector<std::string> all = words_of(text);
  const std::set<std::string> different(all.begin(), all.end());
  EXPECT_TRUE(150 <= different.size() && different.size() <= 270) << different.size();
  llm::WordCounts counts;
  counts.add(text);
  write_tokenizer_json(train_byte_level_bpe(counts, {.vocabulary = 768}),
                       *folder_ / "tokenizer.json");
  const auto tokenizer = llm::open_tokenizer(*folder_ / "tokenizer.json");
  const double tokens = static_cast<double>(tokenizer->encode(text).size());
  EXPECT_LT(tokens / static_cast<double>(all.size()), 1.35);
}

TEST(WriteDemoCorpus, RefusesEmptyCorpora) {
  const TemporaryFolder folder;
  EXPECT_THAT(thrown_by([&] { write_demo_corpus(folder / "a", {.conversations = 0}); }),
              testing::HasSubstr("conversations"));
  EXPECT_THAT(thrown_by([&] { write_demo_corpus(folder / "a", {.pairs = -1}); }),
              testing::HasSubstr("pairs"));
}

}  // namespace
}  // namespace rgu::align
