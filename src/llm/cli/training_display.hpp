// A training run as the user sees it.
#pragma once

#include <functional>

#include "rgu/llm/cli/training_arguments.hpp"

namespace rgu::llm {

using Training = std::function<TrainingResult(const TrainingTarget&, const TrainingObserver&)>;

// Trains, with progress and a stop at Ctrl-C, and tells the result. Returns an exit code.
int train_and_tell(const CommandFile& file, const TrainingTarget& target,
                   const OutputArguments& output, const Training& train);

}  // namespace rgu::llm
