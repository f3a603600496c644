#include "rgu/experiment/seed_sink.hpp"

#include <algorithm>
#include <chrono>

#include "rgu/experiment/problem_text.hpp"
#include "rgu/solver/state_file.hpp"

namespace rgu {
namespace {

using Clock = std::chrono::steady_clock;

// Of the time between two checkpoints, at most this share goes into writing them.
constexpr double kCheckpointShare = 0.05;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

SeedOutcome run_seed(const ProblemConfig& config, const SeedTask& task, ThreadPool& pool,
                     SeedSink& sink, const RunnerOptions& options, Ranks& ranks) {
  const SeedProblem problem{
      .config = config, .seed = task.seed, .of = make_instance(config, task.seed)};
  Clock::time_point last_checkpoint = Clock::now();
  double cost = 0;
  SolvedSeed solved = solve_seed(
      problem, task.resumed, pool,
      {.measured = [&](const Metrics& metrics, double seconds) { sink.measured(metrics, seconds); },
       .iterated =
           [&](const SolverState& state, double residual) {
             if (options.iterated) options.iterated();
             const double pause =
                 std::max(config.output.checkpoint_seconds, cost / kCheckpointShare);
             if (seconds_since(last_checkpoint) < pause) return;
             SolverState judged = state;
             judged.residual = residual;
             cost = sink.checkpoint(to_text(judged));
             last_checkpoint = Clock::now();
           },
       .ended = [&](const SolverState& state) { sink.checkpoint(to_text(state)); },
       .interrupt = options.interrupt},
      ranks);
  SeedRecord& record = solved.files.record;
  if (task.own_world) record.world = world_record(problem.of);
  if (record.certificate.witness.exists()) solved.files.problem = problem_text(problem.of);
  sink.ended({.status = solved.status,
              .iterations = solved.iterations,
              .envelope = record.worst_case.value,
              .solved = record.solved,
              .finished = solved.files.finished,
              .files = seed_texts(solved.files)});
  return {.seed = task.seed, .status = solved.status, .solved = record.solved};
}

SeedFolder::SeedFolder(const ProblemConfig& config, const RunFolder& folder, std::size_t index,
                       const RunnerOptions& options)
    : options_(options),
      folder_(folder.seed(config.seeds[index])),
      own_world_(index > 0 && has_own_instances(folder)),
      recorder_(folder_, {.tensorboard = config.output.tensorboard}),
      progress_{.seed_index = index, .seed = config.seeds[index]} {}

SeedTask SeedFolder::task() const {
  SeedTask task{.seed = progress_.seed, .own_world = own_world_};
  if (recorder_.resumed_state()) {
    task.resumed = parse_state(*recorder_.resumed_state());
    task.resumed->seconds = recorder_.resumed_seconds();
  }
  return task;
}

void SeedFolder::measured(const Metrics& metrics, double seconds) {
  recorder_.add(metrics, seconds);
  progress_.iteration = metrics.iteration;
  progress_.objective = metrics.objective;
  progress_.envelope = metrics.envelope;
  progress_.residual = metrics.residual;
  progress_.samples = metrics.samples;
  if (options_.progress) options_.progress(progress_);
}

double SeedFolder::checkpoint(const std::string& state) {
  recorder_.checkpoint(state);
  return recorder_.checkpoint_cost();
}

void SeedFolder::ended(const SeedEnd& end) {
  write_seed(folder_, end.files);
  if (end.finished) recorder_.finish();
  progress_.status = end.status;
  progress_.iteration = end.iterations;
  progress_.envelope = end.envelope;
  if (options_.progress) options_.progress(progress_);
}

}  // namespace rgu
