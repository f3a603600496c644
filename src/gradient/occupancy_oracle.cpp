#include "rgu/gradient/occupancy_oracle.hpp"

#include "rgu/base/check.hpp"

namespace rgu {

SaddleGradient OccupancyOracle::estimate(const SaddlePoint& at, Rng& /*rng*/) const {
  return gradient(at);
}

SaddleGradient OccupancyOracle::gradient(const SaddlePoint& at) const {
  check_size("lambda", at.policy.size(), utility_.states() * utility_.actions());
  UtilityGradient f =
      utility_.evaluate(as_matrix(at.policy, utility_.states(), utility_.actions()), at.nature);
  return {.value = f.value, .policy = flatten(f.occupancy), .nature = std::move(f.nature)};
}

}  // namespace rgu
