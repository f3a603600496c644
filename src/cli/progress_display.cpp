#include "rgu/cli/progress_display.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rgu/cli/table.hpp"
#include "rgu/experiment/method.hpp"

namespace rgu {
namespace {

// Of one seed; 0 where a proof may end it at any time.
Index known_iterations(const ProblemConfig& config) {
  if (config.stopping.iterations) return *config.stopping.iterations;
  const bool open = std::holds_alternative<AutoConfig>(config.solver.method) ||
                    std::holds_alternative<EnvelopeConfig>(config.solver.method);
  return open ? 0 : iteration_limit(config);
}

}  // namespace

ProgressDisplay::ProgressDisplay(const ProblemConfig& config, Style style, std::FILE* stream)
    : seeds_(config.seeds.size()),
      total_(known_iterations(config) * static_cast<Index>(config.seeds.size())),
      quiet_(style == Style::kQuiet),
      line_(stream) {
  for (Progress& seed : seeds_) seed.objective = seed.envelope = seed.residual = std::nan("");
}

ProgressDisplay::~ProgressDisplay() {
  if (quiet_ || first_ < 0) return;
  draw(true);
}

void ProgressDisplay::show(const Progress& progress) {
  if (quiet_) return;
  seeds_[progress.seed_index] = progress;
  if (first_ < 0) first_ = std::max<Index>(0, done() - 1);
  if (line_.is_due()) draw(false);
}

Index ProgressDisplay::done() const {
  Index count = 0;
  for (const Progress& seed : seeds_) count += seed.iteration;
  return count;
}

double ProgressDisplay::mean(double Progress::*member) const {
  double sum = 0;
  int count = 0;
  for (const Progress& seed : seeds_) {
    if (seed.iteration == 0 || std::isnan(seed.*member)) continue;
    sum += seed.*member;
    ++count;
  }
  return count > 0 ? sum / count : std::nan("");
}

std::string ProgressDisplay::text() const {
  const double rate = static_cast<double>(done() - first_) / std::max(line_.seconds(), 1e-9);
  std::string text =
      fmt::format("{}{}  f {}  Γ {}  R {}  {:.0f} it/s", done(),
                  total_ > 0 ? fmt::format("/{}", total_) : " iterations",
                  short_number(mean(&Progress::objective)), short_number(mean(&Progress::envelope)),
                  short_number(mean(&Progress::residual)), rate);
  if (total_ > 0) {
    text += fmt::format("  {} left", duration(static_cast<double>(total_ - done()) / rate));
  }
  return text;
}

void ProgressDisplay::draw(bool final) {
  if (!line_.is_terminal() && shown_ == done()) return;
  shown_ = done();
  const double share = total_ > 0 ? static_cast<double>(done()) / static_cast<double>(total_)
                       : final    ? 1.0
                                  : 0.0;
  line_.draw({.share = share, .text = text(), .final = final});
}

}  // namespace rgu
