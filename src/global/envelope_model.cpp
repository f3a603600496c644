#include "rgu/global/envelope_model.hpp"

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/mdp/policy_evaluation.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {
namespace {

constexpr Index kLargestWitness = 1'000'000;  // state-action pairs for which tangents are kept

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
  bool kept = true;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const double weight = positive(static_cast<Index>(k)) / total;
    if (weight == 0) continue;
    mean.slope += weight * cuts[k].slope;
    mean.offset += weight * cuts[k].offset;
    kept = kept && !cuts[k].pieces.empty();
    for (const WitnessPiece& piece : cuts[k].pieces) {
      mean.pieces.push_back({.weight = weight * piece.weight, .at = piece.at});
    }
  }
  if (!kept) mean.pieces.clear();
  return mean;
}

Cut tangent_cut(const EnvelopeProblem& problem, const Matrix& occupancy, const Vector& nature) {
  UtilityGradient f = problem.utility.evaluate(occupancy, nature);
  Cut cut{.slope = std::move(f.occupancy), .offset = 0};
  cut.offset = f.value - cut.slope.cwiseProduct(occupancy).sum();
  if (occupancy.size() <= kLargestWitness) {
    cut.pieces = {{.weight = 1,
                   .at = std::make_shared<const TangentPoint>(
                       TangentPoint{.nature = nature, .occupancy = occupancy})}};
  }
  return cut;
}

EnvelopePoint envelope_at(const EnvelopeProblem& problem, Matrix occupancy, const Vector& hint) {
  WorstCaseOptions options;
  if (hint.size() > 0) options.hint = hint;
  WorstCase worst = worst_case(problem.utility, problem.ambiguity, occupancy, options);
  Cut cut = tangent_cut(problem, occupancy, worst.nature);
  return {.occupancy = std::move(occupancy),
          .value = worst.value + (std::isfinite(worst.gap) ? worst.gap : 0.0),
          .kind = worst.kind,
          .nature = std::move(worst.nature),
          .cut = std::move(cut)};
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
