// What follows from playing one policy: its occupancy and the value of any cost.
#pragma once

#include <variant>

#include "rgu/base/lapack.hpp"
#include "rgu/mdp/discounted_system.hpp"
#include "rgu/mdp/finite_mdp.hpp"
#include "rgu/mdp/subtraction_free_lu.hpp"

namespace rgu {

// Above this discount values lose 5 digits and more in ordinary arithmetic.
inline constexpr double kDiscountNearOne = 1 - 1e-5;

struct EvaluationOptions {
  // Sparse models: largest accepted residual, in the norm in which the equation contracts:
  // |(1-g) rho + g P_pi' d - d|_1 for the occupancy (whose entries sum to 1), and
  // |c + g P_pi v - v|_inf / |c|_inf for values. Dense models are solved directly.
  double residual = 1e-12;
};

// Builds I - g P_pi once; everything else is a solve with it or with its transpose.
// Dense: one LU factorisation, O(S^3 + S^2 A); last bits may
// differ between CPUs. Sparse: Krylov iterations on the S x S matrix P_pi,
// memory linear in the transitions. At discounts within 1e-5 of 1 both, up to 2000 states, by an
// elimination that loses nothing there (subtraction_free_lu.hpp). Keeps a reference to `mdp`.
class PolicyEvaluation {
 public:
  // pi: (S, A). Throws InvalidInput if it is not a policy of this model.
  PolicyEvaluation(const FiniteMdp& mdp, Matrix pi, EvaluationOptions options = {});

  const Matrix& policy() const { return pi_; }

  // d = (1-g) (I - g P_pi')^-1 rho, (S).
  Vector state_occupancy() const;
  // lambda(s,a) = d(s) pi(a|s), (S, A).
  Matrix occupancy() const;
  // V(s): expected sum_t g^t cost(s_t, a_t) from s, (S). cost: (S, A).
  Vector value(const Matrix& cost) const;
  // Q(s,a) = cost(s,a) + g sum_{s'} P(s'|s,a) V(s'), (S, A).
  Matrix action_value(const Matrix& cost) const;

 private:
  Vector solved_flow() const;

  const FiniteMdp& mdp_;
  Matrix pi_;
  EvaluationOptions options_;
  // Dense: the factors of (I - g P_pi)'. Sparse: I - g P_pi, (S, S). Near 1: its factors.
  std::variant<LuFactor, DominantLu, DiscountedSystem, SubtractionFreeLu> system_;
};

}  // namespace rgu
