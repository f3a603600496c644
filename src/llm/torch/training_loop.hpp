// The one loop of all training: order, gradient, step, report, checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/llm/torch/linear.hpp"
#include "rgu/llm/torch/option_checks.hpp"
#include "rgu/llm/torch/training_options.hpp"
#include "rgu/llm/torch/training_run.hpp"

namespace rgu::llm {

// The examples of one update, in parts that are read one after the other.
struct TrainingUpdate {
  std::span<const std::int64_t> examples = {};
  std::int64_t parts = 1;
  StreamFamily dropout = {};
  std::uint32_t step = 0;

  std::span<const std::int64_t> part(std::int64_t number) const;
  std::uint64_t dropout_seed(std::int64_t number) const;
};

// What one kind of training knows and the loop does not.
class TrainingTask {
 public:
  virtual ~TrainingTask() = default;
  struct Learned {
    double loss = 0;
    std::int64_t tokens = 0;
    double accuracy = std::numeric_limits<double>::quiet_NaN();
  };
  // Adds the gradient of the mean loss over the update's examples to the parameters' gradients.
  virtual Learned learn(const TrainingUpdate& update) = 0;
  // On the examples held out, without gradients.
  virtual TrainingEvaluation evaluate() = 0;
  virtual void save(const std::filesystem::path& folder) = 0;
};

struct TrainingPlan {
  TrainingOptions options = {};
  std::int64_t examples = 0;  // to learn from
  bool evaluated = false;     // some are held out
  std::vector<NamedTensor> parameters = {};
  std::vector<NamedTensor> further = {};  // numbers that learn() changes, kept in checkpoints too
  Fingerprint fingerprint = {};           // of data and start; the loop adds the options
};

// How many of `examples` are held out: their share rounded up, none for 0; one at least is left to
// learn from.
std::int64_t held_out_count(const TrainingOptions& options, std::int64_t examples);
// Updates of a run: options.steps, or ceil(epochs * examples / batch).
std::int64_t step_count(const TrainingOptions& options, std::int64_t examples);

TrainingResult run_training(TrainingTask& task, TrainingPlan plan, const TrainingTarget& target,
                            const TrainingObserver& observe);

}  // namespace rgu::llm
