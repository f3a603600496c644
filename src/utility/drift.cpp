#include "rgu/utility/drift.hpp"

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/base/decompositions.hpp"
#include "rgu/utility/features.hpp"

namespace rgu {

namespace {

Index state_count(const DriftOptions& options) {
  check_count("number of actions", options.actions);
  check(options.features.rows() % options.actions == 0,
        "features have {} rows, must be a multiple of the {} actions", options.features.rows(),
        options.actions);
  return options.features.rows() / options.actions;
}

// d * d', before anything is made of it.
Index nature_size(const DriftOptions& options) {
  const Index columns = options.features.cols();
  check_count("dimension d of the drift", options.dimension);
  check(options.dimension <= columns,
        "dimension d of the drift is {}, must be at most the feature dimension {}",
        options.dimension, columns);
  return checked_product(
      {{"dimension d of the drift", options.dimension}, {"feature dimension", columns}});
}

// What stands in for lmin, and how much each eigenvalue counts in its gradient.
struct SoftMinimum {
  double value = 0;
  Vector weights;  // >= 0, sum 1; only the eigenvalues that count, smallest first
};

// eigenvalues: ascending. -(1/b) log sum_i exp(-b l_i), with the smallest taken out of the sum, so
// that every exponent is <= 0 and the first is 0: nothing overflows, and the logarithm is of a
// number in [1, d].
SoftMinimum soft_minimum(const Vector& eigenvalues, double smoothing) {
  const double least = eigenvalues(0);
  if (smoothing == 0) return {.value = least, .weights = Vector::Ones(1)};
  Vector weights = (-smoothing * (eigenvalues.array() - least)).exp();
  const double total = weights.sum();
  weights /= total;
  return {.value = least - std::log(total) / smoothing, .weights = std::move(weights)};
}

}  // namespace

Drift::Drift(DriftOptions options)
    : Utility({.states = state_count(options),
               .actions = options.actions,
               .nature = nature_size(options)}),
      features_(std::move(options.features)),
      dimension_(options.dimension),
      smoothing_(options.smoothing) {
  check_finite("features", features_);
  check_nonnegative("smoothing", smoothing_);
}

Matrix Drift::second_moment(const Matrix& occupancy) const {
  check_shape("occupancy", occupancy, {states(), actions()});
  const Eigen::Map<const Vector> mass(occupancy.data(), occupancy.size());
  const Matrix weighted = mass.asDiagonal() * features_;
  // Only one triangle is multiplied out.
  Matrix moment(features_.cols(), features_.cols());
  moment.triangularView<Eigen::Lower>() = features_.transpose() * weighted;
  moment.triangularView<Eigen::StrictlyUpper>() = moment.transpose();
  return moment;
}

// With eigenvectors u_i of W M W' and weights w_i, the smoothed minimum has derivative
// P = sum_i w_i u_i u_i' in W M W'. Let B = diag(sqrt w) U' W, so that W' P W = B'B. Then
//   grad_lambda f = -psi' W' P W psi = -|B psi|^2,   grad_W f = -2 P W M = -2 U diag(sqrt w) B M.
// Without smoothing w = (1) and B = u'W: the formulas of a simple eigenvalue.
UtilityGradient Drift::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  const auto map = as_matrix(nature, dimension_, features_.cols());
  const Matrix moment = second_moment(occupancy);
  const Eigen::MatrixXd seen = map * moment * map.transpose();
  const SymmetricEigen solver(seen);
  // W M W' is positive semidefinite: what is below 0 is rounding, which smoothing must not amplify.
  const SoftMinimum minimum = smoothing_ > 0
                                  ? soft_minimum(solver.eigenvalues().cwiseMax(0.0), smoothing_)
                                  : soft_minimum(solver.eigenvalues(), smoothing_);
  const Index count = minimum.weights.size();
  const Matrix vectors =
      solver.eigenvectors().leftCols(count) * minimum.weights.cwiseSqrt().asDiagonal();
  const Matrix seen_through = vectors.transpose() * map;  // B

  UtilityGradient gradient{.value = -minimum.value,
                           .occupancy = Matrix(states(), actions()),
                           .nature = Vector(nature_dimension())};
  Eigen::Map<Vector>(gradient.occupancy.data(), gradient.occupancy.size()) =
      -(features_ * seen_through.transpose()).rowwise().squaredNorm();
  Eigen::Map<Matrix>(gradient.nature.data(), dimension_, features_.cols()).noalias() =
      -2.0 * vectors * (seen_through * moment);
  return gradient;
}

UtilityTraits Drift::traits() const {
  return {.convex_in_occupancy = true,
          .nature = dimension_ == 1 ? NatureShape::kConcave : NatureShape::kNonconcave};
}

// Let R = nature_norm >= |W|, p = max |psi(s,a)|, N = |Psi| (spectral), b = smoothing; |M| <= p^2
// on the simplex; P is positive semidefinite with trace 1, so |P| <= |P|_F <= 1.
//   l_lambda. A(Y) = ((W psi_i)' Y (W psi_i))_i maps symmetric Y to R^{S*A} with
//     |A(Y)|^2 <= max |W psi_i|^2 |Psi W' Y|_F^2 <= (R p)^2 (N R)^2 |Y|_F^2, so |A| <= R^2 p N, and
//     grad_lambda = -A(P).
//   l_xi. |2 P W M|_F <= 2 R p^2.
//   P is the gradient of a spectral function of W M W'. Its Lipschitz constant (Frobenius) is that
//   of
//     the gradient of the scalar function -(1/b) log sum exp(-b l), whose Hessian is
//     -b (diag(w) - w w'), of norm <= b/2.
//   L_lambda: through A' to W M W', then P, then A: (b/2) |A|^2.
//   L_xi: 2 |P dW M| + 2 |dP W M| <= 2 p^2 + 2 (b/2)(2 R p^2)(R p^2).
//   cross: 2 |P W dM| + 2 |dP W M| <= 2 R (p N) + 2 (b/2)(R^2 p N)(R p^2).
// For d = 1 P is the constant 1, so only the terms without b remain. Plain lmin with d > 1 has a
// jump in P where the least eigenvalues meet: no Lipschitz constant.
UtilityConstants Drift::constants(double nature_norm) const {
  check_nonnegative("bound on |xi|", nature_norm);
  const double p = largest_row_norm(features_);
  const double adjoint = nature_norm * nature_norm * p * spectral_norm(features_);
  UtilityConstants constants{.occupancy_gradient = adjoint,
                             .nature_gradient = 2 * nature_norm * p * p};
  if (dimension_ > 1 && smoothing_ == 0) return constants;
  const double b = dimension_ == 1 ? 0 : smoothing_;
  constants.occupancy_lipschitz = b / 2 * adjoint * adjoint;
  constants.nature_lipschitz = 2 * p * p + 2 * b * std::pow(nature_norm * p * p, 2);
  constants.cross_lipschitz =
      2 * nature_norm * p * spectral_norm(features_) + b * adjoint * nature_norm * p * p;
  return constants;
}

}  // namespace rgu
