// Scores by another program: any language, any model.
//
// It is started once and kept running. For every answer it is given one line of JSON
//
//   {"prompt": "...", "answer": "...", "finished": true}
//
// (ASCII, everything else escaped; bytes that are not UTF-8 become U+FFFD) and writes one line for
// each, in their order: a finite number, or an object {"score": number} with whatever else. It may
// answer at once or after many lines, but must have flushed the scores of all lines that came so
// far when no more come; its end of input is the end of its work. In Python:
//
//   for line in sys.stdin:
//       case = json.loads(line)
//       print(score(case["prompt"], case["answer"]), flush=True)
//
// Its standard error is ours. See ChildProcess for how it is started and ended.
#pragma once

#include <string>

#include "rgu/align/child_process.hpp"
#include "rgu/align/config.hpp"
#include "rgu/align/scorer.hpp"

namespace rgu::align {

class CommandScorer final : public Scorer {
 public:
  // Throws InvalidInput if the command cannot be started.
  explicit CommandScorer(const CommandScorerConfig& config);

  // Throws InvalidInput if the program ends, writes a line that is no score or one more than it was
  // given, or takes longer than the timeout. After that it is not to be asked again: every call
  // throws.
  std::vector<double> scores(std::span<const Answer> answers) override;
  std::string about() const override;

 private:
  class Exchange;  // of one batch

  CommandScorerConfig config_;
  std::string name_;  // "command 'judge.py'"
  ChildProcess process_;
  std::string received_;  // and not yet a line
  bool failed_ = false;
};

}  // namespace rgu::align
