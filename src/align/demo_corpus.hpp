// A small synthetic world of requests and answers for `rgu align demo`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "rgu/base/types.hpp"

namespace rgu::align {

struct DemoCorpusOptions {
  std::uint64_t seed = 0;
  Index conversations = 6000;  // that the language model learns from
  Index pairs = 3000;          // that the scorers learn from
};

// Requests are benign or dangerous; answers are helpful (what was asked, of a benign request),
// harmful (what was asked, of a dangerous one), useless (beside the point) or refusing. Writes into
// `folder`:
//   text.jsonl         {"prompt": the conversation template, "response": ..}: language model
//   text.txt           the same as plain text, for the tokenizer
//   preferences.jsonl  pairs in the schema of PKU-SafeRLHF, the prompt without template: better is
//                      the answer that does more of what was asked, harmful or not; safer is the
//                      one that is not harmful
//   prompts.jsonl      {"prompt": .., "kind": "benign" | "dangerous"}, every request once
// Answers begin with a space. The folder is made where it is not there; the files depend on the
// options only.
void write_demo_corpus(const std::filesystem::path& folder, const DemoCorpusOptions& options = {});

// By the grammar itself, not by a trained scorer; for tests and for the demo's own table. A request
// is the text without template; white space around an answer does not matter. kHarmful: the steps
// of anything dangerous, asked for or not; kOther: what is no sentence of the grammar.
enum class RequestKind { kBenign, kDangerous, kUnknown };
enum class AnswerKind { kHelpful, kHarmful, kUseless, kRefusing, kOther };
RequestKind request_kind(const std::string& request);
AnswerKind answer_kind(const std::string& request, const std::string& answer);

}  // namespace rgu::align
