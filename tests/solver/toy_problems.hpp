// Saddle problems that can be solved by hand.
#pragma once

#include <cmath>
#include <limits>

#include "rgu/ambiguity/box.hpp"
#include "rgu/saddle/saddle_problem.hpp"
#include "rgu/solver/state.hpp"

namespace rgu::toys {

// f(theta, xi) = (a/2)|theta - p|^2 + b <theta, xi> - (c/2)|xi - q|^2, of equal lengths. Inside the
// sets the saddle point solves a (theta - p) + b xi = 0 and b theta - c (xi - q) = 0.
class Quadratic : public GradientOracle {
 public:
  double a = 1, b = 1, c = 1;
  Vector p, q;

  SaddleGradient estimate(const SaddlePoint& at, Rng& /*rng*/) const override {
    const Vector x = at.policy - p;
    const Vector y = at.nature - q;
    return {
        .value = a / 2 * x.squaredNorm() + b * at.policy.dot(at.nature) - c / 2 * y.squaredNorm(),
        .policy = a * x + b * at.nature,
        .nature = b * at.policy - c * y};
  }

  SaddlePoint saddle() const {
    const Vector theta = (a * c * p - b * c * q) / (a * c + b * b);
    return {.policy = theta,
            .nature = c > 0 ? Vector(q + b / c * theta) : Vector(a / b * (p - theta))};
  }
};

inline Quadratic quadratic() {
  Quadratic oracle;
  oracle.a = 2;
  oracle.b = 0.7;
  oracle.c = 1.5;
  oracle.p = (Vector(3) << 1, -2, 0.5).finished();
  oracle.q = (Vector(3) << 0.3, 0.1, -1).finished();
  return oracle;
}

// The same with noise drawn from the Rng.
class Noisy final : public Quadratic {
 public:
  double noise = 0.1;

  SaddleGradient estimate(const SaddlePoint& at, Rng& rng) const override {
    SaddleGradient g = Quadratic::estimate(at, rng);
    g.policy += noise * normal_vector(g.policy.size(), rng);
    g.nature += noise * normal_vector(g.nature.size(), rng);
    g.samples = 10;
    return g;
  }
};

// |theta|_1, whose gradient jumps at 0.
class AbsoluteValue final : public GradientOracle {
 public:
  SaddleGradient estimate(const SaddlePoint& at, Rng& /*rng*/) const override {
    return {.value = at.policy.lpNorm<1>(),
            .policy = at.policy.unaryExpr([](double x) { return x < 0 ? -1.0 : 1.0; }),
            .nature = Vector::Zero(at.nature.size())};
  }
};

// Sound until the policy passes 1, then `value`.
class Cliff final : public GradientOracle {
 public:
  double value = std::nan("");

  SaddleGradient estimate(const SaddlePoint& at, Rng& /*rng*/) const override {
    const bool over = at.policy(0) > 1;
    return {.value = over ? value : -at.policy(0),
            .policy = Vector::Constant(1, over ? value : -1),
            .nature = Vector::Zero(1)};
  }
};

struct Sets {
  Box policies;
  Box ambiguity;
};
inline Sets wide_sets(Index dimension) {
  return {uniform_box(dimension, {-10, 10}), uniform_box(dimension, {-10, 10})};
}

inline SolverState start_at(Index dimension, double value, std::uint64_t seed = 7) {
  SolverState state;
  state.point = {Vector::Constant(dimension, value), Vector::Constant(dimension, value)};
  state.rng = Rng(seed);
  return state;
}

inline double distance(const SaddlePoint& a, const SaddlePoint& b) {
  return std::hypot((a.policy - b.policy).norm(), (a.nature - b.nature).norm());
}

}  // namespace rgu::toys
