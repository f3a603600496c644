#include "rgu/global/saddle_gap.hpp"

#include <algorithm>

#include "rgu/ambiguity/singleton.hpp"
#include "rgu/base/check.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {
namespace {

constexpr double kMembership = 1e-8;  // of the mass, which is 1, and of the size of the set

void check_pair(const FiniteMdp& mdp, const Utility& utility, const ConvexSet& ambiguity,
                const Matrix& lambda, const Vector& xi) {
  check_size("states of the utility", utility.states(), mdp.states());
  check_size("actions of the utility", utility.actions(), mdp.actions());
  check_size("dimension of the ambiguity set", ambiguity.dimension(), utility.nature_dimension());
  check_shape("occupancy", lambda, {mdp.states(), mdp.actions()});
  check_finite("occupancy", lambda);
  check_size("xi", xi.size(), utility.nature_dimension());
  check_finite("xi", xi);
  check(utility.traits().convex_in_occupancy,
        "the utility is not convex in the occupancy: there is no certified saddle gap for it");
  const double residual = flow_residual(mdp, lambda);
  check(residual <= kMembership,
        "occupancy misses the flow equations by {}, must keep them within {}", residual,
        kMembership);
  const double outside = distance(ambiguity, xi);
  const double slack = membership_slack(ambiguity, xi, kMembership);
  check(outside <= slack, "xi is {} away from the ambiguity set, must be within {}", outside,
        slack);
}

}  // namespace

SaddleGap saddle_gap(const FiniteMdp& mdp, const Utility& utility, const ConvexSet& ambiguity,
                     const Matrix& occupancy, const Vector& nature, double tolerance) {
  check_pair(mdp, utility, ambiguity, occupancy, nature);
  check_positive("tolerance", tolerance);
  const UtilityGradient at = utility.evaluate(occupancy, nature);
  const WorstCase worst = worst_case(utility, ambiguity, occupancy);
  const GlobalSolution least =
      envelope_minimum(mdp, utility, Singleton(nature), {.tolerance = tolerance});
  const double upper = worst.value + worst.gap;
  return {.value = upper - least.lower_bound,
          .attained = std::max(worst.value, at.value) - std::min(least.value, at.value),
          .upper = upper,
          .lower = least.lower_bound,
          .kind = worst.kind};
}

}  // namespace rgu
