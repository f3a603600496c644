#include "rgu/global/policy_descent.hpp"

#include <cmath>

namespace rgu {
namespace {

constexpr double kLeastProbability = 1e-12;  // what is 0 could never come back
constexpr double kAccepted = 0.1;            // share of the promised descent
constexpr double kGood = 0.5;
constexpr int kBacktracks = 12;

// pi exp(-eta (Q - min Q)) / Z.
Matrix tilted(const Matrix& policy, const Matrix& q, double eta) {
  Matrix next = policy.cwiseMax(kLeastProbability);
  for (Index s = 0; s < next.rows(); ++s) {
    const double least = q.row(s).minCoeff();
    next.row(s).array() *= (-eta * (q.row(s).array() - least)).exp();
    next.row(s) = next.row(s).cwiseMax(kLeastProbability * next.row(s).maxCoeff()).eval();
    next.row(s) /= next.row(s).sum();
  }
  return next;
}

// One over the spread of Q within a state, on average over the states visited.
double first_step(const Matrix& occupancy, const Matrix& q) {
  double spread = 0;
  for (Index s = 0; s < q.rows(); ++s) {
    spread += occupancy.row(s).sum() * (q.row(s).maxCoeff() - q.row(s).minCoeff());
  }
  return spread > 0 ? 1 / spread : 1;
}

}  // namespace

void PolicyDescent::begin(const EnvelopeSearch& search) {
  policy_ = search.best().policy.cwiseMax(kLeastProbability);
  policy_.array().colwise() /= policy_.rowwise().sum().array().eval();
  evaluation_ = std::make_unique<PolicyEvaluation>(search.problem().mdp, policy_);
  point_ = envelope_at(search.problem(), evaluation_->occupancy(), search.best().nature);
}

bool PolicyDescent::step(EnvelopeSearch& search) {
  const EnvelopeProblem& problem = search.problem();
  const Matrix q = evaluation_->action_value(point_.cut.slope);
  if (eta_ == 0) eta_ = first_step(point_.occupancy, q);
  for (int i = 0; i < kBacktracks; ++i) {
    Matrix policy = tilted(policy_, q, eta_);
    auto evaluation = std::make_unique<PolicyEvaluation>(problem.mdp, policy);
    EnvelopePoint point = envelope_at(problem, evaluation->occupancy(), point_.nature);
    const double promised = point_.cut.slope.cwiseProduct(point.occupancy - point_.occupancy).sum();
    const double descent = point.value - point_.value;
    if (promised < 0 && descent <= kAccepted * promised) {
      if (descent <= kGood * promised) eta_ *= 2;
      policy_ = std::move(policy);
      evaluation_ = std::move(evaluation);
      point_ = std::move(point);
      search.offer(point_, policy_);
      return true;
    }
    eta_ /= 4;
  }
  return false;
}

bool PolicyDescent::advance(EnvelopeSearch& search) {
  if (!evaluation_) begin(search);
  if (!step(search)) return false;
  search.plan_against(point_.cut);
  return search.certified() || !patience_.is_over(search.best().gap());
}

}  // namespace rgu
