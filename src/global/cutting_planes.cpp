#include "rgu/global/cutting_planes.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/mdp/planning.hpp"

namespace rgu {
namespace {

// Of the way from the best point to the minimiser of the cuts: cuts alone jump from end to end.
constexpr double kCutStep = 0.4;

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

}  // namespace

CuttingPlanes::CuttingPlanes(const FiniteMdp& mdp) : mdp_(mdp), flow_(flow_matrix(mdp)) {
  check(mdp.states() * mdp.actions() <= kLargestCuttingPlaneProgram,
        "the model has {} state-action pairs, must have at most {} for cutting planes",
        mdp.states() * mdp.actions(), kLargestCuttingPlaneProgram);
}

CuttingPlanes::Minimum CuttingPlanes::minimum() const {
  const Index states = mdp_.states();
  const Index pairs = flow_.cols();
  const auto cuts = static_cast<Index>(cuts_.size());
  const Vector source = (1 - mdp_.discount()) * mdp_.start();
  LinearConstraints constraints{
      .rows = Matrix::Zero(cuts + 2 * states, pairs + 1),
      .offsets = Vector(cuts + 2 * states),
      .columns = {.lower = Vector::Zero(pairs + 1), .upper = Vector::Ones(pairs + 1)}};
  constraints.columns.lower(pairs) = -kInfinity;
  constraints.columns.upper(pairs) = kInfinity;
  double largest = 0;
  for (const Cut& cut : cuts_) {
    largest = std::max({largest, cut.slope.cwiseAbs().maxCoeff(), std::abs(cut.offset)});
  }
  const double unit = unit_of(largest);
  for (Index k = 0; k < cuts; ++k) {  // <slope, l> - t <= -offset
    const Cut& cut = cuts_[static_cast<std::size_t>(k)];
    constraints.rows.row(k).head(pairs) = flatten(cut.slope) / unit;
    constraints.rows(k, pairs) = -1;
    constraints.offsets(k) = -cut.offset / unit;
  }
  constraints.rows.block(cuts, 0, states, pairs) = flow_;
  constraints.rows.block(cuts + states, 0, states, pairs) = -flow_;
  constraints.offsets.segment(cuts, states) = source;
  constraints.offsets.tail(states) = -source;
  const LinearProgramSolution solution =
      LinearProgram(constraints).maximise(-Vector::Unit(pairs + 1, pairs));
  const Vector point = solution.point.head(pairs).cwiseMax(0.0);
  return {.point = as_matrix(point, states, mdp_.actions()),
          .minorant = mean_cut(cuts_, solution.multipliers.head(cuts))};
}

bool CuttingPlanes::advance(EnvelopeSearch& search) {
  if (cuts_.empty()) cuts_.push_back(search.best_point().cut);
  const Minimum least = minimum();
  search.plan_against(least.minorant);
  if (search.certified()) return true;
  const Matrix trial = kCutStep * least.point + (1 - kCutStep) * search.best().occupancy;
  cuts_.push_back(search.offer_policy_of(trial).cut);
  cuts_.push_back(search.offer_policy_of(least.point).cut);
  return search.certified() || !patience_.is_over(search.best().gap());
}

GlobalSolution cutting_plane_minimum(const FiniteMdp& mdp, const Utility& utility,
                                     const ConvexSet& ambiguity,
                                     const CuttingPlaneOptions& options) {
  check_count("iterations", options.iterations);
  const WholeModel model({mdp, utility, ambiguity});
  check_envelope_problem(model.problem());
  EnvelopeSearch search(model, options.tolerance);
  CuttingPlanes method(mdp);
  search.offer_policy(uniform_policy(mdp.states(), mdp.actions()));
  bool more = true;
  while (more && !search.certified() && search.best().iterations < options.iterations) {
    search.count_step("cutting planes");
    more = method.advance(search);
  }
  return search.best();
}

}  // namespace rgu
