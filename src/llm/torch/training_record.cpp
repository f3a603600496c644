#include "rgu/llm/torch/training_record.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/files/output_folder.hpp"
#include "rgu/llm/text/tokenizer_files.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

constexpr const char* kEnd = "training.json";

void put_number(OrderedJson& line, const char* name, double value) {
  if (std::isfinite(value)) line[name] = value;
}

void put_evaluation(OrderedJson& line, const TrainingEvaluation& evaluation) {
  put_number(line, "held_out_loss", evaluation.loss);
  put_number(line, "held_out_accuracy", evaluation.accuracy);
  put_number(line, "held_out_sign_accuracy", evaluation.sign_accuracy);
}

std::string line_of(const TrainingProgress& progress) {
  OrderedJson line = {{"step", progress.step}};
  put_number(line, "loss", progress.loss);
  put_number(line, "accuracy", progress.accuracy);
  put_number(line, "learning_rate", progress.learning_rate);
  put_number(line, "gradient_norm", progress.gradient_norm);
  line["tokens"] = progress.tokens;
  put_number(line, "tokens_per_second", progress.tokens_per_second);
  if (progress.evaluation) put_evaluation(line, *progress.evaluation);
  return line.dump() + "\n";
}

TrainingResult result_of(const nlohmann::json& end) {
  const auto number = [&](const char* name) {
    return end.value(name, std::numeric_limits<double>::quiet_NaN());
  };
  return {.status = TrainingStatus::kFinished,
          .step = end.at("step").get<std::int64_t>(),
          .steps = end.at("step").get<std::int64_t>(),
          .resumed = end.at("step").get<std::int64_t>(),
          .loss = number("loss"),
          .evaluation = {.loss = number("held_out_loss"),
                         .accuracy = number("held_out_accuracy"),
                         .sign_accuracy = number("held_out_sign_accuracy")},
          .tokens = end.at("tokens").get<std::int64_t>(),
          .trained_parameters = end.at("trained_parameters").get<std::int64_t>()};
}

}  // namespace

std::string_view name_of(TrainingStatus status) {
  switch (status) {
    case TrainingStatus::kFinished:
      return "finished";
    case TrainingStatus::kInterrupted:
      return "interrupted";
    case TrainingStatus::kDiverged:
      return "diverged";
  }
  throw InvalidInput("an unknown training status");
}

TrainingRecord::TrainingRecord(const TrainingTarget& target, Fingerprint fingerprint)
    : target_(target), fingerprint_(std::move(fingerprint)) {
  check(!target_.folder.empty(), "training needs a folder to write into");
  check(target_.report_interval >= 1, "report_interval = {}: must be at least 1",
        target_.report_interval);
  make_folder(target_.folder);
  if (target_.existing == ExistingTraining::kRefuse) {
    check(fs::is_empty(target_.folder), "{} is not empty: replace it or resume the run in it",
          target_.folder.string());
  }
  check_no_links(target_.folder);
  lock_.emplace(target_.folder);
  remove_partial_files(target_.folder);
  if (target_.existing == ExistingTraining::kResume) read_end();
  if (finished_) return;
  if (target_.existing == ExistingTraining::kResume)
    resumed_ = read_checkpoint(checkpoint_folder());
  if (resumed_) {
    go_on();
  } else {
    begin_anew();
  }
}

void TrainingRecord::read_end() {
  const fs::path path = target_.folder / kEnd;
  if (!fs::exists(path)) return;
  const nlohmann::json end = read_json(path);
  try {
    check_fingerprint(end.at("made_from").get<Fingerprint>(), fingerprint_, path);
    finished_ = result_of(end);
  } catch (const nlohmann::json::exception& broken) {
    throw InvalidInput(
        fmt::format("{} is no end of a training run: {}", path.string(), broken.what()));
  }
}

void TrainingRecord::go_on() {
  check_fingerprint(resumed_->fingerprint, fingerprint_, checkpoint_folder());
  metrics_ =
      std::make_unique<AppendFile>(target_.folder / "metrics.jsonl", resumed_->metrics_bytes);
  has_checkpoint_ = true;
}

void TrainingRecord::begin_anew() {
  remove_checkpoint(checkpoint_folder());
  fs::remove(target_.folder / kEnd);
  metrics_ = std::make_unique<AppendFile>(target_.folder / "metrics.jsonl");
}

void TrainingRecord::add(const TrainingProgress& progress) {
  const bool due = progress.step % target_.report_interval == 0 || progress.step == progress.steps;
  if (!due && !progress.evaluation) return;
  metrics_->text(line_of(progress));
  metrics_->flush();
}

void TrainingRecord::write(Checkpoint checkpoint) {
  checkpoint.metrics_bytes = metrics_->size();
  checkpoint.fingerprint = fingerprint_;
  write_checkpoint(checkpoint_folder(), checkpoint);
  has_checkpoint_ = true;
}

void TrainingRecord::finish(const TrainingResult& result) {
  if (!target_.tokenizer.empty()) copy_tokenizer_files(target_.tokenizer, target_.folder);
  OrderedJson end = {{"status", name_of(result.status)},
                     {"step", result.step},
                     {"tokens", result.tokens},
                     {"trained_parameters", result.trained_parameters}};
  put_number(end, "loss", result.loss);
  put_evaluation(end, result.evaluation);
  end["made_from"] = fingerprint_;
  OutputFile file(target_.folder / kEnd);
  file.text(end.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  file.commit();
  remove_checkpoint(checkpoint_folder());
}

}  // namespace rgu::llm
