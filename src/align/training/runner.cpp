#include "rgu/align/training/runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rgu/align/config_file.hpp"
#include "rgu/align/record.hpp"
#include "rgu/align/training/aligner.hpp"
#include "rgu/align/training/seed_record.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/version.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/solver/state_file.hpp"

namespace rgu::align {
namespace {

namespace fs = std::filesystem;

RunRecord about(const Setup& setup) {
  const AlignConfig& config = setup.config;
  RunRecord run{.name = config.name,
                .description = config.description,
                .version = version_text(),
                .fingerprint = fingerprint(setup)};
  for (const ScorerConfig& reward : config.rewards) run.rewards.push_back(reward.name);
  for (const ConstraintConfig& constraint : config.constraints) {
    run.constraints.push_back({.name = constraint.scorer.name,
                               .threshold = constraint.threshold,
                               .least_multiplier = constraint.least_multiplier,
                               .most_multiplier = constraint.most_multiplier});
  }
  const llm::ModelConfig& model = setup.model.config;
  const PromptSet& prompts = setup.prompts;
  run.facts = {
      {"policy", fmt::format("{} layers of {}, vocabulary {}, LoRA of rank {}", model.layers,
                             model.hidden, model.vocabulary,
                             setup.adapter ? setup.adapter->config.rank : config.policy.lora_rank)},
      {"prompts",
       fmt::format("{} different, {} to learn from, {} to evaluate with, {} too long", prompts.read,
                   prompts.training.size(), prompts.evaluation.size(), prompts.too_long)},
      {"a step", fmt::format("{} prompts, {} answers each", config.sampling.prompts,
                             config.sampling.answers)}};
  for (std::size_t i = 0; i < setup.rewards.size(); ++i) {
    run.facts.emplace_back("reward " + config.rewards[i].name, setup.rewards[i]->about());
  }
  for (std::size_t i = 0; i < setup.costs.size(); ++i) {
    run.facts.emplace_back("cost " + config.constraints[i].scorer.name, setup.costs[i]->about());
  }
  if (config.data.held_out == 0) {
    run.warnings.push_back("evaluation has the training prompts: data.held_out is 0");
  }
  if (config.sampling.top_k > 0 || config.sampling.top_p < 1) {
    run.warnings.push_back(
        "top_k or top_p cut the distribution that answers are sampled from, but not the one that "
        "they are scored with: the KL divergence is biased");
  }
  return run;
}

// One seed: its aligner, its files, and what happens after each outer step.
class SeedRunner {
 public:
  // Without a folder it helps another rank, which has one.
  SeedRunner(const Setup& setup, const RunFolder* folder, std::size_t index,
             const RunnerOptions& options)
      : setup_(setup),
        options_(options),
        ranks_(*options.ranks),
        stop_{.iterations = setup.config.stopping.iterations,
              .seconds = setup.config.stopping.seconds},
        progress_{.seed_index = index,
                  .seed = setup.config.seeds[index],
                  .iterations = setup.config.stopping.iterations},
        aligner_(setup, progress_.seed,
                 {.phase = [this](std::string_view phase) { tell(phase); },
                  .interrupt = options.interrupt,
                  .ranks = options.ranks}) {
    if (folder != nullptr) {
      files_.emplace(folder->seed(progress_.seed), setup.config.output.tensorboard);
    }
  }

  SeedOutcome run() {
    try {
      return {.seed = progress_.seed, .status = run_to_its_end()};
    } catch (const Interrupted&) {  // before the first step, or behind the last
      return {.seed = progress_.seed, .status = Status::kInterrupted};
    }
  }

 private:
  Status run_to_its_end() {
    SolverState start = begun();
    progress_.iteration = progress_.resumed = start.iteration;
    last_ = start;
    checkpointed_ = start.iteration > 0 ? start.iteration : -1;
    const Status status = solve(std::move(start));
    if (files_ && checkpointed_ != last_.iteration) files_->checkpoint(aligner_, last_);
    SeedFiles::End end{.status = status, .iterations = last_.iteration};
    if (status != Status::kInterrupted) end.after = aligner_.shown_answers();
    if (files_) finish(end);
    return status;
  }

  // From the checkpoint that rank 0 may have, or anew.
  SolverState begun() {
    SolverState state;
    state.rng = Rng(progress_.seed);
    state.point.nature = aligner_.objective().start();
    std::optional<SolverState> stored;
    if (files_) stored = files_->resume(aligner_);
    bool resumed = stored.has_value();
    broadcast(ranks_, resumed);
    aligner_.share();
    if (resumed) return shared(std::move(stored));
    const std::vector<Aligner::ShownAnswer> before = aligner_.shown_answers();
    if (files_) files_->begin(before);
    return state;
  }

  SolverState shared(std::optional<SolverState> stored) {
    if (ranks_.size() == 1) return *std::move(stored);
    std::string text = stored ? to_text(*stored) : std::string();
    double seconds = stored ? stored->seconds : 0;
    broadcast(ranks_, text);
    broadcast(ranks_, seconds);
    SolverState state = parse_state(text);
    state.seconds = seconds;
    return state;
  }

  void finish(const SeedFiles::End& end) {
    if (end.status == Status::kDiverged) {
      files_->note(
          fmt::format("step {}: a loss or gradient was not finite; the policy is that "
                      "before this step",
                      end.iterations + 1));
    }
    files_->finish(aligner_, end);
  }

