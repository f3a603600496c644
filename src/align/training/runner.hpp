// Whole alignment runs: all seeds, one after the other, recorded in a folder (record.hpp) and
// resumed from it.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rgu/align/training/setup.hpp"
#include "rgu/base/folder_lock.hpp"
#include "rgu/base/ranks.hpp"
#include "rgu/record/run_folder.hpp"
#include "rgu/solver/status.hpp"

namespace rgu::align {

struct Progress {
  std::size_t seed_index = 0;  // in AlignConfig::seeds
  std::uint64_t seed = 0;
  Index iteration = 0;   // outer steps done
  Index iterations = 0;  // to be done
  Index resumed = 0;     // done before this program began
  std::string phase =
      {};                // what it is at: "sampling", "scoring", "updating"; empty: a step is done
  double objective = 0;  // these: of the last step
  double reward = 0;
  double violation = 0;
  double kl = 0;
};

struct RunnerOptions {
  std::function<void(const Progress&)> progress = {};
  std::function<void(const std::string&)> alarm = {};  // one line, for people
  const std::atomic<bool>* interrupt = nullptr;        // set: stop soon, with everything saved
  Ranks* ranks = &alone();                             // that share the work
};

struct SeedOutcome {
  std::uint64_t seed = 0;
  Status status = Status::kRunning;
};

// A folder to write in, and the right to be the only one who does.
struct OpenRun {
  RunFolder folder;
  FolderLock lock;
};

// Writes config.toml and run.json. Throws InvalidInput if something is there already that may not
// be replaced.
OpenRun begin_run(const Setup& setup, const std::filesystem::path& path, ExistingRun existing);
// For going on: throws InvalidInput unless `path` is an alignment run of what the setup holds.
OpenRun reopen_run(const Setup& setup, const std::filesystem::path& path);
// The config of a run's folder. Throws InvalidInput unless it is an alignment run.
AlignConfig stored_config(const std::filesystem::path& path,
                          const std::vector<std::string>& overrides = {});

// Runs every seed that is not finished, from its last checkpoint, and records it. What is written
// does not depend on interruptions, but for timing.jsonl and TensorBoard's files. Throws FileError
// where the system refuses to write. On several ranks rank 0 calls it, and the others
// help_run_seeds, which touches no folder: all begin from what rank 0 has read.
std::vector<SeedOutcome> run_seeds(const Setup& setup, const RunFolder& folder,
                                   const RunnerOptions& options = {});
void help_run_seeds(const Setup& setup, const RunnerOptions& options);

}  // namespace rgu::align
