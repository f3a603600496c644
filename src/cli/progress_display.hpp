// Progress of a run: one line that renews itself on a terminal, plain lines elsewhere.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "rgu/cli/progress_line.hpp"
#include "rgu/experiment/runner.hpp"

namespace rgu {

class ProgressDisplay {
 public:
  enum class Style { kAuto, kQuiet };

  // Writes to `stream`: a bar if that is a terminal.
  ProgressDisplay(const ProblemConfig& config, Style style, std::FILE* stream = stderr);
  ~ProgressDisplay();  // leaves the terminal on a fresh line

  void show(const Progress& progress);

 private:
  Index done() const;
  double mean(double Progress::*member) const;
  std::string text() const;
  void draw(bool final);

  std::vector<Progress> seeds_;
  Index total_;       // iterations over all seeds
  Index first_ = -1;  // iterations done when the first news came: before a resumption
  bool quiet_;
  ProgressLine line_;
  Index shown_ = -1;  // iterations done in the last line
};

}  // namespace rgu
