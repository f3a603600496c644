#include "rgu/llm/cli/lm_progress.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rgu::llm {

LmProgress::LmProgress(Style style, std::FILE* stream)
    : line_(stream), quiet_(style == Style::kQuiet) {
  if (!line_.is_terminal()) line_.wait_first();
}

LmProgress::~LmProgress() {
  if (!quiet_ && told_) draw(true);
}

void LmProgress::show(const News& news) {
  if (quiet_) return;
  news_ = news;
  told_ = true;
  shown_ = false;
  if (line_.is_due()) draw(false);
}

std::string LmProgress::text() const {
  const double rate = static_cast<double>(news_.done - news_.begun) / std::max(seconds(), 1e-9);
  const std::string left =
      rate > 0 ? duration(static_cast<double>(news_.total - news_.done) / rate) : "?";
  return fmt::format("{}/{}{}{}  {} left", news_.done, news_.total, news_.text.empty() ? "" : "  ",
                     news_.text, left);
}

void LmProgress::draw(bool final) {
  if (!line_.is_terminal() && shown_) return;
  shown_ = true;
  const double all = static_cast<double>(std::max<std::int64_t>(news_.total, 1));
  line_.draw({.share = static_cast<double>(news_.done) / all, .text = text(), .final = final});
}

}  // namespace rgu::llm
