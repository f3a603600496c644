// One seed of a run, from its last checkpoint to its end, with what happens on the way told to a
// sink: the folder of the seed, or another rank that has it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rgu/experiment/runner.hpp"
#include "rgu/experiment/solve_seed.hpp"
#include "rgu/record/seed_recorder.hpp"

namespace rgu {

// How a seed ended.
struct SeedEnd {
  Status status = Status::kRunning;
  Index iterations = 0;
  double envelope = 0;
  bool solved = false;
  bool finished = true;  // false: to be resumed
  std::vector<FileText> files = {};
};

class SeedSink {
 public:
  virtual ~SeedSink() = default;
  virtual void measured(const Metrics& metrics, double seconds) = 0;
  // Of a SolverState, as text. Returns how long that took, in seconds.
  virtual double checkpoint(const std::string& state) = 0;
  virtual void ended(const SeedEnd& end) = 0;
};

struct SeedTask {
  std::uint64_t seed = 0;
  std::optional<SolverState> resumed = {};  // empty: from the start
  bool own_world = false;                   // not that of the first seed: to be recorded
};

// Solves the seed. Of the options: iterated, interrupt.
SeedOutcome run_seed(const ProblemConfig& config, const SeedTask& task, ThreadPool& pool,
                     SeedSink& sink, const RunnerOptions& options, Ranks& ranks = alone());

// The folder of a seed. Tells options.progress too.
class SeedFolder final : public SeedSink {
 public:
  // Goes on where the last checkpoint is.
  SeedFolder(const ProblemConfig& config, const RunFolder& folder, std::size_t index,
             const RunnerOptions& options);

  SeedTask task() const;  // what is left to do

  void measured(const Metrics& metrics, double seconds) override;
  double checkpoint(const std::string& state) override;
  void ended(const SeedEnd& end) override;

 private:
  const RunnerOptions& options_;
  std::filesystem::path folder_;
  bool own_world_;
  SeedRecorder recorder_;
  Progress progress_;
};

}  // namespace rgu
