// Gradients of f_xi(lambda) for both players where the policy player chooses the occupancy itself.
#pragma once

#include "rgu/saddle/saddle_problem.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// At point.policy = lambda, flattened (S * A, entry s * A + a): grad_lambda, flattened likewise,
// and grad_xi [RGU, Alg. pgda-tabular]. Draws nothing from the Rng. Keeps a reference to the
// utility.
class OccupancyOracle final : public GradientOracle {
 public:
  explicit OccupancyOracle(const Utility& utility) : utility_(utility) {}

  SaddleGradient estimate(const SaddlePoint& at, Rng& rng) const override;
  // Throws InvalidInput unless lambda has S * A entries and xi the utility's dimension.
  SaddleGradient gradient(const SaddlePoint& at) const;

 private:
  const Utility& utility_;
};

}  // namespace rgu
