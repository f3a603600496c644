// The folder of a run.
//
//   config.toml        the problem, complete: `rgu solve config.toml` repeats the run
//   run.json           what was run: names, sizes, warnings
//   lock               held by the process that writes here
//   seed-N/            one for each seed:
//     metrics.jsonl    one line an outer iteration (metrics.hpp)
//     timing.jsonl     wall time at each of those lines. Two runs of the same configuration differ
//                      in this, in the report, which shows it, and in TensorBoard's files
//     checkpoint       all that is needed to go on; checkpoint.previous is the one before it
//     world.json       sizes, nominal xi and grid, where they are not those of run.json
//     policy.json      the policy: parameters, probabilities, occupancy; also the drawn iterate
//     worst_case.json  Gamma, its kind, the worst xi
//     problem.json     the problem in plain arrays, where a certificate was written for a small one
//     certificate.json a lower bound on the worst case of every policy, with its witness
//     result.json      how it ended, and the adversary's side of the solution
//     events.out.tfevents.*  for TensorBoard, where asked for
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rgu/base/text_file.hpp"

namespace rgu {

enum class ExistingRun { kRefuse, kReplace };

class RunFolder {
 public:
  // The folder, made with its parents where it is not there. Throws InvalidInput if something is
  // there already, unless it is a run without links that may be replaced, an empty folder or one
  // in which a run was stopped before it had begun; FileError where the system refuses. Removes
  // nothing yet.
  static RunFolder create(const std::filesystem::path& path, ExistingRun existing);

  // Throws InvalidInput unless `path` is the folder of a run, and where there are links in it: what
  // is written through them would lie elsewhere.
  static RunFolder open(const std::filesystem::path& path);

  // Removes what a run has left here: seeds and reports. The caller holds the lock. The config and
  // run.json stay until new ones take their place, so that the folder is a run at every moment.
  // Throws InvalidInput if there is a run that may not be replaced.
  void clear(ExistingRun existing) const;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config() const { return path_ / "config.toml"; }
  std::filesystem::path about() const { return path_ / "run.json"; }
  std::filesystem::path seed(std::uint64_t seed) const;
  std::vector<std::uint64_t> seeds() const;  // those with a folder, in ascending order

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

// runs/NAME, or the first of runs/NAME-2, runs/NAME-3, .. that does not exist. Always right in
// runs: slashes and control characters become '-', and a '-' comes before a leading dot.
std::filesystem::path free_run_folder(std::string name);

// The whole text as a file, at once.
void write_file(const std::filesystem::path& path, std::string_view text);

// Replaces the checkpoint of a seed; the last one stays as the previous one.
void write_checkpoint(const std::filesystem::path& seed_folder, std::string_view text);

// Of a seed that has come to its end, which needs one no more.
void drop_previous_checkpoint(const std::filesystem::path& seed_folder);

// The last checkpoint that is whole, by its checksum and, where given, by `is_whole`; or none.
using CheckpointTest = std::function<bool(const std::string& text)>;
std::optional<std::string> read_checkpoint(const std::filesystem::path& seed_folder,
                                           const CheckpointTest& is_whole = {});

}  // namespace rgu
