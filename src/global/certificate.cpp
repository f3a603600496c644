#include "rgu/global/certificate.hpp"

#include <cmath>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/mdp/planning.hpp"

namespace rgu {

// Every V with V <= slope + g P V has (1-g) <rho, V> <= <slope, lambda> on Lambda: multiply the
// flow equations by V. The plan's V less residual / (1-g) is one, whatever the plan is worth. Sums
// of S + 2 terms no larger than |V| are rounded twice: in the residual and in <rho, V>.
double planning_bound(const FiniteMdp& mdp, const Matrix& slope, double offset) {
  check_finite("offset", offset);
  const Plan plan = optimal_plan(mdp, slope);
  const double least = (1 - mdp.discount()) * mdp.start().dot(plan.value);
  const double largest = plan.value.lpNorm<Eigen::Infinity>() + std::abs(offset);
  const double rounding =
      2 * std::numeric_limits<double>::epsilon() * static_cast<double>(mdp.states() + 2) * largest;
  return offset + least - plan.residual - rounding;
}

}  // namespace rgu
