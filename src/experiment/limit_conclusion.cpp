#include "rgu/experiment/limit_conclusion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "rgu/global/limit_analysis.hpp"

namespace rgu {
namespace {

constexpr double kKept = 1e-4;     // of the slack: an excess that may be rounding
constexpr double kOutside = 1e-6;  // of the multipliers: inside the set up to rounding

std::string list_text(const Vector& numbers) {
  const std::vector<double> list(numbers.begin(), numbers.end());
  return fmt::format("{:.4g}", fmt::join(list, ", "));
}

}  // namespace

LimitConclusion conclude_limits(const Instance& instance, const Matrix& occupancy) {
  LimitConclusion out;
  const auto report = constraint_report(*instance.utility, occupancy);
  if (!report) return out;
  out.record.violation = report->violation;
  if (report->excess <= kKept) return out;
  const Limits limits = limits_of(*instance.utility);
  const Index most = report->most;
  const double excess = report->violation(most);
  const std::string broken =
      fmt::format("constraint {} is {:.4g}, {:.3g} above its limit {:.4g}", most + 1,
                  limits.thresholds(most) + excess, excess, limits.thresholds(most));
  if (auto proof = prove_infeasible(instance.world.mdp, limits)) {
    out.status = "infeasible: no policy meets the constraints";
    out.note = fmt::format(
        "no policy meets all constraints: their combination with weights {} exceeds that of the "
        "limits by at least {:.4g}, whatever the policy. With this one, {}",
        list_text(proof->combination), proof->excess, broken);
    out.record.combination = std::move(proof->combination);
    out.record.excess = proof->excess;
    out.record.potential = std::move(proof->potential);
    return out;
  }
  if (report->broken < 0) return out;
  out.status = "constraints not met";
  const auto needed =
      unbounded_multipliers({instance.world.mdp, *instance.utility, *instance.ambiguity});
  const bool too_small =
      needed && distance(*instance.ambiguity, *needed) > kOutside * needed->norm();
  if (too_small) {
    out.record.needed = *needed;
    out.note = fmt::format(
        "{}: the ambiguity set is too small for the multipliers that it takes, which are {}",
        broken, list_text(*needed));
  } else {
    out.note = broken + ": more iterations, or another method, may meet it";
  }
  return out;
}

}  // namespace rgu
