#include "rgu/mdp/nearest_mixture.hpp"

#include <algorithm>

#include "rgu/base/decompositions.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/planning.hpp"

namespace rgu {
namespace {

constexpr double kVanished = 1e-14;  // smaller weights are dropped

// Members and their weights. Members are columns of (S A).
class Mixture {
 public:
  explicit Mixture(const Vector& first) : members_(first), weights_(Vector::Ones(1)) {}

  Vector point() const { return members_ * weights_; }

  void add(const Vector& member) {
    const Index last = weights_.size();
    members_.conservativeResize(Eigen::NoChange, last + 1);
    members_.col(last) = member;
    weights_.conservativeResize(last + 1);
    weights_(last) = 0;
  }

  // Moves to the point nearest to `target` on the affine hull of the members, or as far as their
  // mixtures go; members whose weight vanishes on the way leave, and so on.
  void correct(const Vector& target) {
    while (weights_.size() > 1) {
      const Vector wanted = affine_weights(target);
      double step = 1;
      for (Index i = 0; i < wanted.size(); ++i) {
        if (wanted(i) < 0) step = std::min(step, weights_(i) / (weights_(i) - wanted(i)));
      }
      weights_ += step * (wanted - weights_);
      drop_vanished();
      if (step == 1) return;
    }
  }

 private:
  // Relative to the heaviest member, so that differences of members carry the small coefficients.
  Vector affine_weights(const Vector& target) const {
    Index heaviest = 0;
    weights_.maxCoeff(&heaviest);
    const Index last = weights_.size() - 1;
    Eigen::MatrixXd edges = members_.colwise() - members_.col(heaviest);
    edges.col(heaviest) = edges.col(last);
    const Vector shares = least_squares(edges.leftCols(last), target - members_.col(heaviest));
    Vector result(last + 1);
    result.head(last) = shares;
    result(last) = heaviest == last ? 0 : shares(heaviest);
    result(heaviest) = 0;
    result(heaviest) = 1 - result.sum();
    return result;
  }

  void drop_vanished() {
    Index kept = 0;
    for (Index i = 0; i < weights_.size(); ++i) {
      if (!(weights_(i) > kVanished)) continue;
      members_.col(kept) = members_.col(i);
      weights_(kept) = weights_(i);
      ++kept;
    }
    members_.conservativeResize(Eigen::NoChange, kept);
    weights_.conservativeResize(kept);
    weights_ /= weights_.sum();
  }

  Eigen::MatrixXd members_;
  Vector weights_;
};

}  // namespace

NearestMixture nearest_mixture(const FiniteMdp& mdp, const Matrix& target, const Matrix& start,
                               int rounds) {
  const Vector wanted = flatten(target);
  Mixture mixture(flatten(start));
  Vector point = flatten(start);
  double least = (wanted - point).squaredNorm();
  NearestMixture result;
  for (int k = 0; k <= rounds; ++k) {
    const Vector outward = wanted - point;
    const Matrix cost = -as_matrix(outward, mdp.states(), mdp.actions());
    const Vector vertex = flatten(
        occupancy(mdp, deterministic_policy(optimal_plan(mdp, cost).action, mdp.actions())));
    result.excess = std::max(0.0, outward.dot(vertex - point));
    if (k == rounds || result.excess <= 16 * kEps * outward.norm()) break;
    mixture.add(vertex);
    mixture.correct(wanted);
    const Vector next = mixture.point();
    const double square = (wanted - next).squaredNorm();
    if (!(square < least)) break;  // rounding has won
    least = square;
    point = next;
  }
  result.point = as_matrix(point, mdp.states(), mdp.actions());
  return result;
}

}  // namespace rgu
