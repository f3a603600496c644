#include "rgu/global/reward_interior_point.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/global/step_inside.hpp"
#include "rgu/mdp/planning.hpp"

namespace rgu {
namespace {

constexpr double kUnvisited = 1e-10;  // share of the start that goes to all states alike
constexpr int kSweeps = 20;           // of the values at the start
constexpr double kInside = 0.995;     // of the longest step
constexpr double kPredicted = 0.1;    // accuracy of the directions, as a share of the gap
constexpr double kCorrected = 0.01;
constexpr double kMassAccuracy = 0.1;  // and as a share of 1 - g, all that flows in
constexpr double kAskAt = 2;           // bounds are asked for at this many times the gap wanted
constexpr int kLook = 5;               // steps between two policies that are evaluated before
constexpr int kMostFlowSteps = 100;
constexpr int kFlowPatience = 4;  // steps that bring no smaller gap, once close

// radius |lambda|_q with gradient and the diagonal of its curvature.
struct NormTerm {
  double value = 0;
  Matrix slope;
  Matrix stiffness;
};
NormTerm norm_term(const EnvelopeModel& model, const RewardBall& ball, const Matrix& lambda) {
  const double q = ball.p / (ball.p - 1);
  const double top = model.largest(lambda.size() > 0 ? lambda.maxCoeff() : 0.0);
  const double norm = top * std::pow(model.sum((lambda.array() / top).pow(q).sum()), 1 / q);
  const Matrix share = lambda / norm;
  return {.value = ball.radius * norm,
          .slope = ball.radius * share.array().pow(q - 1),
          .stiffness = ball.radius * (q - 1) / norm * share.array().pow(q - 2)};
}

}  // namespace

// From the uniform policy, with all products alike: dual residuals are large at first, and cost a
// step or two; products that differ cost many more.
void RewardInteriorPoint::begin(const EnvelopeModel& model) {
  const Index rows = model.own_states(), actions = model.actions();
  const double states = static_cast<double>(model.states());
  const Matrix uniform = uniform_policy(rows, actions);
  const double all = 1 / (states * static_cast<double>(actions));
  lambda_ = (1 - kUnvisited) * model.evaluated(uniform)->occupancy().array() + kUnvisited * all;
  source_ =
      (1 - model.discount()) * ((1 - kUnvisited) * model.start().array() + kUnvisited / states);
  // Reduced costs of the uniform policy, as if the adversary took the same everywhere. A few
  // sweeps, then the shift that is left if the model has mixed: the start needs no more.
  Matrix q = -ball_.centre;
  Vector before = Vector::Zero(rows);
  v_ = q.rowwise().mean();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    before = v_;
    q = model.discount() * model.expected_next(v_) - ball_.centre;
    v_ = q.rowwise().mean();
  }
  const double growth = model.sum((v_ - before).sum()) / states;
  v_.array() += growth * model.discount() / (1 - model.discount());
  q.array() += growth * model.discount() / (1 - model.discount());
  Matrix reduced = q;
  reduced.colwise() -= v_;
  const double least = -model.largest(reduced.size() > 0 ? -reduced.minCoeff() : -kInfinity);
  // The adversary's loss against the uniform policy: with smaller products at the start its
  // multipliers would be far from adding up to the radius.
  const double loss =
      ball_.p > 1 ? norm_term(model, ball_, lambda_).value
                  : ball_.radius * model.largest(lambda_.size() > 0 ? lambda_.maxCoeff() : 0.0);
  const double smallest = 1e-12 * model.largest(q.size() > 0 ? q.cwiseAbs().maxCoeff() : 0.0);
  const double mean = std::max({-least, loss, smallest});
  count_ = states * static_cast<double>(actions);
  const double product = mean > 0 ? mean / count_ : 1 / count_;
  z_ = product * lambda_.cwiseInverse();
  if (ball_.p == 1) {
    ceilings_.emplace(model, Ceilings::Budget{.total = ball_.radius, .most = ball_.most}, lambda_,
                      product);
    count_ += ceilings_->count();
  }
}

void RewardInteriorPoint::measure(const EnvelopeModel& model) {
  double term = 0;
  if (ceilings_) {
    ceilings_->measure(lambda_);
    taken_ = ceilings_->multipliers();
    curvature_.stiffness = ceilings_->stiffness();
    curvature_.idle = Matrix::Ones(lambda_.rows(), lambda_.cols());
    term = ceilings_->total() * ceilings_->ceiling();
  } else {
    NormTerm norm = norm_term(model, ball_, lambda_);
    taken_ = std::move(norm.slope);
    curvature_.stiffness = std::move(norm.stiffness);
    curvature_.idle = lambda_;
    term = norm.value;
  }
  curvature_.barrier = z_.cwiseQuotient(lambda_);
  dual_ = taken_ - ball_.centre - gains_of(model, v_) - z_;
  primal_ = source_ - flow_of(model, lambda_);
  const double linear = -model.dot(ball_.centre, lambda_);
  value_ = linear + term;
  scale_ = std::max(std::abs(linear), std::abs(term));
  products_ = model.dot(lambda_, z_) + (ceilings_ ? ceilings_->products() : 0.0);
}

