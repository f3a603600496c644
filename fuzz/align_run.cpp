// Folders of alignment runs: the sections are run.json, config.toml and one seed's metrics.jsonl,
// timing.jsonl, answers.jsonl, shown.jsonl and result.json; an empty section is a file that is not
// there. read_run, and the report of it.
#include <array>

#include "rgu/align/record.hpp"
#include "rgu/align/report.hpp"
#include "support.hpp"

using namespace rgu;

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kSeedFiles = {
    "metrics.jsonl", "timing.jsonl", "answers.jsonl", "shown.jsonl", "result.json"};

fs::path put_run(std::string_view input) {
  const fs::path folder = fuzz::scratch_folder() / "align-run";
  const fs::path seed = folder / "seed-0";
  fs::remove_all(folder);
  fs::create_directories(seed);
  const auto parts = fuzz::sections(input, 2 + kSeedFiles.size());
  fuzz::put_file(folder / "run.json", parts[0]);
  fuzz::put_file(folder / "config.toml", parts[1]);
  for (std::size_t i = 0; i < kSeedFiles.size(); ++i) {
    if (!parts[2 + i].empty()) fuzz::put_file(seed / kSeedFiles[i], parts[2 + i]);
  }
  return folder;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fs::path folder = put_run(fuzz::text_of(data, size));
  const auto run = fuzz::accepted([&] { return align::read_run(folder); });
  if (!run) return 0;
  const auto page = fuzz::accepted([&] { return align::html_report(*run); });
  fuzz::require(page.value_or("").find("<foreign") == std::string::npos,
                "a report shows texts, never as elements");
  return 0;
}
