#include "rgu/global/policy_descent.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/ambiguity/simplex.hpp"

namespace rgu {
namespace {

constexpr double kLeastProbability = 1e-12;  // what is 0 could never come back
constexpr double kAccepted = 0.1;            // share of the promised descent
constexpr double kGood = 0.5;
constexpr int kBacktracks = 12;
constexpr double kFar = 1e6;  // beyond this a probability is 0 in any case
constexpr int kContest = 5;   // steps between two trials of both geometries

// At least kLeastProbability of the largest, summing to 1.
void settle(Eigen::Ref<Eigen::RowVectorXd> row) {
  row = row.cwiseMax(kLeastProbability * row.maxCoeff()).eval();
  row /= row.sum();
}

// pi exp(-eta (Q - min Q)) / Z.
Matrix tilted(const Matrix& policy, const Matrix& q, double eta) {
  Matrix next = policy.cwiseMax(kLeastProbability);
  for (Index s = 0; s < next.rows(); ++s) {
    const double least = q.row(s).minCoeff();
    next.row(s).array() *= (-eta * (q.row(s).array() - least)).exp();
    settle(next.row(s));
  }
  return next;
}

// proj(pi - eta (Q - min Q) / d) for each state, d its visits.
Matrix shifted(const Matrix& policy, const Matrix& q, const Matrix& occupancy, double eta) {
  Matrix next(policy.rows(), policy.cols());
  for (Index s = 0; s < next.rows(); ++s) {
    const double visits = std::max(occupancy.row(s).sum(), 1e-300);
    const double least = q.row(s).minCoeff();
    const Vector moved =
        policy.row(s).array() - ((q.row(s).array() - least) * (eta / visits)).min(kFar);
    next.row(s) = nearest_on_simplex(moved, 1);
    settle(next.row(s));
  }
  return next;
}

// What the spread of Q within a state is, on average over the states visited.
double mean_spread(const Matrix& occupancy, const Matrix& q) {
  double spread = 0;
  for (Index s = 0; s < q.rows(); ++s) {
    spread += occupancy.row(s).sum() * (q.row(s).maxCoeff() - q.row(s).minCoeff());
  }
  return spread;
}

}  // namespace

PolicyDescent::Candidate PolicyDescent::evaluated(const EnvelopeModel& model, Matrix policy,
                                                  const Vector& hint) {
  auto evaluation = model.evaluated(policy);
  EnvelopePoint point = model.at(evaluation->occupancy(), hint);
  return {
      .policy = std::move(policy), .evaluation = std::move(evaluation), .point = std::move(point)};
}

PolicyDescent::Candidate PolicyDescent::stepped(const EnvelopeModel& model, const Matrix& q,
                                                Geometry geometry) {
  double& eta = eta_[geometry];
  if (eta == 0) {
    const double spread = model.sum(mean_spread(at_.point.occupancy, q));
    eta = spread > 0 ? 1 / spread : 1;
    // A change of order 1 in probabilities of states that are visited as often as all.
    if (geometry == kAbsolute) eta /= static_cast<double>(model.states());
  }
  for (int i = 0; i < kBacktracks; ++i) {
    Candidate next =
        evaluated(model,
                  geometry == kRelative ? tilted(at_.policy, q, eta)
                                        : shifted(at_.policy, q, at_.point.occupancy, eta),
                  at_.point.nature);
    const double promised =
        model.dot(at_.point.cut.slope, next.point.occupancy - at_.point.occupancy);
    const double descent = next.point.value - at_.point.value;
    if (promised < 0 && descent <= kAccepted * promised) {
      if (descent <= kGood * promised) eta *= 2;
      return next;
    }
    eta /= 4;
  }
  eta = 0;  // begin anew when asked again
  return {};
}

bool PolicyDescent::step(EnvelopeSearch& search) {
  const EnvelopeModel& model = search.model();
  const Matrix q = at_.evaluation->action_value(at_.point.cut.slope);
  Candidate next = stepped(model, q, geometry_);
  if (steps_++ % kContest == 0 || !next.evaluation) {
    const Geometry other = geometry_ == kRelative ? kAbsolute : kRelative;
    Candidate rival = stepped(model, q, other);
    if (rival.evaluation && (!next.evaluation || rival.point.value < next.point.value)) {
      next = std::move(rival);
      geometry_ = other;
    }
  }
  if (!next.evaluation) return false;
  at_ = std::move(next);
  search.offer(at_.point, at_.policy);
  return true;
}

bool PolicyDescent::advance(EnvelopeSearch& search) {
  if (!at_.evaluation) {
    Matrix policy = search.best().policy.cwiseMax(kLeastProbability);
    policy.array().colwise() /= policy.rowwise().sum().array().eval();
    at_ = evaluated(search.model(), std::move(policy), search.best().nature);
  }
  if (!step(search)) return false;
  search.plan_against(at_.point.cut);
  return search.certified() || !patience_.is_over(search.best().gap());
}

}  // namespace rgu
