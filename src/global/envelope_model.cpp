#include "rgu/global/envelope_model.hpp"

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/mdp/policy_evaluation.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {
namespace {

class WholeEvaluation final : public EvaluatedPolicy {
 public:
  WholeEvaluation(const FiniteMdp& mdp, const Matrix& policy) : evaluation_(mdp, policy) {}
  Matrix occupancy() const override { return evaluation_.occupancy(); }
  Matrix action_value(const Matrix& cost) const override { return evaluation_.action_value(cost); }

 private:
  PolicyEvaluation evaluation_;
};

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

std::unique_ptr<EvaluatedPolicy> WholeModel::evaluated(const Matrix& policy) const {
  return std::make_unique<WholeEvaluation>(problem_.mdp, policy);
}

EnvelopePoint WholeModel::at(Matrix occupancy, const Vector& hint) const {
  return envelope_at(problem_, std::move(occupancy), hint);
}

PlannedBound WholeModel::planned(const Cut& minorant, const Vector& guess) const {
  return planned_bound(problem_.mdp, minorant.slope, minorant.offset, guess);
}

}  // namespace rgu
