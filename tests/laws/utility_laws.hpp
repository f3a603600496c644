// Laws that every utility obeys, each written once. A law takes a UtilityCase and reports failures
// to GoogleTest; the samples are fixed by the seed of the case.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "rgu/base/rng.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu::laws {

struct UtilityCase {
  std::string name;  // letters and digits
  std::shared_ptr<const Utility> utility;
  double nature_norm = 1;  // laws look at |xi| <= nature_norm
  // Restricts the samples of xi, for utilities that are not defined on the whole ball.
  std::function<Vector(const Vector&)> restrict_nature = nullptr;
};

inline void PrintTo(const UtilityCase& utility_case, std::ostream* out) {
  *out << utility_case.name;
}

// Random points of the domain that the declared constants speak of.
class UtilitySampler {
 public:
  explicit UtilitySampler(const UtilityCase& utility_case) : case_(utility_case) {}

  // Positive, sum 1; each entry at least a tenth of the mean, so that differences stay inside.
  Matrix interior() {
    Matrix occupancy = simplex(1.0);
    const double size = static_cast<double>(occupancy.size());
    return (0.9 * occupancy.array() + 0.1 / size).matrix();
  }

  // In the simplex: spread out, near a face, or at a vertex, in turn.
  Matrix occupancy() {
    switch (rng_.below(3)) {
      case 0:
        return simplex(1.0);
      case 1:
        return simplex(6.0);
      default: {
        Matrix vertex = Matrix::Zero(utility().states(), utility().actions());
        vertex(static_cast<Index>(rng_.below(static_cast<std::uint64_t>(vertex.size())))) = 1;
        return vertex;
      }
    }
  }

  // In the ball; half of the time on its boundary, where constants are attained.
  Vector nature() {
    Vector xi = normal_vector(utility().nature_dimension(), rng_);
    const double radius = case_.nature_norm * (rng_.below(2) == 0 ? 1.0 : rng_.uniform());
    if (xi.size() > 0) xi *= radius / xi.norm();
    return case_.restrict_nature ? case_.restrict_nature(xi) : xi;
  }

  const Utility& utility() const { return *case_.utility; }
  Rng& rng() { return rng_; }

 private:
  // Larger `power`: mass on fewer entries.
  Matrix simplex(double power) {
    Matrix occupancy(utility().states(), utility().actions());
    for (Index i = 0; i < occupancy.size(); ++i) {
      occupancy.data()[i] = std::pow(rng_.exponential(), power);
    }
    return occupancy / occupancy.sum();
  }

  const UtilityCase& case_;
  Rng rng_{20240611};
};

// |difference| relative to |reference|, or to the scale of f itself where the reference vanishes.
inline double relative_error(double difference, double reference, double value) {
  return difference / std::max({reference, 1e-3 * std::abs(value), 1e-6});
}

// Both gradients equal central differences, also at occupancies that do not sum to 1.
inline void expect_gradients_are_derivatives(const UtilityCase& utility_case) {
  UtilitySampler sampler(utility_case);
  const Utility& utility = sampler.utility();
  constexpr double kStep = 1e-6;
  for (int trial = 0; trial < 6; ++trial) {
    Matrix occupancy = sampler.interior();
    if (trial % 2 == 1) occupancy *= sampler.rng().uniform(0.5, 1.5);
    Vector nature = sampler.nature();
    const UtilityGradient gradient = utility.evaluate(occupancy, nature);
    ASSERT_EQ(gradient.occupancy.rows(), utility.states());
    ASSERT_EQ(gradient.occupancy.cols(), utility.actions());
    ASSERT_EQ(gradient.nature.size(), utility.nature_dimension());

    const auto slope = [&](double& entry) {
      const double kept = entry;
      entry = kept + kStep;
      const double above = utility.evaluate(occupancy, nature).value;
      entry = kept - kStep;
      const double below = utility.evaluate(occupancy, nature).value;
      entry = kept;
      return (above - below) / (2 * kStep);
    };
    Matrix occupancy_slopes(occupancy.rows(), occupancy.cols());
    for (Index i = 0; i < occupancy.size(); ++i) {
      occupancy_slopes.data()[i] = slope(occupancy.data()[i]);
    }
    Vector nature_slopes(nature.size());
    for (Index i = 0; i < nature.size(); ++i) nature_slopes(i) = slope(nature(i));

    EXPECT_LT(relative_error((gradient.occupancy - occupancy_slopes).norm(),
                             gradient.occupancy.norm(), gradient.value),
              1e-6);
    EXPECT_LT(relative_error((gradient.nature - nature_slopes).norm(), gradient.nature.norm(),
                             gradient.value),
              1e-6);
  }
}

