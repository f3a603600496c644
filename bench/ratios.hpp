// Speed as ratios between benchmarks of one run, which survive a change of machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rgu/base/instruction_set.hpp"

namespace rgu::bench {

// value = median time of `numerator` / median time of `denominator`.
struct Ratio {
  std::string what;
  std::string numerator;
  std::string denominator;
  double target = 0;  // 0: none, the ratio is only printed
  enum { kAtLeast, kAtMost } sense = kAtLeast;
};

// Runs all registered benchmarks, interleaved and repeated, prints Google Benchmark's table and
// then one line a ratio with its target. Ratios of benchmarks left out by a filter are skipped.
// Returns the exit code of the program: 0, or 1 with --check where a target was missed.
int run(int argc, char** argv, const std::vector<Ratio>& ratios);

// Removes "--instructions SET" from the arguments, has the library use that set, and prints and
// returns the set in use. None if the set is unknown or this CPU does not have it; the reason is
// then printed. To be called first in main().
std::optional<InstructionSet> choose_instructions(int& argc, char** argv);

}  // namespace rgu::bench
