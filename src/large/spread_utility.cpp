#include "rgu/large/spread_utility.hpp"

#include <cmath>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/base/decompositions.hpp"
#include "rgu/robustness/drift_search.hpp"

namespace rgu {
namespace {

void check_ball(const SpreadBall& ball) {
  check_finite("centre", ball.centre);
  check_nonnegative("radius", ball.radius);
  check(ball.p >= 1, "p is {}, must be at least 1", ball.p);
}

double dot(Ranks& ranks, const Matrix& a, const Matrix& b) {
  return sum(ranks, a.cwiseProduct(b).sum());
}

// Of all entries, wherever they are: the least rank, and the first entry there, that has the
// largest value. The entry is -1 on the other ranks.
struct LargestEntry {
  double value = 0;
  Index own = -1;
};
LargestEntry largest_entry(Ranks& ranks, const Vector& entries) {
  Index at = -1;
  const double own =
      entries.size() > 0 ? entries.maxCoeff(&at) : -std::numeric_limits<double>::infinity();
  LargestEntry found{.value = largest(ranks, own)};
  const double claim = own == found.value ? -static_cast<double>(ranks.rank()) : -HUGE_VAL;
  if (largest(ranks, claim) == claim && claim > -HUGE_VAL) found.own = at;
  return found;
}

class Reward final : public SpreadUtility {
 public:
  Reward(SpreadBall rewards, Ranks& ranks) : rewards_(std::move(rewards)), ranks_(ranks) {
    check_ball(rewards_);
  }

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override {
    const Matrix reward = as_matrix(nature, occupancy.rows(), occupancy.cols());
    return {.value = -dot(ranks_, reward, occupancy),
            .occupancy = -reward,
            .nature = -flatten(occupancy)};
  }

  // The support point of -lambda: against lambda, as far as the ball goes (lp_ball.hpp).
  Vector worst(const Matrix& occupancy) const override {
    Vector xi = flatten(rewards_.centre);
    if (rewards_.radius == 0) return xi;
    const Vector mass = flatten(occupancy);
    if (rewards_.p == 1) {
      if (const Index at = largest_entry(ranks_, mass).own; at >= 0) xi(at) -= rewards_.radius;
      return xi;
    }
    if (std::isinf(rewards_.p)) {
      return xi.array() - rewards_.radius * (mass.array() > 0).cast<double>();
    }
    const double q = rewards_.p / (rewards_.p - 1);
    const double top = largest(ranks_, mass.size() > 0 ? mass.maxCoeff() : 0.0);
    if (!(top > 0)) return xi;
    const double norm = std::pow(sum(ranks_, (mass.array().max(0.0) / top).pow(q).sum()), 1 / q);
    return xi.array() - rewards_.radius * (mass.array().max(0.0) / (top * norm)).pow(q - 1);
  }

  std::optional<RewardBall> reward_ball() const override {
    if (!(rewards_.radius > 0) || std::isinf(rewards_.p)) return std::nullopt;
    return RewardBall{.centre = rewards_.centre, .radius = rewards_.radius, .p = rewards_.p};
  }

 private:
  SpreadBall rewards_;
  Ranks& ranks_;
};

class Costs final : public SpreadUtility {
 public:
  Costs(SpreadCosts costs, std::shared_ptr<const ConvexSet> set, Ranks& ranks)
      : costs_(std::move(costs)), set_(std::move(set)), ranks_(ranks) {
    const auto count = static_cast<Index>(costs_.constraints.size());
    check_finite("objective", costs_.objective);
    check_size("thresholds", costs_.thresholds.size(), count);
    check_size("dimension of the ambiguity set", set_->dimension(), count);
    for (const Matrix& cost : costs_.constraints) {
      check_shape("constraint", cost, {costs_.objective.rows(), costs_.objective.cols()});
      check_finite("constraint", cost);
    }
  }

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override {
    check_size("xi", nature.size(), costs_.thresholds.size());
    const Vector sums = all_sums(occupancy);
    UtilityGradient f{.value = 0,
                      .occupancy = costs_.objective,
                      .nature = sums.tail(nature.size()) - costs_.thresholds};
    for (Index k = 0; k < nature.size(); ++k) {
      f.occupancy += nature(k) * costs_.constraints[static_cast<std::size_t>(k)];
    }
    f.value = sums(0) + nature.dot(f.nature);
    return f;
  }

