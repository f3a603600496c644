// Variance, and its regularized form: quadratic in xi.
#include <cmath>

#include "rgu/base/decompositions.hpp"
#include "rgu/robustness/round_sets.hpp"
#include "rgu/robustness/rules.hpp"
#include "rgu/robustness/trust_region.hpp"
#include "rgu/robustness/vertices.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/variance.hpp"

namespace rgu {

namespace {

bool is_quadratic(const Utility& utility) {
  if (dynamic_cast<const Variance*>(&utility) != nullptr) return true;
  const auto* regularized = dynamic_cast<const NatureRegularized*>(&utility);
  return regularized != nullptr && is_quadratic(regularized->inner());
}

// The gradient is affine in xi: column i of the Hessian is what it changes by along e_i.
Quadratic expansion(const WorstCaseProblem& problem) {
  const Index n = problem.utility.nature_dimension();
  const UtilityGradient origin = problem.at(Vector::Zero(n));
  Eigen::MatrixXd hessian(n, n);
  for (Index i = 0; i < n; ++i) {
    hessian.col(i) = problem.at(Vector::Unit(n, i)).nature - origin.nature;
  }
  return {.constant = origin.value,
          .linear = origin.nature,
          .hessian = 0.5 * (hessian + hessian.transpose())};
}

// The function of y at xi = centre + shape y.
Quadratic pulled_back(const Quadratic& function, const BallImage& image) {
  return {.constant = function.at(image.centre),
          .linear = image.shape.transpose() * (function.linear + function.hessian * image.centre),
          .hessian = image.shape.transpose() * function.hessian * image.shape};
}

bool is_convex(const Quadratic& function) {
  const SymmetricEigen eigen(function.hessian, Eigen::EigenvaluesOnly);
  const Vector& values = eigen.eigenvalues();
  return values.minCoeff() >= -1e-12 * values.cwiseAbs().maxCoeff();
}

}  // namespace

std::optional<WorstCase> quadratic_in_nature(const WorstCaseProblem& problem) {
  if (!is_quadratic(problem.utility)) return std::nullopt;
  const Quadratic function = expansion(problem);
  if (const std::optional<BallImage> image = as_ball_image(problem.ambiguity)) {
    const Quadratic inside = pulled_back(function, *image);
    const BallMaximum best = maximise_on_unit_ball(inside);
    const double size =
        inside.linear.norm() + inside.hessian.norm() + 1e-3 * std::abs(inside.constant);
    WorstCase answer =
        bounded_answer(problem, image->centre + image->shape * best.point, best.bound, 1e-9 * size);
    answer.method =
        std::string("quadratic in xi, on a ball or an ellipsoid: a trust-region problem");
    return answer;
  }
  if (!is_convex(function)) return std::nullopt;
  std::optional<Vector> vertex =
      best_vertex(problem.ambiguity, [&](const Vector& xi) { return function.at(xi); });
  if (!vertex) return std::nullopt;
  WorstCase answer = exact_answer(problem, *std::move(vertex));
  answer.method = std::string("convex in xi: the best vertex");
  return answer;
}

}  // namespace rgu
