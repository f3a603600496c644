// Run folders: the sections are run.json, config.toml and one seed's metrics.jsonl, timing.jsonl,
// policy.json, worst_case.json, certificate.json, result.json, checkpoint and world.json; an empty
// section is a file that is not there. read_run, the report and the figures of it, and going on
// from the checkpoint.
#include "rgu/record/run_folder.hpp"

#include <algorithm>
#include <array>

#include "rgu/record/run_files.hpp"
#include "rgu/record/seed_recorder.hpp"
#include "rgu/report/figures.hpp"
#include "rgu/report/html_report.hpp"
#include "rgu/solver/state_file.hpp"
#include "support.hpp"

using namespace rgu;

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kSeedFiles = {"metrics.jsonl",    "timing.jsonl",
                                                        "policy.json",      "worst_case.json",
                                                        "certificate.json", "result.json"};

// In a text of the record it must not reach a page as it is.
constexpr std::string_view kForeignElement = "<foreign";

// A checkpoint's checksum is never met by chance: a section without its header gets one.
void put_checkpoint(const fs::path& seed, std::string_view text) {
  if (text.empty()) return;
  if (text.starts_with("rgu-checkpoint")) {
    fuzz::put_file(seed / "checkpoint", text);
  } else {
    write_checkpoint(seed, text);
  }
}

fs::path put_run(std::string_view input) {
  const fs::path folder = fuzz::scratch_folder() / "run";
  const fs::path seed = folder / "seed-0";
  fs::remove_all(folder);
  fs::create_directories(seed);
  const auto parts = fuzz::sections(input, 4 + kSeedFiles.size());
  fuzz::put_file(folder / "run.json", parts[0]);
  fuzz::put_file(folder / "config.toml", parts[1]);
  for (std::size_t i = 0; i < kSeedFiles.size(); ++i) {
    if (!parts[2 + i].empty()) fuzz::put_file(seed / kSeedFiles[i], parts[2 + i]);
  }
  put_checkpoint(seed, parts[2 + kSeedFiles.size()]);
  if (!parts.back().empty()) fuzz::put_file(seed / "world.json", parts.back());
  return folder;
}

bool is_free_of_foreign_elements(const std::string& page) {
  return page.find(kForeignElement) == page.npos;
}

void check_reports(const RunRecord& run) {
  const std::string page = html_report(run);
  fuzz::require(is_free_of_foreign_elements(page), "a report shows texts, never as elements");
  const std::vector<Figure> drawn = figures(run);
  fuzz::require(std::all_of(drawn.begin(), drawn.end(),
                            [](const Figure& f) { return is_free_of_foreign_elements(f.svg); }),
                "a figure shows texts, never as elements");
}

void read_all(const RunFolder& folder) {
  const auto run = fuzz::accepted([&] { return read_run(folder); });
  if (run) {
    fuzz::accepted([&] { return check_reports(*run), 0; });
    write_about(folder, *run);
    fuzz::require(read_run(folder).fingerprint == run->fingerprint, "run.json reads back the same");
  }
  fuzz::accepted([&] { return read_fingerprint(folder); });
  fuzz::accepted([&] { return is_finished(folder.seed(0)); });
  fuzz::accepted([&] { return read_policy(folder.seed(0)); });
}

// Resuming, and from what it writes itself once more.
void go_on(const fs::path& seed) {
  std::optional<std::string> state;
  try {
    SeedRecorder recorder(seed, {.tensorboard = true});
    state = recorder.resumed_state();
    if (!state) return;
    recorder.add({.iteration = 1, .objective = 0.5}, recorder.resumed_seconds());
    recorder.checkpoint(*state);
  } catch (const InvalidInput&) {
    return;
  } catch (const FileError&) {  // a file is shorter than the checkpoint says
    return;
  }
  const SeedRecorder again(seed, {.tensorboard = true});
  fuzz::require(again.resumed_state() == state, "a checkpoint reads back the same");
  fuzz::accepted([&] { return parse_state(*state); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const RunFolder folder = RunFolder::open(put_run(fuzz::text_of(data, size)));
  read_all(folder);
  go_on(folder.seed(0));
  return 0;
}