// How far f lies above its chord at a random point of a random segment in lambda (positive: not
// convex there), relative to the values at the ends.
inline double excess_over_chord_in_occupancy(UtilitySampler& sampler) {
  const Vector nature = sampler.nature();
  const Matrix first = sampler.occupancy();
  const Matrix second = sampler.occupancy();
  const double t = sampler.rng().uniform();
  const auto value = [&](const Matrix& occupancy) {
    return sampler.utility().evaluate(occupancy, nature).value;
  };
  const double scale = 1 + std::abs(value(first)) + std::abs(value(second));
  const double chord = t * value(first) + (1 - t) * value(second);
  return (value(t * first + (1 - t) * second) - chord) / scale;
}

// Convex in lambda if declared so; otherwise a segment shows that it is not.
inline void expect_declared_convexity(const UtilityCase& utility_case) {
  UtilitySampler sampler(utility_case);
  double largest = -1;
  for (int trial = 0; trial < 400; ++trial) {
    largest = std::max(largest, excess_over_chord_in_occupancy(sampler));
  }
  if (sampler.utility().traits().convex_in_occupancy) {
    EXPECT_LT(largest, 1e-12);
  } else {
    EXPECT_GT(largest, 1e-6);
  }
}

struct ConcavityRange {
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
};

// The range of (f - chord) / (t (1 - t) |xi - xi'|^2 / 2) over random segments in xi. It is >= mu
// for a mu-strongly concave f, >= 0 for a concave one, 0 for a linear one.
inline ConcavityRange sampled_concavity(const UtilityCase& utility_case) {
  UtilitySampler sampler(utility_case);
  ConcavityRange range;
  for (int trial = 0; trial < 400; ++trial) {
    const Matrix occupancy = sampler.occupancy();
    const Vector first = sampler.nature();
    const Vector second = sampler.nature();
    const double t = sampler.rng().uniform(0.2, 0.8);
    const double distance = (first - second).norm();
    if (distance < 0.1 * utility_case.nature_norm) continue;
    const auto value = [&](const Vector& nature) {
      return sampler.utility().evaluate(occupancy, nature).value;
    };
    const double gap =
        value(t * first + (1 - t) * second) - t * value(first) - (1 - t) * value(second);
    const double modulus = gap / (0.5 * t * (1 - t) * distance * distance);
    range.least = std::min(range.least, modulus);
    range.largest = std::max(range.largest, modulus);
  }
  return range;
}

// The declared shape in xi is the true one, with a witness where f is declared nonconcave.
inline void expect_declared_shape_in_nature(const UtilityCase& utility_case) {
  const Utility& utility = *utility_case.utility;
  const UtilityTraits traits = utility.traits();
  EXPECT_NO_THROW(check_traits(traits, utility.nature_dimension()));
  if (traits.nature == NatureShape::kNone) return;
  const ConcavityRange range = sampled_concavity(utility_case);
  ASSERT_LE(range.least, range.largest) << "no segment was long enough";
  constexpr double kRounding = 1e-9;
  switch (traits.nature) {
    case NatureShape::kLinear:
      EXPECT_LT(range.largest, kRounding);
      EXPECT_GT(range.least, -kRounding);
      break;
    case NatureShape::kConcave:
      EXPECT_GT(range.least, -kRounding);
      break;
    case NatureShape::kStronglyConcave:
      EXPECT_GT(range.least, traits.strong_concavity - kRounding);
      break;
    case NatureShape::kNonconcave:
      EXPECT_LT(range.least, -1e-6);
      break;
    case NatureShape::kNone:
      break;
  }
}