  Vector worst(const Matrix& occupancy) const override {
    const Vector sums = all_sums(occupancy);
    return set_->support_point(sums.tail(costs_.thresholds.size()) - costs_.thresholds);
  }

 private:
  // <c_0, lambda> .. <c_K, lambda>: one reduction.
  Vector all_sums(const Matrix& occupancy) const {
    Vector sums(costs_.thresholds.size() + 1);
    sums(0) = costs_.objective.cwiseProduct(occupancy).sum();
    for (Index k = 0; k < costs_.thresholds.size(); ++k) {
      sums(k + 1) = costs_.constraints[static_cast<std::size_t>(k)].cwiseProduct(occupancy).sum();
    }
    ranks_.sum(std::span(sums.data(), static_cast<std::size_t>(sums.size())));
    return sums;
  }

  SpreadCosts costs_;
  std::shared_ptr<const ConvexSet> set_;
  Ranks& ranks_;
};

OccupancyShape shape_of(const Matrix& occupancy) {
  return {.states = occupancy.rows(), .actions = occupancy.cols()};
}

class Entropy final : public SpreadUtility {
 public:
  Entropy(const SpreadEntropyOptions& options, Ranks& ranks) : options_(options), ranks_(ranks) {
    check_positive("delta of the entropy", options.delta);
  }

  UtilityGradient evaluate(const Matrix& occupancy, const Vector&) const override {
    const Vector mass = marginal(options_.over, occupancy);
    const Vector logarithm = (mass.array() + options_.delta).log();
    const Vector slope = logarithm.array() + mass.array() / (mass.array() + options_.delta);
    return {.value = sum(ranks_, mass.dot(logarithm)),
            .occupancy = marginal_pullback(options_.over, slope, shape_of(occupancy)),
            .nature = {}};
  }

  Vector worst(const Matrix&) const override { return {}; }

 private:
  SpreadEntropyOptions options_;
  Ranks& ranks_;
};

class QuadraticTarget final : public SpreadUtility {
 public:
  QuadraticTarget(SpreadBall targets, Ranks& ranks) : targets_(std::move(targets)), ranks_(ranks) {
    check_ball(targets_);
    check(targets_.p == 2 || std::isinf(targets_.p), "p is {}, must be 2 or infinity for targets",
          targets_.p);
  }

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override {
    Matrix difference = occupancy - as_matrix(nature, occupancy.rows(), occupancy.cols());
    const double value = 0.5 * sum(ranks_, difference.squaredNorm());
    Vector opposite = -flatten(difference);
    return {.value = value, .occupancy = std::move(difference), .nature = std::move(opposite)};
  }

  Vector worst(const Matrix& occupancy) const override {
    Vector xi = flatten(targets_.centre);
    if (targets_.radius == 0) return xi;
    const Vector away = xi - flatten(occupancy);
    if (std::isinf(targets_.p)) {
      return xi.array() +
             targets_.radius * (away.array() >= 0).select(Vector::Ones(xi.size()).array(), -1.0);
    }
    const double length = std::sqrt(sum(ranks_, away.squaredNorm()));
    if (length > 0) return xi + targets_.radius / length * away;
    // From the centre itself all are as far: the first coordinate of all.
    if (ranks_.leads() && xi.size() > 0) xi(0) += targets_.radius;
    return xi;
  }

 private:
  SpreadBall targets_;
  Ranks& ranks_;
};

class Divergence final : public SpreadUtility {
 public:
  Divergence(SpreadDivergence divergence, Ranks& ranks)
      : divergence_(std::move(divergence)), ranks_(ranks) {
    check_finite("target", divergence_.target);
    check_nonnegative("radius", divergence_.radius);
    check_positive("delta of the KL target", divergence_.masses.delta);
    const double least =
        -largest(ranks, divergence_.target.size() > 0 ? -divergence_.target.minCoeff() : -HUGE_VAL);
    check(least - divergence_.radius > -divergence_.masses.delta,
          "radius is {}, must be below delta + the least target = {}", divergence_.radius,
          divergence_.masses.delta + least);
  }

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override {
    const double delta = divergence_.masses.delta;
    const Vector mass = marginal(divergence_.masses.over, occupancy);
    check_size("xi", nature.size(), mass.size());
    const auto lifted = mass.array() + delta;
    const auto target = nature.array() + delta;
    const Vector ratio = (lifted / target).log();
    const Vector slope = ratio.array() + mass.array() / lifted;
    return {.value = sum(ranks_, mass.dot(ratio)),
            .occupancy = marginal_pullback(divergence_.masses.over, slope, shape_of(occupancy)),
            .nature = -mass.array() / target};
  }

