// Plain data of one alignment run: all that a report is made of, and the files it is read from.
//
//   config.toml          the run, complete: `rgu align config.toml` repeats it
//   run.json             what was run (below)
//   seed-N/metrics.jsonl one line an outer step: {"iteration": 1, "objective": .., ..}
//   seed-N/timing.jsonl  {"iteration": 1, "seconds": .., "sampling": .., "scoring": .., "update":
//   ..} seed-N/answers.jsonl some answers of every step: {"iteration": 1, "prompt": .., "answer":
//   ..,
//                        "tokens": n, "finished": true, "rewards": {NAME: ..}, "costs": {NAME: ..}}
//   seed-N/shown.jsonl   answers to the same prompts before and after (empty as long as the seed
//                        runs): {"prompt": .., "before": {"answer": .., "rewards": {..}, "costs":
//                        {..}}, "after": {..}}
//   seed-N/adapter/      the trained policy, as PEFT keeps it
//   seed-N/result.json   {"status": .., "reason": .., "finished": true, "iterations": n, "notes":
//                        [..]}
//   seed-N/checkpoint    all that is needed to go on
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "rgu/align/metrics.hpp"
#include "rgu/base/types.hpp"

namespace rgu::align {

using NamedNumbers = std::vector<std::pair<std::string, double>>;

// One answer with what the scorers said of it.
struct JudgedAnswer {
  std::string text = {};
  NamedNumbers rewards = {};
  NamedNumbers costs = {};
};

struct ShownAnswers {
  std::string prompt = {};
  JudgedAnswer before = {};
  JudgedAnswer after = {};
};

struct LoggedAnswer {
  Index iteration = 0;
  std::string prompt = {};
  JudgedAnswer answer = {};
  Index tokens = 0;
  bool finished = true;
};

struct SeedRecord {
  std::uint64_t seed = 0;
  std::string status = "not finished";  // in words: "reached 40 steps"
  std::string reason = {};              // the same as a name: "iteration-limit"
  bool finished = false;
  Index iterations = 0;  // outer steps done, as result.json says
  std::vector<StepNumbers> steps = {};
  std::vector<double> seconds = {};  // wall time at each step; may be shorter after a crash
  std::vector<ShownAnswers> shown = {};
  std::vector<LoggedAnswer> answers = {};
  std::vector<std::string> notes = {};  // alarms and the like
};

struct ConstraintRecord {
  std::string name = {};
  double threshold = 0;
  double least_multiplier = 0;
  double most_multiplier = 0;
};

struct RunRecord {
  std::string name = {};
  std::string description = {};
  std::string version = {};
  std::string config = {};                // config.toml
  std::string fingerprint = {};           // of what the run is made from
  std::vector<std::string> rewards = {};  // their names
  std::vector<ConstraintRecord> constraints = {};
  std::vector<std::pair<std::string, std::string>> facts = {};  // for people: "policy" -> "..."
  std::vector<std::string> warnings = {};
  std::vector<SeedRecord> seeds = {};
};

// run.json: {"kind": "alignment", "name", "description", "version", "fingerprint", "rewards": [..],
// "constraints": [{"name", "threshold", "least_multiplier", "most_multiplier"}], "facts": [[a, b]],
// "warnings": [..]}.
std::string about_text(const RunRecord& run);

// The whole record of a run's folder. Files of seeds may be missing and the last line of one may be
// cut off, as a run leaves them that was killed. Throws InvalidInput, naming file and line, on
// files that are not as written.
RunRecord read_run(const std::filesystem::path& folder);
// Of one seed, from its own folder.
SeedRecord read_seed(const std::filesystem::path& folder, std::uint64_t seed);

// One line of metrics.jsonl, answers.jsonl or shown.jsonl, with its line break. Numbers that are
// NaN are left out, infinite ones are the words "inf" and "-inf"; bytes that are not UTF-8 are
// replaced.
std::string to_line(const StepNumbers& step);
std::string to_line(const LoggedAnswer& answer);
std::string to_line(const ShownAnswers& shown);

// result.json.
std::string result_text(const SeedRecord& seed);

}  // namespace rgu::align
