// The folder of a training run: see training_run.hpp.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "rgu/base/folder_lock.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/llm/torch/checkpoint.hpp"
#include "rgu/llm/torch/training_run.hpp"

namespace rgu::llm {

class TrainingRecord {
 public:
  // Makes the folder, or goes on in it. Throws InvalidInput if something is there that must not be,
  // or was made from something else, or another process writes here; FileError.
  TrainingRecord(const TrainingTarget& target, Fingerprint fingerprint);

  // Where to go on from; none: from the beginning.
  const std::optional<Checkpoint>& resumed() const { return resumed_; }
  void forget_resumed() {
    resumed_->parameters = {}, resumed_->optimizer = {};
  }  // unmaps its files
  // How a run ended that was finished here before.
  const std::optional<TrainingResult>& finished() const { return finished_; }

  void add(const TrainingProgress& progress);
  bool has_checkpoint() const { return has_checkpoint_; }
  // Fills in what belongs to the record: metrics_bytes and fingerprint.
  void write(Checkpoint checkpoint);
  // After the model was saved: training.json says how the run ended, and the checkpoint goes.
  void finish(const TrainingResult& result);

 private:
  std::filesystem::path checkpoint_folder() const { return target_.folder / "checkpoint"; }
  void read_end();
  void go_on();
  void begin_anew();

  TrainingTarget target_;
  std::optional<FolderLock> lock_;  // held as long as the record lives
  Fingerprint fingerprint_;
  std::optional<Checkpoint> resumed_;
  std::optional<TrainingResult> finished_;
  std::unique_ptr<AppendFile> metrics_;
  bool has_checkpoint_ = false;
};

}  // namespace rgu::llm
