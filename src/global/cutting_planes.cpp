#include "rgu/global/cutting_planes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rgu/ambiguity/linear_program.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/base/check.hpp"
#include "rgu/global/drift_interior_point.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Of the way from the best point to the minimiser of the cuts: cuts alone jump from end to end.
constexpr double kTrialStep = 0.4;

// Gamma(l) >= offset + <slope, l>.
struct Cut {
  Vector slope;  // (S A)
  double offset = 0;
};

struct Evaluation {
  double upper = 0;  // Gamma is at most this
  AnswerKind kind = AnswerKind::kExact;
  Cut cut;
};

Evaluation evaluated(const Utility& utility, const ConvexSet& ambiguity, const Matrix& lambda) {
  const WorstCase worst = worst_case(utility, ambiguity, lambda);
  const UtilityGradient f = utility.evaluate(lambda, worst.nature);
  Vector slope = flatten(f.occupancy);
  const double offset = f.value - slope.dot(flatten(lambda));
  return {.upper = worst.value + (std::isfinite(worst.gap) ? worst.gap : 0.0),
          .kind = worst.kind,
          .cut = {.slope = std::move(slope), .offset = offset}};
}

// sum_a lambda(s',a) - g sum_{s,a} P(s'|s,a) lambda(s,a), as a matrix (S, S A).
Matrix flow_matrix(const FiniteMdp& mdp) {
  const Index pairs = mdp.states() * mdp.actions();
  Matrix flow(mdp.states(), pairs);
  Matrix unit = Matrix::Zero(mdp.states(), mdp.actions());
  for (Index i = 0; i < pairs; ++i) {
    unit.data()[i] = 1;
    flow.col(i) = -mdp.discount() * mdp.push_forward(unit);
    flow(i / mdp.actions(), i) += 1;
    unit.data()[i] = 0;
  }
  return flow;
}

// The largest cut, minimised over Lambda.
class Master {
 public:
  explicit Master(const FiniteMdp& mdp)
      : mdp_(mdp), flow_(flow_matrix(mdp)), source_((1 - mdp.discount()) * mdp.start()) {}

  void add(Cut cut) { cuts_.push_back(std::move(cut)); }

  struct Answer {
    Vector point;  // (S A), in Lambda up to the accuracy of the linear program
    double bound = 0;
  };
  Answer minimum() const {
    const Index states = mdp_.states();
    const Index pairs = flow_.cols();
    const auto cuts = static_cast<Index>(cuts_.size());
    LinearConstraints constraints{
        .rows = Matrix::Zero(cuts + 2 * states, pairs + 1),
        .offsets = Vector(cuts + 2 * states),
        .columns = {.lower = Vector::Zero(pairs + 1), .upper = Vector::Ones(pairs + 1)}};
    constraints.columns.lower(pairs) = -kInfinity;
    constraints.columns.upper(pairs) = kInfinity;
    for (Index k = 0; k < cuts; ++k) {  // <slope, l> - t <= -offset
      const Cut& cut = cuts_[static_cast<std::size_t>(k)];
      constraints.rows.row(k).head(pairs) = cut.slope;
      constraints.rows(k, pairs) = -1;
      constraints.offsets(k) = -cut.offset;
    }
    constraints.rows.block(cuts, 0, states, pairs) = flow_;
    constraints.rows.block(cuts + states, 0, states, pairs) = -flow_;
    constraints.offsets.segment(cuts, states) = source_;
    constraints.offsets.tail(states) = -source_;
    const LinearProgramSolution solution =
        LinearProgram(constraints).maximise(-Vector::Unit(pairs + 1, pairs));
    return {.point = solution.point.head(pairs).cwiseMax(0.0),
            .bound = bound_by(solution.multipliers.head(cuts))};
  }

