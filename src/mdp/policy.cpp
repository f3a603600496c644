#include "rgu/mdp/policy.hpp"

#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

constexpr double kRowSumTolerance = 1e-9;

// Apart, so that the usual case stays free of what a message needs.
[[gnu::noinline]] void check_row(Index s, double least, double sum) {
  check(least >= 0, "policy row s={} holds {}, must be >= 0", s, least);
  check(std::abs(sum - 1) <= kRowSumTolerance,
        "policy row s={} sums to {:.17g}, must be 1 within {:g}", s, sum, kRowSumTolerance);
}

}  // namespace

void check_policy(const Matrix& pi, Index states, Index actions) {
  check_shape("policy", pi, {states, actions});
  const double* row = pi.data();
  for (Index s = 0; s < states; ++s, row += actions) {
    double sum = 0;
    double least = 0;
    for (Index a = 0; a < actions; ++a) {
      sum += row[a];
      least = row[a] < least ? row[a] : least;
    }
    // A NaN makes the sum NaN, so these two comparisons see every bad row.
    const bool valid = least >= 0 && std::abs(sum - 1) <= kRowSumTolerance;
    if (!valid) check_row(s, least, sum);
  }
}

}  // namespace rgu