// The declared constants dominate gradients and difference quotients over simplex x ball.
inline void expect_declared_constants_dominate(const UtilityCase& utility_case) {
  UtilitySampler sampler(utility_case);
  const Utility& utility = sampler.utility();
  const UtilityConstants constants = utility.constants(utility_case.nature_norm);
  UtilityConstants seen{0, 0, 0, 0, 0};
  for (int trial = 0; trial < 500; ++trial) {
    const Matrix first = sampler.occupancy();
    const Vector nature = sampler.nature();
    // Far apart, or close together: a quotient is then a derivative.
    const bool close = sampler.rng().below(2) == 0;
    const double share = close ? 1e-4 : 1.0;
    const Matrix second = (1 - share) * first + share * sampler.occupancy();
    const Vector other = (1 - share) * nature + share * sampler.nature();

    const UtilityGradient here = utility.evaluate(first, nature);
    const UtilityGradient moved = utility.evaluate(second, nature);
    const UtilityGradient turned = utility.evaluate(first, other);
    const auto keep = [](double& largest, double value) { largest = std::max(largest, value); };
    keep(seen.occupancy_gradient, here.occupancy.norm());
    keep(seen.nature_gradient, here.nature.norm());
    const double step = (second - first).norm();
    if (step > 1e-8) {
      keep(seen.occupancy_lipschitz, (moved.occupancy - here.occupancy).norm() / step);
      keep(seen.cross_lipschitz, (moved.nature - here.nature).norm() / step);
    }
    const double turn = (other - nature).norm();
    if (turn > 1e-8) {
      keep(seen.nature_lipschitz, (turned.nature - here.nature).norm() / turn);
      keep(seen.cross_lipschitz, (turned.occupancy - here.occupancy).norm() / turn);
    }
  }
  const auto dominates = [](const char* what, double constant, double sample) {
    EXPECT_GE(constant, 0) << what;
    EXPECT_LE(sample, constant * (1 + 1e-6) + 1e-8) << what;
  };
  dominates("l_lambda", constants.occupancy_gradient, seen.occupancy_gradient);
  dominates("L_lambda", constants.occupancy_lipschitz, seen.occupancy_lipschitz);
  dominates("l_xi", constants.nature_gradient, seen.nature_gradient);
  dominates("L_xi", constants.nature_lipschitz, seen.nature_lipschitz);
  dominates("L_lambda,xi", constants.cross_lipschitz, seen.cross_lipschitz);
}

// Wrong shapes of either argument, and bounds on |xi| that bound nothing, throw.
inline void expect_bad_arguments_throw(const UtilityCase& utility_case) {
  const Utility& utility = *utility_case.utility;
  const Index states = utility.states();
  const Index actions = utility.actions();
  const Matrix occupancy = Matrix::Constant(states, actions, 0.1);
  const Vector nature = Vector::Constant(utility.nature_dimension(), 0.1);
  EXPECT_NO_THROW(utility.evaluate(occupancy, nature));
  EXPECT_THROW(utility.evaluate(Matrix::Zero(states + 1, actions), nature), std::invalid_argument);
  EXPECT_THROW(utility.evaluate(Matrix::Zero(states, actions + 1), nature), std::invalid_argument);
  EXPECT_THROW(utility.evaluate(occupancy, Vector::Zero(nature.size() + 1)), std::invalid_argument);
  EXPECT_THROW(utility.constants(-1), std::invalid_argument);
  EXPECT_THROW(utility.constants(std::nan("")), std::invalid_argument);
}

}  // namespace rgu::laws