 private:
  // The mean of the cuts, by any weights, is a minorant too.
  double bound_by(const Vector& multipliers) const {
    const double total = multipliers.cwiseMax(0.0).sum();
    if (!(total > 0)) return -kInfinity;
    Vector slope = Vector::Zero(flow_.cols());
    double offset = 0;
    for (Index k = 0; k < multipliers.size(); ++k) {
      const double weight = std::max(0.0, multipliers(k)) / total;
      slope += weight * cuts_[static_cast<std::size_t>(k)].slope;
      offset += weight * cuts_[static_cast<std::size_t>(k)].offset;
    }
    return planning_bound(mdp_, as_matrix(slope, mdp_.states(), mdp_.actions()), offset);
  }

  const FiniteMdp& mdp_;
  Matrix flow_;
  Vector source_;
  std::vector<Cut> cuts_;
};

void check_problem(const FiniteMdp& mdp, const Utility& utility, const ConvexSet& ambiguity,
                   const CuttingPlaneOptions& options) {
  check_size("states of the utility", utility.states(), mdp.states());
  check_size("actions of the utility", utility.actions(), mdp.actions());
  check_size("dimension of the ambiguity set", ambiguity.dimension(), utility.nature_dimension());
  check(utility.traits().convex_in_occupancy,
        "the utility is not convex in the occupancy: there is no global certificate for it");
  check(mdp.states() * mdp.actions() <= kLargestCuttingPlaneProgram,
        "the model has {} state-action pairs, must have at most {} for cutting planes",
        mdp.states() * mdp.actions(), kLargestCuttingPlaneProgram);
  check_positive("tolerance", options.tolerance);
  check_count("iterations", options.iterations);
}

}  // namespace

GlobalSolution cutting_plane_minimum(const FiniteMdp& mdp, const Utility& utility,
                                     const ConvexSet& ambiguity,
                                     const CuttingPlaneOptions& options) {
  check_problem(mdp, utility, ambiguity, options);
  const Matrix uniform =
      Matrix::Constant(mdp.states(), mdp.actions(), 1.0 / static_cast<double>(mdp.actions()));
  GlobalSolution best{.value = kInfinity, .lower_bound = -kInfinity, .method = "cutting planes"};
  Master master(mdp);
  Matrix policy = uniform;
  while (best.iterations < options.iterations) {
    ++best.iterations;
    Matrix lambda = occupancy(mdp, policy);
    Evaluation at = evaluated(utility, ambiguity, lambda);
    master.add(std::move(at.cut));
    if (at.upper < best.value) {
      best.value = at.upper;
      best.kind = at.kind;
      best.occupancy = std::move(lambda);
      best.policy = std::move(policy);
    }
    const Master::Answer answer = master.minimum();
    best.lower_bound = std::max(best.lower_bound, answer.bound);
    if (best.gap() <= options.tolerance * std::max(std::abs(best.value), 1e-9)) {
      best.status = GlobalStatus::kCertified;
      break;
    }
    const Vector trial = kTrialStep * answer.point + (1 - kTrialStep) * flatten(best.occupancy);
    policy = policy_from_occupancy(as_matrix(trial, mdp.states(), mdp.actions()));
  }
  return best;
}

GlobalSolution global_minimum(const FiniteMdp& mdp, const Utility& utility,
                              const ConvexSet& ambiguity, double tolerance) {
  const auto* drift = dynamic_cast<const Drift*>(&utility);
  const bool maps = dynamic_cast<const FrobeniusBall*>(&ambiguity) != nullptr ||
                    dynamic_cast<const SpectralBall*>(&ambiguity) != nullptr;
  // At a degenerate radius the minimum is 0, which one cut tells.
  if (drift != nullptr && drift->smoothing() == 0 && maps &&
      ambiguity_warnings(utility, ambiguity).empty()) {
    return drift_interior_point(mdp, *drift, ambiguity, {.tolerance = tolerance});
  }
  return cutting_plane_minimum(mdp, utility, ambiguity, {.tolerance = tolerance});
}

}  // namespace rgu
