// What a training run writes, tells while it goes on, and comes to.
//
//   FOLDER/metrics.jsonl       one line for each step that is reported
//   FOLDER/checkpoint/         all that is needed to go on; always whole. Removed at the end
//   FOLDER/config.json, ...    the model or adapter that was trained, in the standard layout, with
//   the
//                              tokenizer's files beside it
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace rgu::llm {

// What is there already under the name of the output folder.
enum class ExistingTraining {
  kRefuse,   // anything but an empty folder
  kReplace,  // begin anew
  kResume,   // go on from the checkpoint; where there is none, begin
};

// On data that was not trained on. NaN: not measured.
struct TrainingEvaluation {
  double loss = std::numeric_limits<double>::quiet_NaN();
  double accuracy = std::numeric_limits<double>::quiet_NaN();  // scorers: pairs in the right order
  double sign_accuracy =
      std::numeric_limits<double>::quiet_NaN();  // cost: answers on the right side of 0
};

struct TrainingProgress {
  std::int64_t step = 0;   // done
  std::int64_t steps = 0;  // to be done in all
  double loss = 0;
  double learning_rate = 0;
  double gradient_norm = 0;                                    // before clipping
  std::int64_t tokens = 0;                                     // read so far, in all resumptions
  double tokens_per_second = 0;                                // of this step
  double accuracy = std::numeric_limits<double>::quiet_NaN();  // scorers: of the batch
  std::optional<TrainingEvaluation> evaluation = {};           // where one was made
};

// Told after every step. Returns false to stop: a checkpoint is written, from which a later run
// goes on.
using TrainingObserver = std::function<bool(const TrainingProgress&)>;

struct TrainingTarget {
  std::filesystem::path folder = {};
  ExistingTraining existing = ExistingTraining::kRefuse;
  std::filesystem::path tokenizer =
      {};                            // the folder or file whose tokenizer is copied; empty: none
  std::string base_model = {};       // adapters: the name or path of the base model to be written
  std::int64_t report_interval = 1;  // steps between the lines of metrics.jsonl
};

enum class TrainingStatus {
  kFinished,
  kInterrupted,  // by the observer
  kDiverged,     // a loss or gradient was not finite. The weights before that step are kept in the
                 // checkpoint
};
std::string_view name_of(TrainingStatus status);  // "finished", "interrupted", "diverged"

struct TrainingResult {
  TrainingStatus status = TrainingStatus::kFinished;
  std::int64_t step = 0;                                         // steps done, in all resumptions
  std::int64_t steps = 0;                                        // asked for
  std::int64_t resumed = 0;                                      // the step this run began at
  double first_loss = std::numeric_limits<double>::quiet_NaN();  // of the first step of this run
  double loss = std::numeric_limits<double>::quiet_NaN();        // of the last step
  TrainingEvaluation evaluation = {};                            // the last one
  std::int64_t tokens = 0;
  double seconds = 0;                   // of this run
  std::int64_t trained_parameters = 0;  // numbers that were trained
};

}  // namespace rgu::llm