  Status solve(SolverState start) {
    const NatureConfig& nature = setup_.config.nature;
    if (const auto limit = reached_limit(stop_, start)) return *limit;
    try {
      const Status status = pgda(aligner_, aligner_.objective().ambiguity(), std::move(start),
                                 {.nature_step = nature.step, .inner_steps = nature.inner_steps},
                                 {.iterations = stop_.iterations},
                                 [this](const Iteration& iteration) { return observed(iteration); })
                                .status;
      return status == Status::kInterrupted ? over_ : status;
    } catch (const Interrupted&) {
      return Status::kInterrupted;
    }
  }

  Verdict observed(const Iteration& iteration) {
    last_ = iteration.state;
    const std::vector<std::string> notes = aligner_.take_notes();
    if (files_) record(notes);
    // The clock and the signals of rank 0 count for all.
    over_ = reached_limit(stop_, last_).value_or(Status::kRunning);
    if (options_.interrupt != nullptr && options_.interrupt->load()) over_ = Status::kInterrupted;
    broadcast(ranks_, over_);
    return {.stop = over_ != Status::kRunning};
  }

  void record(const std::vector<std::string>& notes) {
    files_->add(aligner_, last_.seconds);
    for (const std::string& alarm : aligner_.alarms()) warn(alarm);
    for (const std::string& note : notes) warn(note);
    if (last_.iteration % setup_.config.output.checkpoint_every == 0) {
      files_->checkpoint(aligner_, last_);
      checkpointed_ = last_.iteration;
    }
    const StepNumbers step = aligner_.numbers();
    progress_.iteration = last_.iteration;
    progress_.objective = step.at("objective");
    progress_.reward = step.at("reward");
    progress_.violation = step.at("violation");
    progress_.kl = step.at("kl");
    tell("");
  }

  void warn(const std::string& text) {
    files_->note(text);
    if (options_.alarm) options_.alarm(text);
  }

  void tell(std::string_view phase) {
    progress_.phase = phase;
    if (options_.progress) options_.progress(progress_);
  }

  const Setup& setup_;
  const RunnerOptions& options_;
  Ranks& ranks_;
  StopRule stop_;
  Progress progress_;
  Aligner aligner_;
  std::optional<SeedFiles> files_;  // on rank 0
  SolverState last_;                // after the last whole step
  Index checkpointed_ = -1;         // the step of the last checkpoint
  Status over_ = Status::kRunning;  // what the last step ended by
};

std::vector<SeedOutcome> run_all(const Setup& setup, const RunFolder* folder,
                                 const RunnerOptions& options) {
  std::vector<SeedOutcome> outcomes;
  for (std::size_t i = 0; i < setup.config.seeds.size(); ++i) {
    bool finished = folder != nullptr && is_finished(folder->seed(setup.config.seeds[i]),
                                                     setup.config.stopping.iterations);
    broadcast(*options.ranks, finished);
    if (finished) continue;
    outcomes.push_back(SeedRunner(setup, folder, i, options).run());
    if (outcomes.back().status == Status::kInterrupted) break;
  }
  return outcomes;
}

Json stored_about(const RunFolder& folder) {
  try {
    return parse_json(read_text(folder.about()));
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", folder.about().string(), error.what()));
  }
}

void check_kind(const RunFolder& folder) {
  const Json about = stored_about(folder);
  check(about.is_object() && about.contains("kind") && about["kind"] == "alignment",
        "{} is no alignment run: 'rgu resume' and 'rgu report' are for it", folder.path().string());
}

}  // namespace

OpenRun begin_run(const Setup& setup, const fs::path& path, ExistingRun existing) {
  const RunRecord record = about(setup);
  std::error_code absent;
  const bool is_new = !fs::exists(path, absent) || fs::is_empty(path, absent);
  RunFolder folder = RunFolder::create(path, existing);
  FolderLock lock(folder.path());
  folder.clear(existing);
  try {
    write_file(folder.config(), to_toml(setup.config));
    write_file(folder.about(), about_text(record));
  } catch (const FileError&) {
    // Half of a run would be in the way of the next try.
    std::error_code ignored;
    if (is_new) fs::remove_all(folder.path(), ignored);
    throw;
  }
  return {.folder = std::move(folder), .lock = std::move(lock)};
}

OpenRun reopen_run(const Setup& setup, const fs::path& path) {
  RunFolder folder = RunFolder::open(path);
  check_kind(folder);
  FolderLock lock(folder.path());
  remove_partial_files(folder.path());
  const std::string stored = words(stored_about(folder), "fingerprint");
  check(stored == fingerprint(setup),
        "{}: the model, the prompts or the settings are not those that the run was begun with "
        "({} then, {} now)",
        folder.path().string(), stored, fingerprint(setup));
  write_file(folder.config(), to_toml(setup.config));
  return {.folder = std::move(folder), .lock = std::move(lock)};
}

AlignConfig stored_config(const fs::path& path, const std::vector<std::string>& overrides) {
  const RunFolder folder = RunFolder::open(path);
  check_kind(folder);
  return read_config({.name = folder.config().string(),
                      .text = read_text(folder.config()),
                      .folder = folder.path()},
                     overrides);
}

std::vector<SeedOutcome> run_seeds(const Setup& setup, const RunFolder& folder,
                                   const RunnerOptions& options) {
  return run_all(setup, &folder, options);
}

void help_run_seeds(const Setup& setup, const RunnerOptions& options) {
  run_all(setup, nullptr, options);
}

}  // namespace rgu::align
