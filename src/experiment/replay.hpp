// A run made again from its config, in memory, and compared with what its folder holds.
//
// Compared, bit by bit: every whole line of metrics.jsonl, then policy.json, worst_case.json,
// certificate.json and result.json. Wall times are not. The replay measures the iterations that the
// run has lines for, and ends where it ended: a limit on time, which would end it elsewhere, is
// taken from the record. A seed that is not finished is replayed up to its last whole line, and its
// other files, if any, are those of a moment that no line speaks of.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "rgu/base/version.hpp"
#include "rgu/experiment/config.hpp"
#include "rgu/record/json_difference.hpp"
#include "rgu/record/run_folder.hpp"

namespace rgu {

struct ReplayDifference {
  std::string file;     // "metrics.jsonl"
  Index line = 0;       // from 1; 0: of the file as a whole
  Index iteration = 0;  // of that line
  JsonDifference value;
  std::string remark = {};  // what is wrong, where it is not one value
};

struct SeedReplay {
  std::uint64_t seed = 0;
  bool finished = false;     // by the record
  bool interrupted = false;  // the replay was: nothing is known of what would have come
  Index lines = 0;           // of metrics.jsonl that were compared
  Index iterations = 0;      // that were replayed
  std::vector<ReplayDifference> differences = {};  // the first of each file
  std::vector<std::string> left_out = {};          // files that the run itself did not write

  bool identical() const { return !interrupted && differences.empty(); }
};

struct ReplayOptions {
  std::vector<std::uint64_t> seeds = {};  // empty: all that have begun
  int threads = 1;                        // over seeds first, then inside the sampling of each
  const std::atomic<bool>* interrupt = nullptr;
};

// In the order of the config. Reads only, and takes no lock: of a run that goes on meanwhile, what
// it has written so far. Throws InvalidInput as read_run_config does, on files that are not as
// written, on a seed that the run does not have, and where no seed has begun.
std::vector<SeedReplay> replay(const RunFolder& folder, const ReplayOptions& options = {});

// What differs between the program that began a run and this one.
struct BuildDifference {
  std::string name;
  std::string recorded;  // empty: not recorded
  std::string now;       // empty: not known
};
std::vector<BuildDifference> build_differences(const BuildFacts& recorded, const BuildFacts& now);

}  // namespace rgu
