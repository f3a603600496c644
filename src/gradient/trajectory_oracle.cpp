#include "rgu/gradient/trajectory_oracle.hpp"

#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

// Calls visit(state, action, h) for the steps of trajectory i that were made, the last one first.
template <class Visit>
void for_each_step_backwards(const Trajectories& all, Index i, Visit visit) {
  for (Index h = all.horizon - 1; h >= 0; --h) {
    const auto at = static_cast<std::size_t>(i * all.horizon + h);
    if (all.states[at] != Trajectories::kEnded) visit(all.states[at], all.actions[at], h);
  }
}

Vector powers(double discount, Index count) {
  Vector powers(count);
  double power = 1;
  for (double& entry : powers) {
    entry = power;
    power *= discount;
  }
  return powers;
}

}  // namespace

void check_trajectories(const Trajectories& all, OccupancyShape shape) {
  check_count("horizon", all.horizon);
  check_count("number of trajectories", all.count());
  check(all.states.size() == all.actions.size() &&
            static_cast<Index>(all.states.size()) == all.count() * all.horizon,
        "trajectories have {} states and {} actions, must have m * H of both", all.states.size(),
        all.actions.size());
  for (Index i = 0; i < all.count(); ++i) {
    bool ended = false;
    for (Index h = 0; h < all.horizon; ++h) {
      const auto at = static_cast<std::size_t>(i * all.horizon + h);
      const std::int32_t state = all.states[at], action = all.actions[at];
      ended = ended || (state == Trajectories::kEnded && h > 0);
      if (ended) {
        check(state == Trajectories::kEnded && action == Trajectories::kEnded,
              "trajectory {} goes on at step {} after its end", i, h);
        continue;
      }
      check(state >= 0 && state < shape.states,
            "trajectory {} step {}: state {}, must be in 0 .. {}", i, h, state, shape.states - 1);
      check(action >= 0 && action < shape.actions,
            "trajectory {} step {}: action {}, must be in 0 .. {}", i, h, action,
            shape.actions - 1);
    }
  }
}

Matrix occupancy_of(const Trajectories& all, OccupancyShape shape, double discount) {
  const Vector weight = powers(discount, all.horizon);
  Matrix sums = Matrix::Zero(shape.states, shape.actions);
  for (Index i = 0; i < all.count(); ++i) {
    for_each_step_backwards(all, i, [&](Index s, Index a, Index h) { sums(s, a) += weight[h]; });
  }
  return (1 - discount) / static_cast<double>(all.count()) * sums;
}

Matrix score_weights_of(const Trajectories& all, const Matrix& cost, double discount) {
  const Vector weight = powers(discount, all.horizon);
  Matrix sums = Matrix::Zero(cost.rows(), cost.cols());
  for (Index i = 0; i < all.count(); ++i) {
    double suffix = 0;  // R_h
    for_each_step_backwards(all, i, [&](Index s, Index a, Index h) {
      suffix += weight[h] * cost(s, a);
      sums(s, a) += suffix;
    });
  }
  return (1 - discount) / static_cast<double>(all.count()) * sums;
}

TrajectoryOracle::TrajectoryOracle(const Parts& parts, SampledOracleOptions options)
    : parts_(parts), options_(options) {
  check(parts.discount > 0 && parts.discount < 1,
        "discount is {}, must lie strictly between 0 and 1", parts.discount);
  factor_ = gradient_factor(options.scale, parts.discount);
  for (const BatchSize& batch : {options.occupancy, options.policy}) {
    check_count("number of trajectories", batch.trajectories);
    check_count("horizon", batch.horizon);
  }
}

Trajectories TrajectoryOracle::drawn(const Matrix& pi, BatchSize batch, Rng& rng) const {
  Trajectories trajectories = parts_.source.draw(pi, batch, rng.fork());
  check_trajectories(trajectories, shape());
  return trajectories;
}

Matrix TrajectoryOracle::occupancy(const Matrix& pi, Rng& rng) const {
  return occupancy_of(drawn(pi, options_.occupancy, rng), shape(), parts_.discount);
}

SaddleGradient TrajectoryOracle::estimate(const SaddlePoint& at, Rng& rng) const {
  const Matrix pi = parts_.policy.probabilities(at.policy);
  UtilityGradient utility = parts_.utility.evaluate(occupancy(pi, rng), at.nature);
  const Matrix weight = factor_ * score_weights_of(drawn(pi, options_.policy, rng),
                                                   utility.occupancy, parts_.discount);
  return {.value = utility.value,
          .policy = parts_.policy.score(at.policy, pi, weight),
          .nature = std::move(utility.nature),
          .samples = transitions(options_.occupancy) + transitions(options_.policy)};
}

SaddleGradient TrajectoryOracle::estimate_nature(const SaddlePoint& at, Rng& rng) const {
  const Matrix pi = parts_.policy.probabilities(at.policy);
  UtilityGradient utility = parts_.utility.evaluate(occupancy(pi, rng), at.nature);
  return {.value = utility.value,
          .policy = {},
          .nature = std::move(utility.nature),
          .samples = transitions(options_.occupancy)};
}

}  // namespace rgu
