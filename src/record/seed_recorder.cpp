#include "rgu/record/seed_recorder.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/folder_lock.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/record/metrics_file.hpp"
#include "rgu/record/run_folder.hpp"
#include "rgu/record/tensorboard.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The first lines of a timing file: how many bytes they are, and the seconds of the last.
struct TimingStart {
  std::uintmax_t bytes = 0;
  double seconds = 0;
};

TimingStart first_lines(const fs::path& path, std::uint64_t lines) {
  if (lines == 0) return {};
  const std::string text = read_text(path);
  std::size_t begin = 0, end = 0;
  for (std::uint64_t i = 0; i < lines; ++i) {
    begin = end;
    end = text.find('\n', begin) + 1;
    check(end != 0, "{} has {} lines, its checkpoint says {}", path.string(), i, lines);
  }
  return {.bytes = end,
          .seconds = number<double>(parse_json(text.substr(begin, end - begin)), "seconds")};
}

}  // namespace

SeedRecorder::SeedRecorder(fs::path folder, RecorderOptions options)
    : folder_(std::move(folder)), further_names_(std::move(options.further)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw FileError(
        fmt::format("cannot make the folder {}: {}", folder_.string(), error.message()));
  }
  remove_partial_files(folder_);
  fs::remove(folder_ / "checkpoint.next");
  std::uintmax_t metrics_bytes = 0;
  std::vector<std::uintmax_t> further_bytes(further_names_.size(), 0);
  const CheckpointTest is_whole = [&](const std::string& text) {
    return !options.is_whole || options.is_whole(member(parse_json(text), "state").dump());
  };
  if (const auto text = read_checkpoint(folder_, is_whole)) {
    const Json json = parse_json(*text);
    metrics_bytes = number<std::uint64_t>(json, "metrics_bytes");
    event_bytes_ = number<std::uint64_t>(json, "event_bytes");
    lines_ = number<std::uint64_t>(json, "lines");
    for (std::size_t i = 0; i < further_names_.size(); ++i) {
      further_bytes[i] = number<std::uint64_t>(member(json, "further"), further_names_[i]);
    }
    resumed_state_ = member(json, "state").dump();
  }
  const TimingStart timing = first_lines(folder_ / "timing.jsonl", lines_);
  resumed_seconds_ = timing.seconds;
  metrics_ = std::make_unique<AppendFile>(folder_ / "metrics.jsonl", metrics_bytes);
  timing_ = std::make_unique<AppendFile>(folder_ / "timing.jsonl", timing.bytes);
  for (std::size_t i = 0; i < further_names_.size(); ++i) {
    further_.push_back(std::make_unique<AppendFile>(folder_ / further_names_[i], further_bytes[i]));
  }
  if (!options.tensorboard) return;
  events_ = std::make_unique<AppendFile>(folder_ / "events.out.tfevents.0.rgu", event_bytes_);
  if (event_bytes_ == 0) events_->text(event_header(wall_time()));
}

SeedRecorder::~SeedRecorder() = default;

void SeedRecorder::add(const RecordedStep& step) {
  metrics_->text(step.line);
  Json timing = {{"iteration", step.iteration}, {"seconds", step.seconds}};
  for (const auto& [name, value] : step.timing) timing[name] = value;
  timing_->text(timing.dump() + '\n');
  ++lines_;
  if (!events_) return;
  NamedNumbers scalars;
  for (const auto& scalar : step.scalars) {
    if (std::isfinite(scalar.second)) scalars.push_back(scalar);
  }
  events_->text(scalar_event(wall_time(), step.iteration, scalars));
}

void SeedRecorder::add(const Metrics& metrics, double seconds) {
  NamedNumbers scalars;
  for (const MetricField& field : kMetricFields) {
    scalars.emplace_back(field.name, metrics.*field.member);
  }
  scalars.emplace_back("samples", static_cast<double>(metrics.samples));
  add({.iteration = metrics.iteration,
       .line = to_line(metrics),
       .scalars = std::move(scalars),
       .seconds = seconds});
}

void SeedRecorder::append(std::size_t file, std::string_view text) {
  further_.at(file)->text(text);
}

void SeedRecorder::checkpoint(std::string_view solver_state) {
  const auto begin = std::chrono::steady_clock::now();
  metrics_->flush();
  timing_->flush();
  if (events_) events_->flush();
  Json json = {{"metrics_bytes", metrics_->size()},
               {"lines", lines_},
               {"event_bytes", events_ ? events_->size() : event_bytes_},
               {"state", parse_json(solver_state)}};
  for (std::size_t i = 0; i < further_.size(); ++i) {
    further_[i]->flush();
    json["further"][further_names_[i]] = further_[i]->size();
  }
  write_checkpoint(folder_, json.dump());
  checkpoint_cost_ =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void SeedRecorder::finish() { drop_previous_checkpoint(folder_); }

}  // namespace rgu
