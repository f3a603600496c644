// Writes sample pages and figures into the folder given: for the test in a browser.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "report/sample_runs.hpp"
#include "rgu/report/figures.hpp"
#include "rgu/report/html_comparison.hpp"
#include "rgu/report/html_report.hpp"
#include "rgu/report/sweep.hpp"

namespace rgu {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
}

std::vector<SweepRow> sweep_rows() {
  std::vector<SweepRow> rows;
  for (int i = 0; i <= 10; ++i) {
    const double r = 0.1 * i;
    rows.push_back({.radius = r,
                    .robust_nominal = -0.16 + 0.03 * r * r,
                    .robust_worst = -0.16 + 0.09 * r,
                    .nominal_nominal = -0.16,
                    .nominal_worst = -0.16 + 0.16 * r,
                    .kind = i < 6 ? AnswerKind::kExact : AnswerKind::kBestFound});
  }
  return rows;
}

std::vector<RunRecord> compared_runs() {
  std::vector<RunRecord> runs = {matrix_run(), matrix_run()};
  runs[1].method = "descent ascent with the exact worst case";
  for (SeedRecord& seed : runs[1].seeds) {
    for (Metrics& m : seed.metrics) {
      m.objective -= 0.004;
      m.envelope -= 0.012;
      m.samples /= 3;
      m.residual *= 0.2;
    }
    seed.worst_case.value += seed.seed == 2 ? 0.004 : -0.012;
  }
  return runs;
}

void write_samples(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "figures");
  write(folder / "matrix.html", html_report(matrix_run()));
  write(folder / "grid.html", html_report(grid_run()));
  write(folder / "hostile.html", html_report(hostile_run()));
  write(folder / "smallest.html", html_report(smallest_run()));
  write(folder / "signs.html", html_report(objective_run({{-1, 0, 2, 3}, {-2, 1, 2, 5}})));
  write(folder / "zeros.html", html_report(objective_run({{0, 0, 0}})));
  write(folder / "comparison.html", html_comparison(compared_runs()));
  write(folder / "sweep.html", html_sweep("Drift detection", sweep_rows()));
  write(folder / "hostile_comparison.html", html_comparison({hostile_run(), hostile_run()}));
  write(folder / "hostile_sweep.html", html_sweep(hostile_run().name, sweep_rows()));
  for (const RunRecord& run : {matrix_run(), grid_run(), hostile_run(), smallest_run()}) {
    const std::string prefix = run.name.substr(0, 4);
    for (const Figure& figure : figures(run)) {
      write(folder / "figures" / (prefix + "_" + figure.name + ".svg"), figure.svg);
    }
  }
  for (const std::string& title : {std::string("Drift detection"), hostile_run().name}) {
    const Figure sweep = sweep_figure(title, sweep_rows());
    write(folder / "figures" / (title.substr(0, 4) + "_" + sweep.name + ".svg"), sweep.svg);
  }
}

}  // namespace
}  // namespace rgu

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: report_samples FOLDER\n");
    return 2;
  }
  rgu::write_samples(argv[1]);
  return 0;
}
