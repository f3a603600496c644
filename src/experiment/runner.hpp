// Whole runs: all seeds of a problem, side by side, recorded in a folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "rgu/base/folder_lock.hpp"
#include "rgu/base/ranks.hpp"
#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"
#include "rgu/record/run_folder.hpp"
#include "rgu/record/run_record.hpp"
#include "rgu/solver/status.hpp"

namespace rgu {

// Sent after every measured iteration and at the end of a seed, from the thread that runs it, one
// at a time.
struct Progress {
  std::size_t seed_index = 0;  // in ProblemConfig::seeds
  std::uint64_t seed = 0;
  Status status = Status::kRunning;
  Index iteration = 0;
  double objective = 0;
  double envelope = 0;
  double residual = 0;
  Index samples = 0;
};

enum class Spread;

struct RunnerOptions {
  int threads = 1;  // over seeds first, then inside the sampling of each
  // Processes to share the work with; the others are in assist() (spread.hpp). Null: none.
  Ranks* ranks = nullptr;
  std::optional<Spread> spread = {};  // of the work over the ranks; empty: chosen
  std::function<void(const Progress&)> progress = {};
  std::function<void()> iterated = {};  // after every iteration, from the thread that made it
  const std::atomic<bool>* interrupt = nullptr;  // set: stop soon, with everything saved
  bool reopen = false;  // go on with finished seeds too: a limit was raised
};

struct SeedOutcome {
  std::uint64_t seed = 0;
  Status status = Status::kRunning;
  bool solved = false;
};

// A folder to write in, and the right to be the only one who does.
struct OpenRun {
  RunFolder folder;
  FolderLock lock;
};

// Writes config.toml and run.json: a folder that run_seeds can be called on. Throws as
// make_instance does, before anything is written, where the config has parts that do not fit.
OpenRun begin_run(const ProblemConfig& config, const std::filesystem::path& path,
                  ExistingRun existing);

// Runs every seed that is not finished, from its last checkpoint, and records it. What is written
// does not depend on the number of threads and ranks, nor on interruptions (but for timing). The
// caller holds the folder's lock. Throws FileError where the system refuses to write.
std::vector<SeedOutcome> run_seeds(const ProblemConfig& config, const RunFolder& folder,
                                   const RunnerOptions& options = {});

// Checksums of the config, but for what may change on resuming ([stopping] and [output]), and of
// the file that the model is read from.
std::string fingerprint(const ProblemConfig& config);

// What a report needs to draw results of the instance.
WorldRecord world_record(const Instance& instance);

// What run.json says, for the instance of the first seed; without config and seeds.
RunRecord about(const ProblemConfig& config);
// The same of one instance, whatever it was made from: without a fingerprint.
RunRecord about(const ProblemConfig& config, const Instance& instance);

}  // namespace rgu
