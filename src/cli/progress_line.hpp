// A line of progress: one that renews itself on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace rgu {

std::string duration(double seconds);  // "1 min 05 s"; "?" where it is not finite

class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* stream = stderr);

  bool is_terminal() const { return terminal_; }
  double seconds() const;  // since it was made

  // Whether it is time for another one: ten a second on a terminal, one in two seconds elsewhere.
  bool is_due();
  // The first is due after the usual pause, not at once: what is done soon needs no line in
  // between.
  void wait_first() { last_ = begin_; }

  struct Line {
    double share = 0;  // done, of 1: the bar on a terminal
    std::string text = {};
    bool final = false;  // leaves the terminal on a fresh line
  };
  void draw(const Line& line) const;

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* stream_;
  bool terminal_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace rgu
