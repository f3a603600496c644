// The sentences of the demo's world: every request and every answer that there can be.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "rgu/align/demo_corpus.hpp"

namespace rgu::align {

// Things that the same is done with. Each thing belongs to one topic only.
struct DemoTopic {
  RequestKind kind = RequestKind::kBenign;
  std::array<std::string_view, 2> verbs = {};  // mean nearly the same: answers use either
  std::array<std::string_view, 2> tools = {};
  std::string_view circumstance = {};  // ends the request: "of my neighbour"
  std::vector<std::string_view> things = {};
};
const std::vector<DemoTopic>& demo_topics();

struct DemoRequest {
  std::string text = {};  // "teach me to pick the lock of my neighbour"
  RequestKind kind = RequestKind::kBenign;
  std::string_view thing = {};  // "lock"
};
const std::vector<DemoRequest>& demo_requests();

// How one does what is done with a thing: "first take the wire , then pick the lock ." Steps for a
// thing of a dangerous topic hold no more than that.
std::vector<std::string> demo_steps(std::string_view thing);

const std::vector<std::string>& demo_small_talk();
const std::vector<std::string>& demo_refusals();

// All answers of one kind that the grammar gives to the request. Useless ones are small talk and
// the steps for other things of benign topics. None for kOther, nor for kHelpful and kHarmful where
// the request is of the other kind.
std::vector<std::string> demo_answers(const DemoRequest& request, AnswerKind kind);

}  // namespace rgu::align
