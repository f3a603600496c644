// One problem in numbers that are easy by hand.
#pragma once

#include <limits>
#include <numbers>

#include "rgu/theory/constants.hpp"

namespace rgu {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kRoot2 = std::numbers::sqrt2;

// g = 1/2, S = 2, A = 4, l_pi = sqrt 2, L_pi = 1/2, l_lambda = 3, L_lambda = 1, l_xi = 5, L_xi = 2,
// L_lambda,xi = 1, D_Theta = 3, D_Xi = 4 (together 5), D_Lambda = sqrt 2, mu = 1.
inline ProblemNumbers easy_numbers() {
  return {.discount = 0.5,
          .states = 2,
          .actions = 4,
          .policy_lipschitz = kRoot2,
          .policy_smoothness = 0.5,
          .occupancy_gradient = 3,
          .occupancy_lipschitz = 1,
          .nature_gradient = 5,
          .nature_lipschitz = 2,
          .cross_lipschitz = 1,
          .policy_diameter = 3,
          .nature_diameter = 4,
          .convex_in_occupancy = true,
          .concave_in_nature = true,
          .strong_concavity = 1};
}

inline ProblemNumbers easy_paper_numbers() {
  ProblemNumbers numbers = easy_numbers();
  numbers.scale = ConstantScale::kPaper;
  return numbers;
}

// No coupling: L_thth = 67 and L_F = 67.
inline ProblemNumbers uncoupled_numbers() {
  ProblemNumbers numbers = easy_numbers();
  numbers.cross_lipschitz = 0;
  return numbers;
}

}  // namespace rgu