  // It falls in every xi_i.
  Vector worst(const Matrix&) const override {
    return divergence_.target.array() - divergence_.radius;
  }

 private:
  SpreadDivergence divergence_;
  Ranks& ranks_;
};

class Drift final : public SpreadUtility {
 public:
  Drift(SpreadDrift drift, Ranks& ranks) : drift_(std::move(drift)), ranks_(ranks) {
    check_finite("features", drift_.features);
    check_finite("centre", drift_.centre);
    check_nonnegative("radius", drift_.radius);
    check_size("columns of the centre", drift_.centre.cols(), drift_.features.cols());
    check(drift_.centre.rows() >= 1 && drift_.centre.rows() <= drift_.centre.cols(),
          "dimension d of the drift is {}, must be in 1 .. {}, the feature dimension",
          drift_.centre.rows(), drift_.centre.cols());
  }

  // With u the eigenvector of the least eigenvalue and b = W'u (drift.cpp).
  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override {
    const Matrix moment = second_moment(occupancy);
    const Matrix map = as_matrix(nature, drift_.centre.rows(), drift_.centre.cols());
    const Eigen::MatrixXd seen = map * moment * map.transpose();
    const SymmetricEigen solver(seen);
    const Vector u = solver.eigenvectors().col(0);
    const Vector b = map.transpose() * u;
    UtilityGradient f{.value = -solver.eigenvalues()(0),
                      .occupancy = Matrix(occupancy.rows(), occupancy.cols()),
                      .nature = Vector(nature.size())};
    Eigen::Map<Vector>(f.occupancy.data(), f.occupancy.size()) =
        -(drift_.features * b).array().square();
    Eigen::Map<Matrix>(f.nature.data(), map.rows(), map.cols()) =
        -2.0 * u * (moment * b).transpose();
    return f;
  }

  Vector worst(const Matrix& occupancy) const override {
    if (drift_.radius == 0) return flatten(drift_.centre);
    return flatten(
        worst_map(second_moment(occupancy), {.centre = drift_.centre, .radius = drift_.radius})
            .map);
  }

 private:
  Matrix second_moment(const Matrix& occupancy) const {
    const Eigen::Map<const Vector> mass(occupancy.data(), occupancy.size());
    Matrix moment = drift_.features.transpose() * (mass.asDiagonal() * drift_.features);
    ranks_.sum(std::span(moment.data(), static_cast<std::size_t>(moment.size())));
    return 0.5 * (moment + moment.transpose());
  }

  SpreadDrift drift_;
  Ranks& ranks_;
};

}  // namespace

std::unique_ptr<SpreadUtility> spread_reward(SpreadBall rewards, Ranks& ranks) {
  return std::make_unique<Reward>(std::move(rewards), ranks);
}

std::unique_ptr<SpreadUtility> spread_constrained(SpreadCosts costs,
                                                  std::shared_ptr<const ConvexSet> multipliers,
                                                  Ranks& ranks) {
  return std::make_unique<Costs>(std::move(costs), std::move(multipliers), ranks);
}

std::unique_ptr<SpreadUtility> spread_entropy(const SpreadEntropyOptions& options, Ranks& ranks) {
  return std::make_unique<Entropy>(options, ranks);
}

std::unique_ptr<SpreadUtility> spread_quadratic_target(SpreadBall targets, Ranks& ranks) {
  return std::make_unique<QuadraticTarget>(std::move(targets), ranks);
}

std::unique_ptr<SpreadUtility> spread_divergence(SpreadDivergence divergence, Ranks& ranks) {
  return std::make_unique<Divergence>(std::move(divergence), ranks);
}

std::unique_ptr<SpreadUtility> spread_drift(SpreadDrift drift, Ranks& ranks) {
  return std::make_unique<Drift>(std::move(drift), ranks);
}

}  // namespace rgu
