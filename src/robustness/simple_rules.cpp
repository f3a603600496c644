// Rules that need one gradient and one operation of the set.
#include <algorithm>
#include <cmath>

#include "rgu/robustness/budgets.hpp"
#include "rgu/robustness/members.hpp"
#include "rgu/robustness/rules.hpp"
#include "rgu/utility/regularized.hpp"

namespace rgu {

double frank_wolfe_gap(const ConvexSet& set, const Vector& gradient, const Vector& nature) {
  const CertifiedSupport highest = set.certified_support(gradient);
  return std::max(0.0, gradient.dot(highest.point - nature)) + highest.gap;
}

std::optional<WorstCase> only_member(const WorstCaseProblem& problem) {
  const bool no_choice = problem.ambiguity.dimension() == 0 || problem.ambiguity.diameter() == 0;
  if (!no_choice) return std::nullopt;
  WorstCase answer = exact_answer(problem, centre_of(problem.ambiguity));
  answer.method = problem.ambiguity.dimension() == 0
                      ? "the utility has no xi: its value"
                      : "the ambiguity set is one point: the value there";
  return answer;
}

std::optional<WorstCase> linear_in_nature(const WorstCaseProblem& problem) {
  if (problem.utility.traits().nature != NatureShape::kLinear) return std::nullopt;
  const Vector gradient = problem.at(centre_of(problem.ambiguity)).nature;
  CertifiedSupport highest;
  if (const auto budget = as_budget(problem.ambiguity)) {
    highest.point = support_point(*budget, gradient);
  } else {
    highest = problem.ambiguity.certified_support(gradient);
  }
  WorstCase answer = exact_answer(problem, std::move(highest.point));
  answer.method = "linear in xi: the support point of the gradient";
  answer.gap = highest.gap;
  if (answer.gap > 0) answer.kind = AnswerKind::kCertified;
  return answer;
}

// g'xi - (mu/2)|xi - c|^2 = const - (mu/2)|xi - (c + g/mu)|^2: the nearest member is worst.
std::optional<WorstCase> regularized_linear(const WorstCaseProblem& problem) {
  const auto* utility = dynamic_cast<const NatureRegularized*>(&problem.utility);
  if (utility == nullptr) return std::nullopt;
  if (utility->inner().traits().nature != NatureShape::kLinear) return std::nullopt;
  const auto& [modulus, centre] = utility->regularization();
  const Vector slope =
      utility->inner().evaluate(problem.occupancy, centre_of(problem.ambiguity)).nature;
  Vector nearest = problem.ambiguity.project(centre + slope / modulus);
  const UtilityGradient there = problem.at(nearest);
  const double gap = frank_wolfe_gap(problem.ambiguity, there.nature, nearest);
  const double size = std::max(std::abs(there.value), slope.norm() * problem.ambiguity.diameter());
  WorstCase answer = bounded_answer(problem, std::move(nearest), there.value + gap, 1e-9 * size);
  answer.method = std::string(
      "linear in xi less (mu/2)|xi - centre|^2: the projection of centre + gradient/mu");
  return answer;
}

}  // namespace rgu