// C dlambda - A'dv = right, A dlambda = primal, where C is the curvature and `right` what all but
// these two want.
RewardInteriorPoint::Direction RewardInteriorPoint::direction(const EnvelopeModel& model,
                                                              const FlowSystem& system,
                                                              double target,
                                                              const Direction* predicted,
                                                              double accuracy) {
  const auto products = predicted != nullptr
                            ? Matrix(target - predicted->lambda.array() * predicted->z.array())
                            : Matrix::Constant(z_.rows(), z_.cols(), target);
  Direction move;
  move.z = products.cwiseQuotient(lambda_) - z_;
  Matrix right = move.z - dual_;
  Matrix pull;
  double shift = 0;
  const Ceilings::Direction* foreseen = predicted != nullptr ? &predicted->ceilings : nullptr;
  if (ceilings_) {
    pull = ceilings_->pull(target, foreseen);
    shift = ceilings_->shift(pull);
    right += shift * curvature_.stiffness - pull;
  }
  const Vector visits = lambda_.rowwise().sum();
  const Vector balance = primal_ - flow_of(model, system.divided(right));
  const double tolerance = std::min(accuracy * std::min(1.0, products_ / scale_),
                                    kMassAccuracy * (1 - model.discount()));
  move.v = system.solve(balance, predicted != nullptr ? predicted->v : Vector(), visits, tolerance)
               .value;
  move.lambda = system.divided(right + gains_of(model, move.v));
  move.z -= curvature_.barrier.cwiseProduct(move.lambda);
  if (ceilings_) {
    move.ceilings = ceilings_->direction(target, foreseen, pull, shift, move.lambda);
  }
  return move;
}

RewardInteriorPoint::Steps RewardInteriorPoint::longest(const EnvelopeModel& model,
                                                        const Direction& move) const {
  Steps steps{.primal = step_inside(lambda_, move.lambda), .dual = step_inside(z_, move.z)};
  if (ceilings_) {
    steps.primal = std::min(steps.primal, ceilings_->primal_step(move.ceilings));
    steps.dual = std::min(steps.dual, ceilings_->dual_step(move.ceilings));
  } else {  // the dual equations are not linear in lambda
    steps.primal = steps.dual = std::min(steps.primal, steps.dual);
  }
  steps.primal = -model.largest(-steps.primal);
  steps.dual = -model.largest(-steps.dual);
  const auto inside = [](double step) { return step < 1 ? kInside * step : 1.0; };
  return {.primal = inside(steps.primal), .dual = inside(steps.dual)};
}

double RewardInteriorPoint::products_after(const EnvelopeModel& model, const Direction& move,
                                           Steps steps) const {
  const double own =
      ((lambda_ + steps.primal * move.lambda).array() * (z_ + steps.dual * move.z).array()).sum();
  return model.sum(own) +
         (ceilings_ ? ceilings_->products_after(move.ceilings, steps.primal, steps.dual) : 0.0);
}

bool RewardInteriorPoint::step(const EnvelopeModel& model) {
  const FlowSystem system(model, curvature_);
  const Direction predicted = direction(model, system, 0, nullptr, kPredicted);
  const double left = products_after(model, predicted, longest(model, predicted)) / products_;
  const double share = std::clamp(left * left * left, 1e-3, 1.0);
  const Direction move =
      direction(model, system, share * products_ / count_, &predicted, kCorrected);
  const Steps steps = longest(model, move);
  const double size = model.sum(move.lambda.sum() + move.z.sum());
  if (!std::isfinite(size) || std::max(steps.primal, steps.dual) < 1e-8) return false;
  lambda_ += steps.primal * move.lambda;
  z_ += steps.dual * move.z;
  v_ += steps.dual * move.v;
  if (ceilings_) ceilings_->move_by(move.ceilings, steps.primal, steps.dual);
  measure(model);
  return true;
}

void RewardInteriorPoint::prove(EnvelopeSearch& search) {
  const EnvelopePoint there = search.offer_policy_of(lambda_);
  if (search.certified()) return;
  const EnvelopeModel& model = search.model();
  Matrix taken = ceilings_ ? ceilings_->feasible_multipliers()
                           : norm_term(model, ball_, there.occupancy).slope;
  // So that centre - taken is in the ball although every entry is rounded.
  const double largest =
      model.largest(ball_.centre.size() > 0 ? ball_.centre.cwiseAbs().maxCoeff() : 0.0);
  const double pairs = static_cast<double>(model.states() * model.actions());
  taken *= 1 - std::min(1e-6, 4 * kEps * (1 + pairs * largest / ball_.radius));
  const Matrix rewards = ball_.centre - taken;
  search.plan_against(model.tangent(there.occupancy, flatten(rewards)), {.guess = v_});
}

bool RewardInteriorPoint::advance(EnvelopeSearch& search) {
  const EnvelopeModel& model = search.model();
  if (steps_ == 0) {
    begin(model);
    measure(model);
  }
  const bool moved = step(model);
  ++steps_;
  const bool last = !moved || steps_ >= kMostFlowSteps;
  if (last || products_ <= kAskAt * search.wanted_gap()) {
    prove(search);
    if (search.certified()) return true;
    idle_ = search.excess() < 0.8 * least_excess_ ? 0 : idle_ + 1;
    least_excess_ = std::min(least_excess_, search.excess());
  } else if (steps_ % kLook == 0) {
    search.offer_policy_of(lambda_);
  }
  return !last && idle_ < kFlowPatience;
}

}  // namespace rgu
