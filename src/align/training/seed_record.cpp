#include "rgu/align/training/seed_record.hpp"

#include <fmt/format.h>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/mapped_file.hpp"
#include "rgu/llm/files/output_folder.hpp"
#include "rgu/llm/files/safetensors.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/record/run_folder.hpp"
#include "rgu/solver/state_file.hpp"

namespace rgu::align {
namespace {

namespace fs = std::filesystem;

constexpr const char* kShown = "shown.jsonl";
constexpr const char* kResult = "result.json";
constexpr std::string_view kTensorPrefix = "tensors-";
constexpr std::size_t kAnswers = 0;  // the number of answers.jsonl among the further files

// The name of the tensors that a checkpoint speaks of; a plain one.
std::string tensor_name(const fs::path& folder, const Json& state) {
  std::string name = words(state, "tensors");
  check(name.starts_with(kTensorPrefix) && name.find('/') == std::string::npos,
        "{}: the checkpoint names the tensors \"{}\"", folder.string(), name);
  return name;
}

bool has_whole_tensors(const fs::path& folder, const Json& state) {
  const fs::path path = folder / tensor_name(folder, state);
  return fs::is_regular_file(path) && llm::file_checksum(path) == words(state, "tensors_checksum");
}

}  // namespace

SeedFiles::SeedFiles(fs::path folder, bool tensorboard)
    : folder_(std::move(folder)),
      recorder_(folder_, {.tensorboard = tensorboard,
                          .further = {"answers.jsonl"},
                          .is_whole = [this](const std::string& state) {
                            return has_whole_tensors(folder_, parse_json(state));
                          }}) {}

std::optional<SolverState> SeedFiles::resume(Aligner& aligner) {
  const auto& text = recorder_.resumed_state();
  if (!text) return {};
  return restore(aligner, *text);
}

void SeedFiles::begin(const std::vector<Aligner::ShownAnswer>& before) {
  std::string lines;
  for (const Aligner::ShownAnswer& shown : before) {
    lines += to_line(ShownAnswers{.prompt = shown.prompt, .before = shown.answer});
  }
  write_file(folder_ / kShown, lines);
}

SolverState SeedFiles::restore(Aligner& aligner, const std::string& text) {
  const Json json = parse_json(text);
  SolverState state = parse_state(words(json, "solver"));
  state.seconds = recorder_.resumed_seconds();
  tensors_ = tensor_name(folder_, json);
  const Json& moments = member(json, "moments");
  aligner.restore({.updates = number<Index>(json, "updates"),
                   .kl_coefficient = number<double>(json, "kl_coefficient"),
                   .moments = {.count = number<double>(moments, "count"),
                               .mean = number<double>(moments, "mean"),
                               .squares = number<double>(moments, "squares")},
                   .answers = number<Index>(json, "answers"),
                   .tensors = llm::read_safetensors(folder_ / tensors_)});
  notes_ = word_list(json, "notes");
  return state;
}

void SeedFiles::add(const Aligner& aligner, double seconds) {
  const StepNumbers step = aligner.numbers();
  const StepTiming timing = aligner.timing();
  recorder_.add(
      {.iteration = step.iteration,
       .line = to_line(step),
       .scalars = step.values,
       .seconds = seconds,
       .timing = {
           {"sampling", timing.sampling}, {"scoring", timing.scoring}, {"update", timing.update}}});
  for (const LoggedAnswer& logged : aligner.logged_answers()) {
    recorder_.append(kAnswers, to_line(logged));
  }
}

void SeedFiles::note(const std::string& text) {
  if (notes_.size() < kMostNotes) notes_.push_back(text);
}

// The tensors are written first, under a name of their own: a checkpoint never speaks of what is
// not whole. Those of the checkpoint before stay, as it does.
void SeedFiles::checkpoint(const Aligner& aligner, const SolverState& state) {
  const Aligner::State trained = aligner.state();
  const std::string last = tensors_;
  tensors_ = fmt::format("{}{}.safetensors", kTensorPrefix, state.iteration);
  llm::write_safetensors(folder_ / tensors_, trained.tensors);
  const Json json = {{"solver", to_text(state)},
                     {"tensors", tensors_},
                     {"tensors_checksum", llm::file_checksum(folder_ / tensors_)},
                     {"updates", trained.updates},
                     {"kl_coefficient", trained.kl_coefficient},
                     {"moments",
                      {{"count", trained.moments.count},
                       {"mean", trained.moments.mean},
                       {"squares", trained.moments.squares}}},
                     {"answers", trained.answers},
                     {"notes", notes_}};
  recorder_.checkpoint(json.dump());
  remove_old_tensors(last);
}

void SeedFiles::remove_old_tensors(const std::string& keep) {
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kTensorPrefix) && name != tensors_ && name != keep) {
      old.push_back(entry.path());
    }
  }
  for (const fs::path& path : old) fs::remove(path);
}

void SeedFiles::finish(const Aligner& aligner, const End& end) {
  SeedRecord record{
      .status = fmt::format("{} ({} steps)", describe(end.status).text, end.iterations),
      .reason = std::string(describe(end.status).name),
      .finished = end.status != Status::kInterrupted,
      .iterations = end.iterations,
      .notes = notes_};
  if (record.finished) {
    aligner.save_adapter(folder_ / "adapter");
    write_file(folder_ / kShown, shown_lines(end.after));
    recorder_.finish();
    remove_old_tensors(tensors_);
  }
  write_file(folder_ / kResult, result_text(record));
}

// With the answers before from the file itself.
std::string SeedFiles::shown_lines(const std::vector<Aligner::ShownAnswer>& after) const {
  std::vector<ShownAnswers> shown = read_seed(folder_, 0).shown;
  std::string lines;
  for (std::size_t i = 0; i < std::min(shown.size(), after.size()); ++i) {
    shown[i].after = after[i].answer;
    lines += to_line(shown[i]);
  }
  return lines;
}

bool is_finished(const fs::path& seed_folder, Index iterations) {
  const SeedRecord record = read_seed(seed_folder, 0);
  if (!record.finished) return false;
  return record.reason != describe(Status::kIterationLimit).name || record.iterations >= iterations;
}

}  // namespace rgu::align
