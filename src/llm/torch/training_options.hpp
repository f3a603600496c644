// What every training run is told, as plain data.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "rgu/llm/files/model_files.hpp"

namespace rgu::llm {

// The learning rate after the warm-up: as it is, or falling to 0 at the last step in a straight
// line or along half a cosine.
enum class Schedule { kConstant, kLinear, kCosine };
inline constexpr std::array<std::string_view, 3> kScheduleNames = {"constant", "linear", "cosine"};

struct TrainingOptions {
  std::optional<std::int64_t> steps =
      {};  // updates; none: as many as `epochs` passes over the data make
  double epochs = 1;
  std::int64_t batch = 16;  // sequences (or pairs) that one update learns from
  std::int64_t accumulation =
      1;  // the passes a batch is read in: saves memory, changes only rounding
  double learning_rate = 1e-5;
  Schedule schedule = Schedule::kCosine;
  double warmup = 0.03;                           // share of the steps with a rising learning rate
  std::optional<std::int64_t> warmup_steps = {};  // instead of that share
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0.01;            // not of biases and norms
  double clip = 1;                       // largest norm of the gradient; 0: any
  double held_out = 0;                   // share of the sequences (or pairs) kept for evaluation
  std::int64_t evaluation_interval = 0;  // steps between evaluations; 0: only at the end
  std::int64_t checkpoint_interval =
      0;                   // steps between checkpoints; 0: only where a run is stopped
  std::uint64_t seed = 0;  // of the order of the data, new weights and dropout
  int threads = 0;         // 0: as many as the machine has
  std::string device = "cpu";
  std::optional<AdapterConfig> adapter = {};  // train this low-rank adapter; none: all weights
};

// What an option may be.
struct OptionRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above = false;  // above `least`, not equal to it
  bool below = false;  // below `most`
};

// Calls visit(name, value, range, help) for every option that is a number and
// visit(name, value, help) for every other one but `adapter`. One list for parsing, help, checks
// and fingerprints.
template <class Visitor, class Options>
void describe_training(Visitor&& visit, Options& options) {
  visit("steps", options.steps, OptionRange{.least = 1}, "updates (default: by epochs)");
  visit("epochs", options.epochs, OptionRange{.least = 0, .most = 1e6, .above = true},
        "passes over the data");
  visit("batch", options.batch, OptionRange{.least = 1, .most = 1 << 20},
        "sequences or pairs of one update");
  visit("accumulation", options.accumulation, OptionRange{.least = 1, .most = 1 << 20},
        "passes a batch is read in, to save memory; divides batch");
  visit("learning_rate", options.learning_rate, OptionRange{.least = 0, .above = true},
        "largest step size of AdamW");
  visit("schedule", options.schedule, "of the learning rate: constant, linear or cosine");
  visit("warmup", options.warmup, OptionRange{.least = 0, .most = 1},
        "share of the steps in which the learning rate rises");
  visit("warmup_steps", options.warmup_steps, OptionRange{.least = 0},
        "steps in which it rises, instead of that share");
  visit("beta1", options.beta1, OptionRange{.least = 0, .most = 1, .below = true},
        "AdamW: memory of the gradient");
  visit("beta2", options.beta2, OptionRange{.least = 0, .most = 1, .below = true},
        "AdamW: memory of its square");
  visit("epsilon", options.epsilon, OptionRange{.least = 0, .above = true},
        "AdamW: added to the root of the second moment");
  visit("weight_decay", options.weight_decay, OptionRange{.least = 0},
        "AdamW: decay of weights, not of biases and norms");
  visit("clip", options.clip, OptionRange{.least = 0}, "largest norm of the gradient; 0: any");
  visit("held_out", options.held_out, OptionRange{.least = 0, .most = 0.9},
        "share of the data kept for evaluation");
  visit("evaluation_interval", options.evaluation_interval, OptionRange{.least = 0},
        "steps between evaluations; 0: only at the end");
  visit("checkpoint_interval", options.checkpoint_interval, OptionRange{.least = 0},
        "steps between checkpoints; 0: only when stopped");
  visit("seed", options.seed, OptionRange{.least = 0}, "of data order, new weights and dropout");
  visit("threads", options.threads, OptionRange{.least = 0, .most = 4096},
        "0: as many as the machine has");
  visit("device", options.device, "cpu, cuda, cuda:1, ...");
}

// Throws InvalidInput, naming the option, its value and the rule.
void check_options(const TrainingOptions& options);

}  // namespace rgu::llm
