#include "rgu/robustness/worst_case.hpp"

#include <array>
#include <utility>

#include "rgu/base/check.hpp"
#include "rgu/robustness/rules.hpp"

namespace rgu {

namespace {

// The cheapest and strongest first; the last answers whatever is left.
constexpr std::array<WorstCaseRule, 9> kRules = {
    only_member,     linear_in_nature,    regularized_linear, part_by_part,       drift_on_ball,
    farthest_target, quadratic_in_nature, concave_in_nature,  best_of_many_starts};

void check_options(const WorstCaseOptions& options, Index dimension) {
  check_positive("tolerance of the worst case", options.tolerance);
  check_count("iterations of the worst case", options.iterations);
  check_count("starts of the worst case", options.starts);
  if (!options.hint) return;
  check_size("hint of the worst case", options.hint->size(), dimension);
  check_finite("hint of the worst case", *options.hint);
}

void check_occupancy(const Utility& utility, const Matrix& occupancy) {
  check_shape("occupancy", occupancy, {utility.states(), utility.actions()});
  check_finite("occupancy", occupancy);
  Index s = 0, a = 0;
  const double least = occupancy.minCoeff(&s, &a);
  check(least >= -1e-9, "occupancy[{}, {}] is {}, must be >= 0 within 1e-9", s, a, least);
}

}  // namespace

void check_same_dimension(const Utility& utility, const ConvexSet& ambiguity) {
  check(ambiguity.dimension() == utility.nature_dimension(),
        "ambiguity set has dimension {}, must have that of xi, which is {}", ambiguity.dimension(),
        utility.nature_dimension());
}

WorstCase worst_case(const Utility& utility, const ConvexSet& ambiguity, const Matrix& occupancy,
                     const WorstCaseOptions& options) {
  check_same_dimension(utility, ambiguity);
  check_occupancy(utility, occupancy);
  check_options(options, utility.nature_dimension());
  const WorstCaseProblem problem{utility, ambiguity, occupancy, options};
  for (const WorstCaseRule rule : kRules) {
    if (std::optional<WorstCase> answer = rule(problem)) return *std::move(answer);
  }
  throw std::logic_error("the last rule fits every problem");
}

WorstCase exact_answer(const WorstCaseProblem& problem, Vector nature) {
  const double value = problem.at(nature).value;
  return {.value = value,
          .nature = std::move(nature),
          .kind = AnswerKind::kExact,
          .gap = 0,
          .method = ""};
}

WorstCase bounded_answer(const WorstCaseProblem& problem, Vector nature, double bound,
                         double accuracy) {
  WorstCase answer = exact_answer(problem, std::move(nature));
  if (bound - answer.value <= accuracy) return answer;
  if (std::isnan(bound) || std::isnan(answer.value)) {
    throw NotConverged("the worst case is not a number: its arithmetic overflowed");
  }
  answer.kind = AnswerKind::kCertified;
  answer.gap = bound - answer.value;
  return answer;
}

}  // namespace rgu
