#include "rgu/align/demo_corpus.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "rgu/align/demo_grammar.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/crc32c.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/llm/text/preferences.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::align {
namespace {

struct Said {
  AnswerKind kind = AnswerKind::kOther;
  std::string text = {};  // with the space before it
};

AnswerKind doing_as_asked(const DemoRequest& request) {
  return request.kind == RequestKind::kBenign ? AnswerKind::kHelpful : AnswerKind::kHarmful;
}

bool contains(const std::vector<std::string_view>& things, std::string_view thing) {
  return std::find(things.begin(), things.end(), thing) != things.end();
}

template <class List>
const auto& any_of(const List& list, Rng& rng) {
  return list[rng.below(list.size())];
}

// Steps for another thing, of a benign topic: half of the time of the topic that was asked about,
// if that is benign, so that nobody can do without the thing itself.
std::vector<std::string> steps_beside_the_point(const DemoRequest& request, Rng& rng) {
  const bool near = request.kind == RequestKind::kBenign && rng.below(2) == 0;
  const auto is_meant = [&](const DemoTopic& topic) {
    if (near) return contains(topic.things, request.thing);
    return topic.kind == RequestKind::kBenign;
  };
  std::string_view thing = request.thing;
  while (thing == request.thing) {
    const DemoTopic& topic = any_of(demo_topics(), rng);
    if (is_meant(topic)) thing = any_of(topic.things, rng);
  }
  return demo_steps(thing);
}

// Half of the useless answers are small talk, which is few among all of them.
std::vector<std::string> candidates(const DemoRequest& request, AnswerKind kind, Rng& rng) {
  if (kind != AnswerKind::kUseless) return demo_answers(request, kind);
  return rng.below(2) == 0 ? demo_small_talk() : steps_beside_the_point(request, rng);
}

Said answer_of_kind(const DemoRequest& request, AnswerKind kind, Rng& rng) {
  return {kind, " " + any_of(candidates(request, kind, rng), rng)};
}

// What the language model learns to say before anyone aligns it.
Said spoken(const DemoRequest& request, Rng& rng) {
  const bool benign = request.kind == RequestKind::kBenign;
  const double useless = benign ? 0.40 : 0.25;
  const double refusing = benign ? 0.15 : 0.35;
  const double u = rng.uniform();
  const AnswerKind kind = u < useless              ? AnswerKind::kUseless
                          : u < useless + refusing ? AnswerKind::kRefusing
                                                   : doing_as_asked(request);
  return answer_of_kind(request, kind, rng);
}

// How much the answer does for who asked: the steps most. Where they would be harmful a refusal
// comes next, elsewhere it is worst.
int merit(const DemoRequest& request, AnswerKind kind) {
  if (kind == doing_as_asked(request)) return 2;
  const bool refusal_first = request.kind == RequestKind::kDangerous;
  return (kind == AnswerKind::kRefusing) == refusal_first ? 1 : 0;
}

// The lower, the safer. Between harmless answers to a harmless request there is no reason, but
// always the same order.
std::pair<int, std::uint32_t> danger(const DemoRequest& request, const Said& said) {
  if (said.kind == AnswerKind::kHarmful) return {2, 0};
  if (request.kind == RequestKind::kDangerous) {
    return {said.kind == AnswerKind::kRefusing ? 0 : 1, 0};
  }
  return {0, crc32c(request.text + said.text)};
}

Json pair_of(const DemoRequest& request, Rng& rng) {
  std::array kinds = {doing_as_asked(request), AnswerKind::kUseless, AnswerKind::kRefusing};
  std::swap(kinds[0], kinds[rng.below(3)]);
  std::swap(kinds[1], kinds[1 + rng.below(2)]);
  const Said first = answer_of_kind(request, kinds[0], rng);
  const Said second = answer_of_kind(request, kinds[1], rng);
  const bool second_better = merit(request, second.kind) > merit(request, first.kind);
  const bool second_safer = danger(request, second) < danger(request, first);
  return {{"prompt", request.text},
          {"response_0", first.text},
          {"response_1", second.text},
          {"better_response_id", second_better ? 1 : 0},
          {"safer_response_id", second_safer ? 1 : 0},
          {"is_response_0_safe", first.kind != AnswerKind::kHarmful},
          {"is_response_1_safe", second.kind != AnswerKind::kHarmful}};
}

void write_text(const std::filesystem::path& folder, Index conversations, Rng rng) {
  OutputFile lines(folder / "text.jsonl");
  OutputFile plain(folder / "text.txt");
  for (Index i = 0; i < conversations; ++i) {
    const DemoRequest& request = any_of(demo_requests(), rng);
    const std::string prompt = llm::conversation_prompt(request.text);
    const std::string response = spoken(request, rng).text;
    lines.text(Json{{"prompt", prompt}, {"response", response}}.dump() + '\n');
    plain.text(prompt + response + '\n');
  }
  lines.commit();
  plain.commit();
}

void write_pairs(const std::filesystem::path& folder, Index pairs, Rng rng) {
  OutputFile file(folder / "preferences.jsonl");
  for (Index i = 0; i < pairs; ++i) {
    const DemoRequest& request = any_of(demo_requests(), rng);
    file.text(pair_of(request, rng).dump() + '\n');
  }
  file.commit();
}

void write_prompts(const std::filesystem::path& folder) {
  OutputFile file(folder / "prompts.jsonl");
  for (const DemoRequest& request : demo_requests()) {
    const char* kind = request.kind == RequestKind::kBenign ? "benign" : "dangerous";
    file.text(Json{{"prompt", request.text}, {"kind", kind}}.dump() + '\n');
  }
  file.commit();
}

}  // namespace

void write_demo_corpus(const std::filesystem::path& folder, const DemoCorpusOptions& options) {
  check_count("conversations", options.conversations);
  check_count("pairs", options.pairs);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  write_text(folder, options.conversations, Rng(options.seed, 0));
  write_pairs(folder, options.pairs, Rng(options.seed, 1));
  write_prompts(folder);
}

}  // namespace rgu::align
