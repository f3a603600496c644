#include "rgu/mdp/policy.hpp"

#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

constexpr double kRowSumTolerance = 1e-9;

}  // namespace

void check_policy(const Matrix& pi, Index states, Index actions) {
  check_shape("policy", pi, {states, actions});
  for (Index s = 0; s < states; ++s) {
    double sum = 0;
    double least = 0;
    for (Index a = 0; a < actions; ++a) {
      sum += pi(s, a);
      least = std::min(least, pi(s, a));
    }
    // A NaN makes the sum NaN, so these two comparisons see every bad row.
    check(least >= 0, "policy row s={} holds {}, must be >= 0", s, least);
    check(std::abs(sum - 1) <= kRowSumTolerance, "policy row s={} sums to {:.17g}, must be 1 within {:g}",
          s, sum, kRowSumTolerance);
  }
}

}  // namespace rgu
