// The rules behind worst_case. Each answers the problems it fits and leaves the others.
#pragma once

#include <optional>

#include "rgu/robustness/worst_case.hpp"

namespace rgu {

// max over xi in `ambiguity` of f_xi(occupancy). A view; the arguments are checked already.
struct WorstCaseProblem {
  const Utility& utility;
  const ConvexSet& ambiguity;
  const Matrix& occupancy;
  const WorstCaseOptions& options;

  UtilityGradient at(const Vector& nature) const { return utility.evaluate(occupancy, nature); }
};

using WorstCaseRule = std::optional<WorstCase> (*)(const WorstCaseProblem&);

std::optional<WorstCase> only_member(const WorstCaseProblem& problem);
std::optional<WorstCase> linear_in_nature(const WorstCaseProblem& problem);
std::optional<WorstCase> regularized_linear(const WorstCaseProblem& problem);
std::optional<WorstCase> part_by_part(const WorstCaseProblem& problem);
std::optional<WorstCase> drift_on_ball(const WorstCaseProblem& problem);
std::optional<WorstCase> farthest_target(const WorstCaseProblem& problem);
std::optional<WorstCase> quadratic_in_nature(const WorstCaseProblem& problem);
std::optional<WorstCase> concave_in_nature(const WorstCaseProblem& problem);
std::optional<WorstCase> best_of_many_starts(const WorstCaseProblem& problem);  // fits everything

// Throws InvalidInput unless xi and the members of the set have one dimension.
void check_same_dimension(const Utility& utility, const ConvexSet& ambiguity);

// The answer at `nature`, with f evaluated there, when no member has more than `bound`: exact where
// the two agree within `accuracy`, else certified.
WorstCase bounded_answer(const WorstCaseProblem& problem, Vector nature, double bound,
                         double accuracy);
// The answer at `nature` when that is known to be the maximiser.
WorstCase exact_answer(const WorstCaseProblem& problem, Vector nature);

// max over members of <gradient, xi' - nature>, never negative, with what the set's support point
// may lack added.
double frank_wolfe_gap(const ConvexSet& set, const Vector& gradient, const Vector& nature);

}  // namespace rgu
