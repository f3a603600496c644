#include "rgu/llm/cli/lm_progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace rgu::llm {
namespace {

constexpr std::chrono::milliseconds kBarPause{100};
constexpr std::chrono::seconds kLinePause{2};
constexpr int kBarWidth = 12;

std::size_t terminal_width(std::FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string bar(double share) {
  const int full = static_cast<int>(std::floor(share * kBarWidth));
  return fmt::format("[{:#<{}}{:.<{}}]", "", full, "", kBarWidth - full);
}

}  // namespace

std::string duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  const auto whole = static_cast<long>(std::ceil(std::min(seconds, 1e9)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

LmProgress::LmProgress(Style style, std::FILE* stream)
    : stream_(stream), quiet_(style == Style::kQuiet), terminal_(isatty(fileno(stream)) == 1) {
  if (!terminal_) last_ = begin_;  // what is done soon needs no lines in between
}

LmProgress::~LmProgress() {
  if (!quiet_ && told_) draw(true);
}

void LmProgress::show(const News& news) {
  if (quiet_) return;
  news_ = news;
  told_ = true;
  shown_ = false;
  const Clock::time_point now = Clock::now();
  const Clock::duration pause =
      terminal_ ? Clock::duration(kBarPause) : Clock::duration(kLinePause);
  if (now - last_ < pause) return;
  last_ = now;
  draw(false);
}

double LmProgress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

std::string LmProgress::line() const {
  const double rate = static_cast<double>(news_.done - news_.begun) / std::max(seconds(), 1e-9);
  const std::string left =
      rate > 0 ? duration(static_cast<double>(news_.total - news_.done) / rate) : "?";
  return fmt::format("{}/{}{}{}  {} left", news_.done, news_.total, news_.text.empty() ? "" : "  ",
                     news_.text, left);
}

void LmProgress::draw(bool final) {
  if (!terminal_) {
    if (!shown_) fmt::print(stream_, "{}\n", line());
  } else {
    const double share = static_cast<double>(news_.done) /
                         static_cast<double>(std::max<std::int64_t>(news_.total, 1));
    std::string text = bar(std::clamp(share, 0.0, 1.0)) + ' ' + line();
    text.resize(std::min(text.size(), terminal_width(stream_) - 1));  // all of it is ASCII
    fmt::print(stream_, "\r\x1b[K{}{}", text, final ? "\n" : "");
  }
  shown_ = true;
  std::fflush(stream_);
}

}  // namespace rgu::llm
