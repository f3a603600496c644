#include "rgu/llm/torch/training_options.hpp"

#include "rgu/llm/torch/option_checks.hpp"

namespace rgu::llm {

void check_options(const TrainingOptions& options) {
  describe_training(OptionCheck{}, options);
  check(options.batch % options.accumulation == 0,
        "accumulation = {}: must divide batch, which is {}", options.accumulation, options.batch);
  if (!options.adapter) return;
  const AdapterConfig& adapter = *options.adapter;
  check(adapter.rank >= 1, "rank = {}: must be at least 1", adapter.rank);
  check_positive("alpha", adapter.alpha);
  check(adapter.dropout >= 0 && adapter.dropout < 1, "dropout = {}: must be in [0, 1)",
        adapter.dropout);
}

}  // namespace rgu::llm
