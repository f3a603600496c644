// The set of all occupancies of a model, as a convex set of flattened (S, A) matrices.
#pragma once

#include "rgu/base/convex_set.hpp"
#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

// Lambda = { x >= 0 : E x = (1-g) rho }, where
//   (E x)(s') = sum_a x(s',a) - g sum_{s,a} P(s'|s,a) x(s,a).
// Keeps a reference to the model.
class OccupancyPolytope final : public ConvexSet {
 public:
  explicit OccupancyPolytope(const FiniteMdp& mdp);

  // Semismooth Newton on the dual [QiSun1993], a handful of steps; near discount 1, if that has not
  // the accuracy, by mixing occupancies of policies. The flow equations of the result hold to 1e-10
  // in the Euclidean norm, usually to 1e-15, at every discount.
  Vector project(const Vector& point) const override;

  // The occupancy of an optimal deterministic policy, by policy iteration.
  Vector support_point(const Vector& direction) const override;

  // sqrt 2, an upper bound: two probability vectors are never farther apart. 0 for one action.
  double diameter() const override;

  // By the projection onto the tangent cone; entries of `point` below 1e-12 count as zero.
  double normal_residual(const Vector& point, const Vector& direction) const override;

 private:
  const FiniteMdp& mdp_;
};

}  // namespace rgu
