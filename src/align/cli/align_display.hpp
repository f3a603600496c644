// An alignment run as the user sees it.
#pragma once

#include <filesystem>
#include <string>

#include "rgu/align/record.hpp"
#include "rgu/align/training/runner.hpp"
#include "rgu/llm/cli/lm_progress.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::align {

class RunDisplay {
 public:
  RunDisplay(llm::LmProgress::Style style, std::string title, std::size_t seeds);

  void show(const Progress& progress);
  RunnerOptions options();  // that show here, and stop at Ctrl-C

 private:
  std::string title_;
  std::size_t seeds_;
  Index begun_ = -1;  // steps done before this program started
  llm::LmProgress line_;
};

// A table with a line for each seed.
std::string summary_text(const RunRecord& run);
Json summary_json(const RunRecord& run);

// report.html in the run's folder. Returns its path.
std::filesystem::path write_report(const std::filesystem::path& folder, const RunRecord& run);

// 0, or interrupted, or not solved where a seed diverged, now or before.
int exit_code(const std::vector<SeedOutcome>& outcomes, const RunRecord& run);

}  // namespace rgu::align
