#include "rgu/align/cli/align_display.hpp"

#include <fmt/format.h>

#include "rgu/align/report.hpp"
#include "rgu/align/summary.hpp"
#include "rgu/cli/exit_code.hpp"
#include "rgu/cli/interrupt.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"

namespace rgu::align {

namespace fs = std::filesystem;

RunDisplay::RunDisplay(llm::LmProgress::Style style, std::string title, std::size_t seeds)
    : title_(std::move(title)), seeds_(seeds), line_(style) {}

void RunDisplay::show(const Progress& progress) {
  const Index before = static_cast<Index>(progress.seed_index) * progress.iterations;
  if (begun_ < 0) begun_ = before + progress.resumed;
  std::string text = title_;
  if (seeds_ > 1) text += fmt::format("  seed {}", progress.seed);
  if (!progress.phase.empty()) {
    text += fmt::format("  step {}: {}", progress.iteration + 1, progress.phase);
  }
  if (progress.iteration > progress.resumed) {
    text += fmt::format("  f {}  reward {}  violation {}  KL {}", short_number(progress.objective),
                        short_number(progress.reward), short_number(progress.violation),
                        short_number(progress.kl));
  }
  line_.show({.done = before + progress.iteration,
              .total = static_cast<Index>(seeds_) * progress.iterations,
              .begun = begun_,
              .text = text});
}

RunnerOptions RunDisplay::options() {
  return {.progress = [this](const Progress& progress) { show(progress); },
          .alarm = [](const std::string& alarm) { say(stderr, "\nwarning: {}\n", alarm); },
          .interrupt = &interrupt_flag()};
}

std::string summary_text(const RunRecord& run) {
  TableRow head = {"seed", "objective", "worst case", "reward"};
  for (const ConstraintRecord& constraint : run.constraints) {
    head.push_back(constraint.name);
    head.push_back("at most");
    head.push_back("multiplier");
  }
  if (run.rewards.size() > 1) {
    for (const std::string& reward : run.rewards) head.push_back("weight of " + reward);
  }
  head.insert(head.end(), {"KL", "tokens", "status"});
  std::vector<TableRow> rows = {head};
  for (const SeedRecord& seed : run.seeds) {
    TableRow row = {fmt::to_string(seed.seed)};
    const auto put = [&](const std::string& metric) {
      row.push_back(short_number(final_mean(seed, metric)));
    };
    put("objective");
    put("envelope");
    put("reward");
    for (const ConstraintRecord& constraint : run.constraints) {
      put("cost/" + constraint.name);
      row.push_back(short_number(constraint.threshold));
      put("multiplier/" + constraint.name);
    }
    if (run.rewards.size() > 1) {
      for (const std::string& reward : run.rewards) put("weight/" + reward);
    }
    put("kl");
    put("length_mean");
    row.push_back(seed.status);
    rows.push_back(row);
  }
  std::string text = table(rows);
  text += "means over the last tenth of the steps (five at least), on prompts held out\n";
  for (const std::string& warning : run.warnings) text += terminal_text("warning: {}\n", warning);
  for (const SeedRecord& seed : run.seeds) {
    for (const std::string& note : seed.notes)
      text += terminal_text("seed {}: {}\n", seed.seed, note);
  }
  return text;
}

Json summary_json(const RunRecord& run) {
  Json seeds = Json::array();
  for (const SeedRecord& seed : run.seeds) {
    Json numbers = Json::object();
    if (!seed.steps.empty()) {
      for (const auto& [name, value] : seed.steps.back().values) {
        numbers[name] = to_json(final_mean(seed, name));
      }
    }
    seeds.push_back({{"seed", seed.seed},
                     {"status", seed.status},
                     {"finished", seed.finished},
                     {"steps", seed.steps.size()},
                     {"final", numbers},
                     {"notes", seed.notes}});
  }
  return {{"name", run.name},
          {"seeds", seeds},
          {"seeds_within_thresholds", seeds_within_thresholds(run)},
          {"warnings", run.warnings}};
}

fs::path write_report(const fs::path& folder, const RunRecord& run) {
  fs::path page = folder / "report.html";
  write_file(page, html_report(run));
  return page;
}

int exit_code(const std::vector<SeedOutcome>& outcomes, const RunRecord& run) {
  for (const SeedOutcome& outcome : outcomes) {
    if (outcome.status == Status::kInterrupted) return kInterrupted;
  }
  for (const SeedRecord& seed : run.seeds) {
    if (seed.reason == describe(Status::kDiverged).name) return kNotSolved;
  }
  return kDone;
}

}  // namespace rgu::align
