// All unknowns are logarithms: s_i = log y_i, t = log nu, both in units of the radius. With p near
// 1 the y_i range over hundreds of orders of magnitude and with p large their powers do; with far
// points nu is huge, near the sphere tiny. In logarithms all of these are ordinary numbers.
#include "rgu/ambiguity/lp_projection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rgu {
namespace {

constexpr int kMaxSteps = 200;

double log_sum_exp(const Vector& v) {
  const double largest = v.maxCoeff();
  return largest + std::log((v.array() - largest).exp().sum());
}

// log |u|_q from the logarithms of u.
double log_norm(const Vector& log_u, double q) { return log_sum_exp(q * log_u) / q; }

struct Root {
  double s = 0;      // log y
  double slope = 0;  // ds/dt, in [-1/(p-1), 0]
};

// The root s of e^s + e^(t + (p-1) s) = u. Divided by u the left side is convex and increasing in
// s. At the start one of its two terms is 1 and the other at most 1: the root lies to the left
// and Newton's method decreases to it.
Root coordinate_root(double log_u, double t, double p) {
  double s = std::min(log_u, (log_u - t) / (p - 1));
  for (int k = 0;; ++k) {
    const double first = std::exp(s - log_u);
    const double second = std::exp(t + (p - 1) * s - log_u);
    const double derivative = first + (p - 1) * second;
    const double step = (first + second - 1) / derivative;
    if (step <= kEps * std::max(1.0, std::abs(s)) || k == kMaxSteps) {
      return {.s = s, .slope = -second / derivative};
    }
    s -= step;
  }
}

// log |y|_p^p as a function of t: decreasing, and zero at the solution.
class NormEquation {
 public:
  NormEquation(const Vector& log_u, double p) : log_u_(log_u), p_(p), s_(log_u.size()) {}

  // Value and derivative at t; keeps the s_i.
  std::pair<double, double> evaluate(double t) {
    Vector slope(s_.size());
    for (Index i = 0; i < s_.size(); ++i) {
      const Root root = coordinate_root(log_u_(i), t, p_);
      s_(i) = root.s;
      slope(i) = root.slope;
    }
    const double value = log_sum_exp(p_ * s_);
    const Vector weight = (p_ * s_.array() - value).exp();
    return {value, p_ * weight.dot(slope)};
  }

  const Vector& log_y() const { return s_; }

 private:
  const Vector& log_u_;
  double p_;
  Vector s_;
};

struct Bracket {
  double low = 0;
  double high = 0;
};

// From |y|_p = 1 follows |y^(p-1)|_q = 1, q = p/(p-1). Then u = y + nu y^(p-1) gives
// nu <= |u|_q, and |u|_p <= 1 + nu |y^(p-1)|_p gives the lower bound.
Bracket multiplier_bracket(const Vector& log_u, double p) {
  const double q = p / (p - 1);
  const double log_n = std::log(static_cast<double>(log_u.size()));
  const double log_size = std::max(kEps, log_norm(log_u, p));
  const double log_excess = log_size + std::log(-std::expm1(-log_size));  // of |u|_p - 1
  const double low = log_excess - std::max(0.0, 1 / p - 1 / q) * log_n;
  const double high = log_norm(log_u, q);
  return {.low = low - 1e-9 * (1 + std::abs(low)), .high = high + 1e-9 * (1 + std::abs(high))};
}

// Newton's method on t, by bisection where a step would leave the bracket or does not shrink.
void solve(NormEquation& equation, Bracket bracket) {
  double t = 0.5 * (bracket.low + bracket.high);
  double last_step = bracket.high - bracket.low;
  for (int k = 0; k < kMaxSteps; ++k) {
    const auto [value, derivative] = equation.evaluate(t);
    if (value == 0.0) return;
    (value > 0 ? bracket.low : bracket.high) = t;
    double next = t - value / derivative;
    const bool inside = next > bracket.low && next < bracket.high;
    if (!inside || std::abs(next - t) > 0.5 * last_step) {
      next = 0.5 * (bracket.low + bracket.high);
    }
    last_step = std::abs(next - t);
    if (last_step <= 2 * kEps * std::max(1.0, std::abs(t))) return;
    t = next;
  }
}

Vector positive_part(const Vector& values) {
  Vector kept(values.size());
  Index count = 0;
  for (const double value : values) {
    if (value > 0) kept(count++) = value;
  }
  return kept.head(count);
}

}  // namespace

Vector lp_sphere_projection(const Vector& magnitude, LpSphere sphere) {
  // Zero entries stay zero: leave them out.
  const Vector log_u = positive_part(magnitude).array().log() - std::log(sphere.radius);
  NormEquation equation(log_u, sphere.p);
  solve(equation, multiplier_bracket(log_u, sphere.p));

  // The last rounding error of the norm is removed by scaling.
  const Vector& log_y = equation.log_y();
  const double log_scale = std::log(sphere.radius) - log_norm(log_y, sphere.p);
  Vector nearest = Vector::Zero(magnitude.size());
  for (Index i = 0, k = 0; i < magnitude.size(); ++i) {
    if (magnitude(i) > 0) nearest(i) = std::min(magnitude(i), std::exp(log_y(k++) + log_scale));
  }
  return nearest;
}

}  // namespace rgu
