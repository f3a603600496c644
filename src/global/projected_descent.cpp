#include "rgu/global/projected_descent.hpp"

#include <cmath>
#include <limits>

#include "rgu/mdp/flow_newton.hpp"

namespace rgu {
namespace {

constexpr double kRelaxation = 0.9;  // of L after a step, so that it can fall again
constexpr int kDoublings = 60;
constexpr double kVanished = 1e-15;  // of a step: nothing moves

// What rounding may do to a value: near the optimum steps still mend the gradient, and with it the
// bound, when values no longer tell.
double rounding_of(double value, const Cut& cut) {
  return 1e-12 * std::abs(value) + 1e-15 * cut.slope.cwiseAbs().maxCoeff();
}

}  // namespace

EnvelopePoint ProjectedDescent::stepped(const EnvelopePoint& from) {
  const Matrix& slope = from.cut.slope;
  if (curvature_ == 0) curvature_ = std::max(slope.norm(), std::numeric_limits<double>::min());
  for (int i = 0;; ++i) {
    // The multipliers of a step of length 1/L are about 1/L times those of the optimum.
    FlowProjection projected =
        project_onto_flows(problem_.mdp, from.occupancy - slope / curvature_,
                           multipliers_.size() > 0 ? Vector(multipliers_ / curvature_) : Vector());
    multipliers_ = curvature_ * projected.multipliers;
    Matrix next = projected.point.cwiseMax(0.0);
    const Matrix move = next - from.occupancy;
    EnvelopePoint point = envelope_at(problem_, std::move(next), from.nature);
    const double bend = 0.5 * curvature_ * move.squaredNorm();
    const double model = from.value + slope.cwiseProduct(move).sum() + bend;
    const double rounding = rounding_of(model, from.cut);
    // A bend below rounding tells nothing by values; gradients still do.
    const bool fits = bend > 10 * rounding
                          ? point.value <= model + rounding
                          : (point.cut.slope - slope).norm() <= curvature_ * move.norm();
    if (fits || i == kDoublings) return point;
    curvature_ *= 2;
  }
}

bool ProjectedDescent::advance(EnvelopeSearch& search) {
  if (before_.size() == 0) {
    point_ = search.best_point();
    before_ = point_.occupancy;
  }
  const double next_momentum = 0.5 * (1 + std::sqrt(1 + 4 * momentum_ * momentum_));
  const double weight = (momentum_ - 1) / next_momentum;
  const Matrix ahead = point_.occupancy + weight * (point_.occupancy - before_);
  const EnvelopePoint from =
      weight > 0 ? envelope_at(problem_, ahead.cwiseMax(0.0), point_.nature) : point_;
  EnvelopePoint next = stepped(from);
  momentum_ = next_momentum;
  const double highest = point_.value + rounding_of(point_.value, point_.cut);
  const double against =
      (from.occupancy - next.occupancy).cwiseProduct(next.occupancy - point_.occupancy).sum();
  if (weight > 0 && (next.value > highest || against > 0)) momentum_ = 1;
  if (next.value > highest && weight > 0) next = stepped(point_);
  if (!(next.value <= highest)) return false;
  const double move = (next.occupancy - point_.occupancy).norm();
  before_ = std::move(point_.occupancy);
  point_ = std::move(next);
  curvature_ *= kRelaxation;
  search.offer_member(point_);
  search.plan_against(point_.cut);
  if (search.certified()) return true;
  return move > kVanished && !patience_.is_over(search.best().gap());
}

}  // namespace rgu
