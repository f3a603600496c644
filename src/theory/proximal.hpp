// Steps, schedules and guarantee of the prox-extragradient method [RGU, Thm.
// nonconcave-convergence, App. inner-gap-decay]. Where sigma and alpha are outside the theorem's
// conditions, or a constant is infinite, counts and bounds are infinite.
#pragma once

#include <optional>

#include "rgu/theory/constants.hpp"

namespace rgu {

struct ProximalSettings {
  double weight = 0;                 // sigma; the theorem asks for sigma > L_F
  double step = 0;                   // alpha; the theorem asks for alpha <= 1/(4 (L_F + sigma))
  double optimisation_constant = 1;  // c_opt: how well the inner loops solve
  double sampling_constant = 1;      // c_mc: how well gradients are sampled
};

// 1/(4 (L_F + sigma)). Throws InvalidInput unless sigma is finite and > 0.
double largest_proximal_step(const ProblemNumbers& numbers, double weight);

// sigma = 2 L_F (1 if L_F = 0) and the largest step for it; nothing where L_F is infinite.
std::optional<ProximalSettings> admissible_proximal_settings(const ProblemNumbers& numbers);

enum class RuleGrowth { kLog, kQuadratic };  // g(k) = log(k + 1), (k + 1)^2

// max(1, ceil(base + rate g(k))). A base below 0 delays the growth.
struct CountRule {
  double base = 0;
  double rate = 0;
  RuleGrowth growth = RuleGrowth::kLog;

  bool operator==(const CountRule&) const = default;
};
// A double, since the count may exceed every integer. Throws InvalidInput unless base > -infinity,
// rate >= 0 and k >= 0.
double count_at(const CountRule& rule, double k);

// With mu = sigma - L_F, D^2 = D_Theta^2 + D_Xi^2 and the C of ErrorCoefficients
// [RGU, Cor. inner-gap-decay, Lem. MC_decay]:
//   T_k  = ceil(2/(alpha mu) (2 log(k+1) + [log(D^2/c_opt)]_+))
//   m_k  = ceil(64 C_m (k+1)^2/(mu^2 c_mc)), m'_k with C_m'
//   H_k  = ceil([log(64 C_H (k+1)^2/(mu^2 c_mc))]_+/(2 log(1/g)))
// each at least 1. H'_k has to bring C_H' (1 + H'(1-g))^2 g^(2H') below mu^2 c_mc/(64 (k+1)^2).
// Differs from the paper, which treats the factor (1 + H'(1-g))^2 as a constant although it grows
// with H'. An eighth of the decay is spent on it: with P = max over x >= 0 of (1 + x(1-g)) g^(x/8),
//   H'_k = ceil([log(64 C_H' P^2 (k+1)^2/(mu^2 c_mc))]_+/(2 (7/8) log(1/g))).
struct ProximalSchedule {
  CountRule inner_steps;          // T_k
  CountRule trajectories;         // m_k
  CountRule horizon;              // H_k
  CountRule policy_trajectories;  // m'_k
  CountRule policy_horizon;       // H'_k
};
// Throws InvalidInput unless sigma, alpha, c_opt and c_mc are finite and > 0; so do the functions
// below.
ProximalSchedule proximal_schedule(const ProblemNumbers& numbers, const ProximalSettings& settings);

// Transitions sampled in K outer iterations: two gradient estimates per inner step, each of
// m H + m' H'. Summed term by term up to k = 65536, beyond that to about a thousandth. Throws
// InvalidInput unless K is a whole number >= 1 or infinite.
double proximal_samples(const ProximalSchedule& schedule, double iterations);

// On E[R_GM] at the iterate k_hat + 1, k_hat uniform over 0, .., K-1:
//   2 sigma^2 D^2/K + c_delta (4/alpha + 4 sigma) (1 + log K)/K,
//   c_delta = B_gap sqrt(c_opt + c_mc), B_gap = sqrt(l_theta^2 + l_xi^2) + (L_F + 2 sigma) D.
// It also needs a Minty solution [RGU, Ass. minty-solution], which no number here can tell. Throws
// InvalidInput unless K is a whole number >= 1.
double proximal_bound(const ProblemNumbers& numbers, const ProximalSettings& settings,
                      double iterations);

// The smallest K whose bound is at most the accuracy (exact below 2^53; infinite where there is
// none below 1e300). Throws InvalidInput unless the accuracy is finite and > 0.
double proximal_iterations(const ProblemNumbers& numbers, const ProximalSettings& settings,
                           double accuracy);

// What the theorem asks for to bring E[R_GM] down to an accuracy.
struct ProximalPlan {
  double iterations = 0;  // K
  ProximalSchedule schedule;
  double samples = 0;  // over all K
};
ProximalPlan proximal_plan(const ProblemNumbers& numbers, const ProximalSettings& settings,
                           double accuracy);

}  // namespace rgu
