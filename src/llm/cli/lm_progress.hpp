// Progress of long commands: one line that renews itself on a terminal, plain lines elsewhere.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "rgu/cli/progress_line.hpp"

namespace rgu::llm {

class LmProgress {
 public:
  enum class Style { kAuto, kQuiet };

  explicit LmProgress(Style style, std::FILE* stream = stderr);
  ~LmProgress();  // shows the last news and leaves the terminal on a fresh line
  LmProgress(const LmProgress&) = delete;
  LmProgress& operator=(const LmProgress&) = delete;

  struct News {
    std::int64_t done = 0;
    std::int64_t total = 0;
    std::int64_t begun = 0;  // done before this program started: counts for no rate
    std::string text = {};   // what else there is to say
  };
  void show(const News& news);

  double seconds() const { return line_.seconds(); }  // since it was made

 private:
  std::string text() const;
  void draw(bool final);

  ProgressLine line_;
  bool quiet_;
  bool told_ = false;   // is there any news?
  bool shown_ = false;  // ... and was the last shown?
  News news_ = {};
};

}  // namespace rgu::llm
