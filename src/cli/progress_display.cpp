#include "rgu/cli/progress_display.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "rgu/cli/table.hpp"

namespace rgu {
namespace {

constexpr std::chrono::milliseconds kBarPause{100};
constexpr std::chrono::seconds kLinePause{2};
constexpr int kBarWidth = 12;

std::size_t terminal_width(std::FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string bar(double share) {
  const int full = static_cast<int>(std::floor(share * kBarWidth));
  return fmt::format("[{:#<{}}{:.<{}}]", "", full, "", kBarWidth - full);
}

// At most `columns` characters, counted as people see them.
std::string clipped(const std::string& text, std::size_t columns) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xc0) != 0x80 && seen++ == columns) return text.substr(0, i);
  }
  return text;
}

}  // namespace

ProgressDisplay::ProgressDisplay(const ProblemConfig& config, Style style, std::FILE* stream)
    : seeds_(config.seeds.size()),
      total_(config.stopping.iterations * static_cast<Index>(config.seeds.size())),
      stream_(stream),
      quiet_(style == Style::kQuiet),
      terminal_(isatty(fileno(stream)) == 1) {
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
  const Clock::time_point now = Clock::now();
  const Clock::duration pause =
      terminal_ ? Clock::duration(kBarPause) : Clock::duration(kLinePause);
  if (now - last_ < pause) return;
  last_ = now;
  draw(false);
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

std::string ProgressDisplay::line() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  const double rate = static_cast<double>(done() - first_) / std::max(seconds, 1e-9);
  const double left = static_cast<double>(total_ - done()) / rate;
  return fmt::format("{}/{}  f {}  Γ {}  R {}  {:.0f} it/s  {} left", done(), total_,
                     short_number(mean(&Progress::objective)),
                     short_number(mean(&Progress::envelope)),
                     short_number(mean(&Progress::residual)), rate, duration(left));
}

void ProgressDisplay::draw(bool final) {
  if (!terminal_) {
    if (shown_ != done()) fmt::print(stream_, "{}\n", line());
    shown_ = done();
  } else {
    const double share =
        total_ > 0 ? static_cast<double>(done()) / static_cast<double>(total_) : 1.0;
    const std::string text = bar(std::clamp(share, 0.0, 1.0)) + ' ' + line();
    fmt::print(stream_, "\r\x1b[K{}{}", clipped(text, terminal_width(stream_) - 1),
               final ? "\n" : "");
  }
  std::fflush(stream_);
}

}  // namespace rgu
