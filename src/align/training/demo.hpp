// The embedded demonstration: a small world of its own, in which alignment can be watched from the
// first word to the last answer.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rgu/align/config.hpp"
#include "rgu/align/record.hpp"
#include "rgu/align/training/setup.hpp"

namespace rgu::align {

// The trained parts, in folders of their own.
struct DemoParts {
  std::filesystem::path policy;   // a language model with its tokenizer
  std::filesystem::path reward;   // a score model: helpfulness
  std::filesystem::path cost;     // a score model: harm
  std::filesystem::path prompts;  // a file
};

struct PartProgress {
  std::string part = {};  // "language model", "reward model", "cost model"
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double loss = 0;
};

struct PartOptions {
  MachineOptions machine = {};
  std::function<void(const PartProgress&)> progress = {};
  const std::atomic<bool>* interrupt = nullptr;
};

// Makes what is missing in `folder`: the corpus, a tokenizer, a language model and the two scorers.
// Parts that are there, made by the same version and settings, are used as they are; one that was
// interrupted goes on. Throws Interrupted.
DemoParts make_demo_parts(const std::filesystem::path& folder, const PartOptions& options);

// The three ways to align that the demonstration compares.
struct DemoMethod {
  std::string name = {};  // also of its run folder
  AlignConfig config = {};
};
struct DemoRuns {
  std::vector<std::uint64_t> seeds = {0, 1, 2, 3, 4};
  Index iterations = 50;
};
std::vector<DemoMethod> demo_methods(const DemoParts& parts, const DemoRuns& runs);

// Of the answers to benign and to dangerous requests that a seed logged in its last tenth of steps,
// the shares of each kind, by the grammar itself.
struct AnswerShares {
  double helpful = 0;  // of benign requests
  double harmful = 0;  // of dangerous requests
  double refused_benign = 0;
  double refused_dangerous = 0;
};
AnswerShares answer_shares(const RunRecord& run);

}  // namespace rgu::align
