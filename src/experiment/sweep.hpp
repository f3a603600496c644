// The price and the gain of robustness: robust and nominal policies against the radius.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "rgu/base/answer_kind.hpp"
#include "rgu/experiment/config.hpp"
#include "rgu/experiment/nominal.hpp"

namespace rgu {

// "a:b:step" or one number. Throws InvalidInput unless all are finite, 0 <= a <= b, step > 0 and
// there are at most 10000.
std::vector<double> parse_radii(const std::string& text);

struct SweepPoint {
  double radius = 0;
  std::uint64_t seed = 0;
  double robust_nominal = 0;   // of the policy trained at this radius
  double robust_worst = 0;     // Gamma over the set of this radius
  double nominal_nominal = 0;  // of the policy trained without any ambiguity
  double nominal_worst = 0;
  AnswerKind kind = AnswerKind::kExact;  // the weaker of the two worst cases
};

struct SweepOptions {
  int threads = 1;
  std::function<void(std::size_t done, std::size_t total)> progress = {};
  const std::atomic<bool>* interrupt = nullptr;
};

// Trains at every radius and seed, in memory; in the order of the radii, then of the seeds. The
// nominal policy of a seed is trained once. Throws InvalidInput if the ambiguity set has no radius.
// When interrupted, what is not done is left out.
std::vector<SweepPoint> sweep(const ProblemConfig& config, const std::vector<double>& radii,
                              const SweepOptions& options = {});

}  // namespace rgu
