#include "rgu/global/envelope_search.hpp"

#include "rgu/base/check.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void check_envelope_problem(const EnvelopeProblem& problem) {
  const auto& [mdp, utility, ambiguity] = problem;
  check_size("states of the utility", utility.states(), mdp.states());
  check_size("actions of the utility", utility.actions(), mdp.actions());
  check_size("dimension of the ambiguity set", ambiguity.dimension(), utility.nature_dimension());
  check(utility.traits().convex_in_occupancy,
        "the utility is not convex in the occupancy: there is no global certificate for it");
}

Cut mean_cut(const std::vector<Cut>& cuts, const Vector& weights) {
  const Vector positive = weights.cwiseMax(0.0);
  const double total = positive.sum();
  if (!(total > 0)) return cuts.back();
  Cut mean{.slope = Matrix::Zero(cuts.front().slope.rows(), cuts.front().slope.cols())};
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const double weight = positive(static_cast<Index>(k)) / total;
    if (weight == 0) continue;
    mean.slope += weight * cuts[k].slope;
    mean.offset += weight * cuts[k].offset;
  }
  return mean;
}

EnvelopePoint envelope_at(const EnvelopeProblem& problem, Matrix occupancy, const Vector& hint) {
  WorstCaseOptions options;
  if (hint.size() > 0) options.hint = hint;
  WorstCase worst = worst_case(problem.utility, problem.ambiguity, occupancy, options);
  UtilityGradient f = problem.utility.evaluate(occupancy, worst.nature);
  const double offset = f.value - f.occupancy.cwiseProduct(occupancy).sum();
  return {.occupancy = std::move(occupancy),
          .value = worst.value + (std::isfinite(worst.gap) ? worst.gap : 0.0),
          .kind = worst.kind,
          .nature = std::move(worst.nature),
          .cut = {.slope = std::move(f.occupancy), .offset = offset}};
}

EnvelopeSearch::EnvelopeSearch(const EnvelopeProblem& problem, double tolerance)
    : problem_(problem), tolerance_(tolerance) {
  check_envelope_problem(problem);
  check_positive("tolerance", tolerance);
  best_.value = kInfinity;
  best_.lower_bound = -kInfinity;
}

double EnvelopeSearch::excess() const {
  return best_.gap() / (tolerance_ * gap_scale(best_.value));
}

void EnvelopeSearch::offer(const EnvelopePoint& point, const Matrix& policy) {
  if (!(point.value < best_.value)) return;
  point_ = point;
  best_.value = point.value;
  best_.kind = point.kind;
  best_.occupancy = point.occupancy;
  best_.nature = point.nature;
  best_.policy = policy;
  judge();
}

EnvelopePoint EnvelopeSearch::offer_policy(const Matrix& policy) {
  EnvelopePoint point = envelope_at(problem_, occupancy(problem_.mdp, policy), best_.nature);
  offer(point, policy);
  return point;
}

EnvelopePoint EnvelopeSearch::offer_policy_of(const Matrix& occupancy) {
  return offer_policy(policy_from_occupancy(occupancy.cwiseMax(0.0)));
}

void EnvelopeSearch::offer_member(const EnvelopePoint& member) {
  if (member.value < best_.value) offer_policy_of(member.occupancy);
}

void EnvelopeSearch::raise_bound(double bound) {
  best_.lower_bound = std::max(best_.lower_bound, bound);
  judge();
}

std::vector<Index> EnvelopeSearch::plan_against(const Cut& minorant) {
  PlannedBound planned =
      planned_bound(problem_.mdp, minorant.slope, minorant.offset, planned_values_);
  planned_values_ = std::move(planned.value);
  raise_bound(planned.bound);
  return std::move(planned.action);
}

void EnvelopeSearch::count_step(std::string_view method) {
  ++best_.iterations;
  if (best_.method.ends_with(method)) return;
  if (!best_.method.empty()) best_.method += ", then ";
  best_.method += method;
}

void EnvelopeSearch::judge() {
  if (best_.kind == AnswerKind::kBestFound) return;  // then the value is no upper bound
  if (best_.gap() <= tolerance_ * gap_scale(best_.value)) best_.status = GlobalStatus::kCertified;
}

bool Patience::is_over(double gap) {
  if (!(gap > kProgress * mark_)) {
    mark_ = gap;
    steps_ = 0;
    return false;
  }
  return ++steps_ >= allowed_;
}

}  // namespace rgu
