// Global minima of the robust envelope Gamma(lambda) = max over xi of f_xi(lambda) on the occupancy
// polytope Lambda, and the lower bounds that prove them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rgu/base/answer_kind.hpp"
#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

// A lower bound on the minimum over Lambda of offset + <slope, lambda>, slope (S, A). Where that is
// a minorant of Gamma on Lambda, it bounds Gamma from below as well. By planning: the minimum of
// <slope, lambda> is (1-g) <rho, V> with V the optimal value of the cost `slope`. What the plan
// lacks to be optimal and what rounding may have changed is taken off. Throws InvalidInput unless
// slope is (S, A) and finite and offset is finite.
double planning_bound(const FiniteMdp& mdp, const Matrix& slope, double offset);

// What shortens the work on sparse models.
struct PlanHint {
  Vector guess = {};    // (S): values of a similar slope; empty: none
  double accuracy = 0;  // >= 0: how far the bound may stay below the best one; 0: rounding decides
};

// The same bound with the policy that attains it, up to what the bound takes off.
struct PlannedBound {
  double bound = 0;
  std::vector<Index> action = {};  // (S): a deterministic policy
  Vector value = {};               // (S): a guess for the next slope
};
PlannedBound planned_bound(const FiniteMdp& mdp, const Matrix& slope, double offset,
                           const PlanHint& hint = {});

// What is known of some values V: a lower bound follows, whatever they are.
struct ValueFacts {
  Index states = 0;
  double discount = 0;
  double start_value = 0;  // <rho, V>
  double largest = 0;      // |V|_inf
  double shortfall = 0;    // the least over the states of min_a Q_V(s,a) - V(s)
};
double bound_of(const ValueFacts& facts, double offset);

enum class GlobalStatus {
  kCertified,  // the gap is as small as was asked for
  kLimit,      // it is not: out of iterations, or rounding ended the progress
};

// What rounding may do to the expected cost of a policy, relative to the size of the costs.
inline double rounding_share(double discount) { return 200 * kEps / (1 - discount); }

// A gap is small enough at `relative` times |value| or at `absolute`, whichever is more.
struct GapTolerance {
  constexpr GapTolerance(double relative_part = 1e-6, std::optional<double> absolute_part = {})
      : relative(relative_part), absolute(absolute_part) {}

  double relative;  // > 0
  // Empty: 1e-4 relative times the size of the costs, the largest |entry| of the gradient of f_xi
  // at the first policy for its worst xi, or 1e-3 of that for the centre of the set. So optima near
  // 0 can be proven, at every scale. Near discount 1, where values of cost / (1-g) are rounded, up
  // to 1e-2 in place of 1e-4.
  std::optional<double> absolute;  // > 0

  struct Scales {
    double cost = 0;
    double discount = 0;
  };
  double at(double value, const Scales& scales) const {
    const double share =
        std::clamp(rounding_share(scales.discount), 1e-4 * relative, 1e-2 * relative);
    return std::max(relative * std::abs(value), absolute.value_or(share * scales.cost));
  }
};

// Throws InvalidInput unless both are in their ranges.
void check_tolerance(const GapTolerance& tolerance);

// Where f_xi is linearised: Gamma(l) >= f_xi(lambda) + <grad f_xi(lambda), l - lambda>.
struct TangentPoint {
  Vector nature = {};     // xi, a member of the ambiguity set
  Matrix occupancy = {};  // lambda: (S, A)
  // Drift only: a unit vector u, and -<u'W psi psi'W'u, l> is the minorant; empty: the gradient.
  Vector direction = {};
};

struct WitnessPiece {
  double weight = 0;  // > 0; the weights of a witness sum to 1
  std::shared_ptr<const TangentPoint> at = {};
};

// All that is needed to check a lower bound in one pass over the model. With c the mean slope of
// the pieces and b their mean offset, b + (1-g) <rho, V> - e <= Gamma on Lambda, where e is the
// least number with V(s) <= c(s,a) + g (P V)(s,a) + e for all (s,a).
struct Witness {
  std::vector<WitnessPiece> pieces = {};  // empty: there is none
  Vector potential = {};                  // V: (S)
};

struct GlobalSolution {
  Matrix occupancy = {};                     // (S, A), of `policy`
  Matrix policy = {};                        // (S, A)
  Vector nature = {};                        // a xi at which the policy does worst
  double value = 0;                          // Gamma(occupancy), or above it by what `kind` says
  AnswerKind kind = AnswerKind::kBestFound;  // of the value
  double lower_bound = 0;                    // no member of Lambda has a smaller Gamma
  Witness witness = {};                      // of the lower bound
  double cost_scale = 0;                     // see GapTolerance
  GlobalStatus status = GlobalStatus::kLimit;
  int iterations = 0;
  std::string method = {};  // one line in words

  double gap() const { return value - lower_bound; }
};

}  // namespace rgu
