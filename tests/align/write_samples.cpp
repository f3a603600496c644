// Writes sample pages of alignment runs into the folder given: for the test in a browser.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "align/sample_runs.hpp"

namespace rgu::align {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

void write_samples(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const RunRecord bad = hostile_run();
  const Comparison hostile = {.title = bad.name, .lead = bad.name, .runs = {bad, bad}};
  write(folder / "align.html", html_report(sample_run()));
  write(folder / "align_ensemble.html", html_report(ensemble_run()));
  write(folder / "align_hostile.html", html_report(hostile_run()));
  write(folder / "align_smallest.html", html_report(smallest_run()));
  write(folder / "align_comparison.html", html_comparison(sample_comparison()));
  write(folder / "align_hostile_comparison.html", html_comparison(hostile));
}

}  // namespace
}  // namespace rgu::align

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: align_samples FOLDER\n");
    return 2;
  }
  rgu::align::write_samples(argv[1]);
  return 0;
}
