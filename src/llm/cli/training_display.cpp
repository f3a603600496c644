#include "rgu/llm/cli/training_display.hpp"

#include <fmt/format.h>

#include <cmath>

#include "rgu/cli/interrupt.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/llm/cli/lm_progress.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

std::string text_of(const TrainingProgress& progress, const TrainingEvaluation& evaluation) {
  std::string text = fmt::format("loss {}  rate {}", short_number(progress.loss),
                                 short_number(progress.learning_rate));
  if (!std::isnan(progress.accuracy)) text += fmt::format("  accuracy {:.2f}", progress.accuracy);
  if (!std::isnan(evaluation.loss)) text += "  held-out " + short_number(evaluation.loss);
  if (!std::isnan(evaluation.accuracy)) text += fmt::format(" ({:.2f})", evaluation.accuracy);
  return text + fmt::format("  {:.0f} tokens/s", progress.tokens_per_second);
}

TrainingResult with_progress(const TrainingTarget& target, const OutputArguments& output,
                             const Training& train) {
  LmProgress display(output.quiet ? LmProgress::Style::kQuiet : LmProgress::Style::kAuto);
  TrainingEvaluation evaluation;
  std::optional<std::int64_t> begun;
  interrupt_flag();  // from here on Ctrl-C leaves a checkpoint behind
  return train(target, [&](const TrainingProgress& progress) {
    if (!begun) begun = progress.step - 1;
    if (progress.evaluation) evaluation = *progress.evaluation;
    display.show({.done = progress.step,
                  .total = progress.steps,
                  .begun = *begun,
                  .text = text_of(progress, evaluation)});
    return !interrupt_flag();
  });
}

Json json_of(const TrainingResult& result, const fs::path& folder) {
  return {{"status", name_of(result.status)},
          {"folder", fs::absolute(folder).string()},
          {"step", result.step},
          {"steps", result.steps},
          {"resumed", result.resumed},
          {"first_loss", to_json(result.first_loss)},
          {"loss", to_json(result.loss)},
          {"held_out_loss", to_json(result.evaluation.loss)},
          {"held_out_accuracy", to_json(result.evaluation.accuracy)},
          {"held_out_sign_accuracy", to_json(result.evaluation.sign_accuracy)},
          {"tokens", result.tokens},
          {"seconds", result.seconds},
          {"trained_parameters", result.trained_parameters}};
}

void print(const TrainingResult& result) {
  say("{}: {} of {} steps, {} tokens, {} trained parameters, {}\n", name_of(result.status),
      result.step, result.steps, result.tokens, result.trained_parameters,
      duration(result.seconds));
  if (std::isnan(result.first_loss)) {
    say("it was finished before; the loss at the last step was {}\n", short_number(result.loss));
  } else {
    say("loss: {} at the first step{}, {} at the last\n", short_number(result.first_loss),
        result.resumed > 0 ? " from here" : "", short_number(result.loss));
  }
  const TrainingEvaluation& evaluation = result.evaluation;
  if (std::isnan(evaluation.loss)) return;
  say("held-out: loss {}", short_number(evaluation.loss));
  if (std::isnan(evaluation.accuracy)) {
    say(", perplexity {}", short_number(std::exp(evaluation.loss)));
  } else {
    say(", {:.1f}% of the pairs in the right order", 100 * evaluation.accuracy);
  }
  if (!std::isnan(evaluation.sign_accuracy)) {
    say(", {:.1f}% of the answers on the right side of 0", 100 * evaluation.sign_accuracy);
  }
  say("\n");
}

int exit_code(TrainingStatus status) {
  if (status == TrainingStatus::kInterrupted) return kInterrupted;
  return status == TrainingStatus::kDiverged ? kNotSolved : kDone;
}

}  // namespace

int train_and_tell(const CommandFile& file, const TrainingTarget& target,
                   const OutputArguments& output, const Training& train) {
  const TrainingResult result = with_progress(target, output, train);
  if (output.json) {
    say_json(to_text(json_of(result, file.folder)));
    return exit_code(result.status);
  }
  const std::string folder = fs::proximate(file.folder).string();
  print(result);
  if (result.status == TrainingStatus::kInterrupted) {
    say("interrupted; 'rgu lm {} --resume {}' goes on\n", file.words("command"), folder);
  } else if (result.status == TrainingStatus::kDiverged) {
    say("the loss or its gradient is not finite: a smaller --learning-rate may help\n");
  } else {
    say("model: {}\n", folder);
  }
  return exit_code(result.status);
}

}  // namespace rgu::llm
