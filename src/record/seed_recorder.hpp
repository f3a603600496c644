// Writes what happens in the run of one seed, so that it can be stopped at any moment and resumed.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rgu/base/text_file.hpp"
#include "rgu/record/metrics.hpp"

namespace rgu {

struct RecorderOptions {
  bool tensorboard = false;
  std::vector<std::string> further = {};  // names of files that grow too: "answers.jsonl"
  // Are the files whole that the state of a checkpoint names? Where not, the one before it counts.
  std::function<bool(const std::string& state)> is_whole = {};
};

using NamedNumbers = std::vector<std::pair<std::string, double>>;

// One line of metrics.jsonl, of timing.jsonl and of TensorBoard's file.
struct RecordedStep {
  Index iteration = 0;
  std::string line = {};      // with its line break
  NamedNumbers scalars = {};  // for TensorBoard; those that are not finite are left out
  double seconds = 0;         // of wall time so far
  NamedNumbers timing = {};   // what else the line of timing.jsonl says
};

class SeedRecorder {
 public:
  // Makes the folder, or goes on in it: from its last whole checkpoint, cutting off what was
  // written after that. Throws FileError where the system refuses, InvalidInput if a checkpoint
  // does not belong to the files beside it.
  SeedRecorder(std::filesystem::path folder, RecorderOptions options);
  ~SeedRecorder();

  // What the last checkpoint holds; empty: begin from the beginning.
  const std::optional<std::string>& resumed_state() const { return resumed_state_; }
  double resumed_seconds() const { return resumed_seconds_; }

  void add(const RecordedStep& step);
  void add(const Metrics& metrics, double seconds);
  // At the end of the file that RecorderOptions::further has under this number.
  void append(std::size_t file, std::string_view text);
  // From here a later recorder goes on.
  void checkpoint(std::string_view solver_state);
  // After the last checkpoint: only the last one is kept.
  void finish();

  // How long the last checkpoint took to write, in seconds.
  double checkpoint_cost() const { return checkpoint_cost_; }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<AppendFile> metrics_;
  std::unique_ptr<AppendFile> timing_;
  std::unique_ptr<AppendFile> events_;  // null: not asked for
  std::vector<std::string> further_names_;
  std::vector<std::unique_ptr<AppendFile>> further_;
  std::uintmax_t event_bytes_ = 0;  // of the last checkpoint
  std::uint64_t lines_ = 0;         // of `metrics_`, and of `timing_`
  std::optional<std::string> resumed_state_;
  double resumed_seconds_ = 0;
  double checkpoint_cost_ = 0;
};

}  // namespace rgu
