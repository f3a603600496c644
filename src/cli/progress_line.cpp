#include "rgu/cli/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "rgu/cli/terminal.hpp"

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

std::string bar(double share) {
  const int full = static_cast<int>(std::floor(std::clamp(share, 0.0, 1.0) * kBarWidth));
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

std::string duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  const auto whole = static_cast<long>(std::ceil(std::min(seconds, 1e9)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

ProgressLine::ProgressLine(std::FILE* stream)
    : stream_(stream), terminal_(isatty(fileno(stream)) == 1) {}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

bool ProgressLine::is_due() {
  const Clock::time_point now = Clock::now();
  const Clock::duration pause =
      terminal_ ? Clock::duration(kBarPause) : Clock::duration(kLinePause);
  if (now - last_ < pause) return false;
  last_ = now;
  return true;
}

void ProgressLine::draw(const Line& line) const {
  if (!terminal_) {
    say(stream_, "{}\n", line.text);
  } else {
    // The escape sequences are the line's own; only what it says is escaped.
    const std::string text = on_one_line(bar(line.share) + ' ' + line.text);
    fmt::print(stream_, "\r\x1b[K{}{}", clipped(text, terminal_width(stream_) - 1),
               line.final ? "\n" : "");
  }
  std::fflush(stream_);
}

}  // namespace rgu
