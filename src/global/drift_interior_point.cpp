#include "rgu/global/drift_interior_point.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/decompositions.hpp"
#include "rgu/global/drift_program.hpp"
#include "rgu/global/drift_witness.hpp"
#include "rgu/global/witness_bound.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/planning.hpp"
#include "rgu/mdp/reachability.hpp"
#include "rgu/robustness/drift_search.hpp"

namespace rgu {

namespace {

using Columns = Eigen::MatrixXd;

constexpr double kRounding = 1e-13;    // of a minimum near 0, relative to max |v_i|^2
constexpr double kExact = 1e-9;        // the accuracy of an exact worst case, as in drift_rule.cpp
constexpr int kPatience = 6;           // steps that do not improve the bounds
constexpr double kLeastRadius = 1e-9;  // of the program, relative to the gain: a smaller one counts
                                       // as this

MatrixBall checked_ball(const FiniteMdp& mdp, const Drift& drift, const ConvexSet& ambiguity) {
  check(drift.states() == mdp.states() && drift.actions() == mdp.actions(),
        "drift utility is of {} states and {} actions, the model has {} and {}", drift.states(),
        drift.actions(), mdp.states(), mdp.actions());
  check(drift.smoothing() == 0 || drift.dimension() == 1,
        "smoothing of the drift utility is {}, must be 0 for the interior-point method",
        drift.smoothing());
  auto ball = as_matrix_ball(ambiguity, {drift.dimension(), drift.feature_dimension()});
  check(
      ball.has_value(),
      "ambiguity set of the drift utility must be a Frobenius, spectral or Euclidean ball of {} x "
      "{} maps for the interior-point method",
      drift.dimension(), drift.feature_dimension());
  const Columns gram = ball->centre * ball->centre.transpose();
  const SymmetricEigen eigen(gram, Eigen::EigenvaluesOnly);
  const double least = std::sqrt(std::max(eigen.eigenvalues()(0), 0.0));
  check(ball->radius < least,
        "radius of the ambiguity set is {}, must be below {}, the smallest singular value of its "
        "centre: the worst case is 0 for every policy",
        ball->radius, least);
  return *std::move(ball);
}

// Of the normal equations.
Index order_of(Index states, Index features) { return states + features * (features + 1) / 2; }

void check_order(Index states, Index features) {
  check(order_of(states, features) <= kLargestDriftOrder,
        "reachable states ({}) and products of two of the {} features are {} equations, must be at "
        "most {} for the interior-point method (their matrix takes 800 MB)",
        states, features, order_of(states, features), kLargestDriftOrder);
}

// An orthonormal basis of the span of the columns: (d', r).
Columns span_of(const Columns& vectors) {
  const Index size = vectors.rows();
  const Columns gram = vectors * vectors.transpose();
  const Vector pivots = gram.ldlt().vectorD();
  if (pivots.minCoeff() > 1e-6 * pivots.maxCoeff()) return Columns::Identity(size, size);
  return orthonormal_basis(vectors, 1e-13);
}

// The maps as the features see them: W0 = left diag(gains) (the first d columns of frame)' on the
// span of the features, to which the r columns of frame are an orthonormal basis.
struct SeenCentre {
  Columns left;   // (d, d)
  Vector gains;   // (d), descending; 0 beyond r
  Columns frame;  // (d', r)
};

SeenCentre seen_centre(const Matrix& centre, const Columns& features) {
  const Columns span = span_of(features);
  const Index d = centre.rows();
  Vector gains = Vector::Zero(d);
  if (span.cols() == 0) return {.left = Columns::Identity(d, d), .gains = gains, .frame = span};
  const SingularValues svd = full_singular_values(centre * span);
  gains.head(svd.values.size()) = svd.values;
  return {.left = svd.left, .gains = std::move(gains), .frame = span * svd.right};
}

// On a model all of whose states are reachable.
class DriftMinimum {
 public:
  DriftMinimum(const FiniteMdp& mdp, const Drift& drift, const MatrixBall& ball)
      : mdp_(mdp),
        drift_(drift),
        ball_(ball),
        centre_(seen_centre(ball_.centre, drift_.features().transpose())) {
    const Matrix& features = drift.features();
    const double radius = ball.radius;
    scale_ = ((features * ball_.centre.transpose()).rowwise().squaredNorm() +
              radius * radius * features.rowwise().squaredNorm())
                 .maxCoeff();
    best_.value = std::numeric_limits<double>::infinity();
    best_.lower_bound = -std::numeric_limits<double>::infinity();
    best_.method = "drift on a ball: interior-point method for the semidefinite program";
  }

  GlobalSolution solve(const DriftInteriorPointOptions& options);

 private:
  Vector start() const;
  DriftFactor dual_factor(const DriftProgram& program, const DriftProgramPoint& point) const;
  DriftFactor shortening_factor() const;
  void improve_value(const Matrix& policy);
  void improve_bound(const DriftFactor& factor);
  void run(const DriftInteriorPointOptions& options);
  bool proven(double tolerance) const {
    return std::isfinite(best_.gap()) && best_.gap() <= tolerance * std::abs(best_.value);
  }

  const FiniteMdp& mdp_;
  const Drift& drift_;
  const MatrixBall& ball_;
  SeenCentre centre_;
  double scale_ = 0;  // max |v_i|^2
  GlobalSolution best_;
};

// The occupancy of the uniform policy, lifted where it is tiny.
Vector DriftMinimum::start() const {
  const Vector uniform = flatten(occupancy(mdp_, uniform_policy(mdp_.states(), mdp_.actions())));
  return uniform.cwiseMax(1e-3 / static_cast<double>(uniform.size()));
}

// Z from Q and the Y_j: with Q the covariance of a vector q and Y_j that of (u_j, q_j - w_j u_j),
// u_j is what q_j tells of it and a remainder that is independent of all else.
DriftFactor DriftMinimum::dual_factor(const DriftProgram& program,
                                      const DriftProgramPoint& point) const {
  const Index d = program.rows(), r = program.order();
  Columns q = Columns::Zero(r, r + d), u = Columns::Zero(d, r + d);
  q.leftCols(r) = program.axes.transpose() * point.multiplier_factor();
  for (Index j = 0; j < d; ++j) {
    const double w = program.gains(j);
    const Eigen::Matrix2d y = point.multiplier(j);
    const double total = w * w * y(0, 0) + 2 * w * y(0, 1) + y(1, 1);
    const double shared = w * y(0, 0) + y(0, 1);
    u.row(j).head(r) = shared / total * q.row(j).head(r);
    u(j, r + j) = std::sqrt(std::max(y.determinant(), 0.0) / total);
  }
  q.topRows(d) -= program.gains.asDiagonal() * u;
  return {.directions = centre_.left * u, .moves = centre_.frame * (q / program.radius)};
}

// u and y for which W0'u + e y is shortest on the span of the features: 0 if the radius allows.
DriftFactor DriftMinimum::shortening_factor() const {
  const Index last = drift_.dimension() - 1;
  Columns move = Columns::Zero(drift_.feature_dimension(), 1);
  if (last < centre_.frame.cols() && ball_.radius > 0) {
    move = -std::min(centre_.gains(last) / ball_.radius, 1.0) * centre_.frame.col(last);
  }
  return {.directions = centre_.left.col(last), .moves = std::move(move)};
}

// The value at an exact member of Lambda: the occupancy of the policy.
void DriftMinimum::improve_value(const Matrix& policy) {
  const Matrix member = occupancy(mdp_, policy);
  const WorstMap worst = worst_map(drift_.second_moment(member), ball_);
  if (!(-worst.bound < best_.value)) return;
  Vector nature = flatten(worst.map);
  const double attained = drift_.evaluate(member, nature).value;
  const bool exact = -worst.bound - attained <= kExact * worst.scale + worst.rounding;
  best_.occupancy = member;
  best_.policy = policy;
  best_.nature = std::move(nature);
  best_.value = -worst.bound;
  best_.kind = exact ? AnswerKind::kExact : AnswerKind::kCertified;
}

// From the maps of the witness themselves, whatever rounding did to Z.
void DriftMinimum::improve_bound(const DriftFactor& factor) {
  if (!factor.directions.allFinite() || !factor.moves.allFinite()) return;
  const std::vector<DriftPiece> pieces = drift_pieces(factor, ball_);
  const Vector slope = mean_slope(pieces, drift_.features());
  PlannedBound planned = planned_bound(mdp_, as_matrix(slope, mdp_.states(), mdp_.actions()), 0,
                                       {.guess = best_.witness.potential});
  Witness witness{.pieces = {}, .potential = std::move(planned.value)};
  for (const DriftPiece& piece : pieces) {
    TangentPoint at{.nature = flatten(piece.map), .occupancy = {}, .direction = piece.direction};
    witness.pieces.push_back(
        {.weight = piece.weight, .at = std::make_shared<const TangentPoint>(std::move(at))});
  }
  const double bound = witness_bound(mdp_, drift_, witness).bound;
  if (!(bound > best_.lower_bound)) return;
  best_.lower_bound = bound;
  best_.witness = std::move(witness);
}

void DriftMinimum::run(const DriftInteriorPointOptions& options) {
  // In the coordinates in which the second moment of the start is the identity.
  const Vector lambda = start();
  const Columns seen = centre_.frame.transpose() * drift_.features().transpose();
  const Eigen::LLT<Columns> root(seen * lambda.asDiagonal() * seen.transpose());
  if (root.info() != Eigen::Success) return;
  const Index r = seen.rows();
  const DriftProgram program{
      .features = root.matrixL().solve(seen),
      .axes = root.matrixL().solve(Columns::Identity(r, r)),
      .gains = centre_.gains,
      .radius = std::max(ball_.radius, kLeastRadius * centre_.gains.minCoeff()),
      .mdp = mdp_};
  DriftProgramPoint point(program, lambda);
  int stalled = 0;
  bool moving = true;
  while (moving && !proven(options.tolerance) && best_.iterations < options.iterations &&
         stalled < kPatience) {
    moving = point.advance();
    if (moving) ++best_.iterations;
    const bool last = !moving || best_.iterations == options.iterations;
    if (!last && point.gap() > 2 * options.tolerance * std::abs(point.objective())) continue;
    const double before = best_.gap();
    improve_value(policy_from_occupancy(as_matrix(point.lambda(), mdp_.states(), mdp_.actions())));
    improve_bound(dual_factor(program, point));
    stalled = best_.gap() < 0.9 * before ? 0 : stalled + 1;
  }
}

GlobalSolution DriftMinimum::solve(const DriftInteriorPointOptions& options) {
  const bool vanishes = centre_.gains.minCoeff() <= ball_.radius;  // for every policy
  if (!vanishes) run(options);
  if (!std::isfinite(best_.gap())) {
    improve_value(uniform_policy(mdp_.states(), mdp_.actions()));
    improve_bound(shortening_factor());
  }
  if (proven(options.tolerance) || best_.gap() <= kRounding * scale_) {
    best_.status = GlobalStatus::kCertified;
  }
  return std::move(best_);
}

Matrix rows_of(const Matrix& matrix, const std::vector<Index>& states, Index actions) {
  Matrix rows(std::ssize(states) * actions, matrix.cols());
  for (Index k = 0; k < std::ssize(states); ++k) {
    rows.middleRows(k * actions, actions) =
        matrix.middleRows(states[static_cast<std::size_t>(k)] * actions, actions);
  }
  return rows;
}

// Values V of the unreachable states, those of the reachable ones given, so low that V <= slope + g
// P V + e holds there, whatever the successors.
double value_elsewhere(const FiniteMdp& mdp, const Matrix& slope, const Vector& known, double e) {
  const double left = 1 - mdp.discount();
  const double value = std::min(known.minCoeff(), (slope.minCoeff() + e) / left);
  return value - (1e-6 + 4 * FiniteMdp::kRowSumTolerance / left) * std::abs(value);
}

// The solution on the reachable states, for the whole model. e: the shortfall of its witness.
GlobalSolution expanded(GlobalSolution solution, const std::vector<Index>& states, double e,
                        const FiniteMdp& mdp, const Drift& drift) {
  Matrix slope = Matrix::Zero(mdp.states(), mdp.actions());
  for (const WitnessPiece& piece : solution.witness.pieces) {
    slope += piece.weight * tangent(drift, *piece.at).slope;
  }
  const Matrix policy = std::exchange(solution.policy, uniform_policy(mdp.states(), mdp.actions()));
  const Vector known = std::move(solution.witness.potential);
  solution.witness.potential =
      Vector::Constant(mdp.states(), value_elsewhere(mdp, slope, known, e));
  for (Index k = 0; k < std::ssize(states); ++k) {
    const Index s = states[static_cast<std::size_t>(k)];
    solution.policy.row(s) = policy.row(k);
    solution.witness.potential(s) = known(k);
  }
  solution.occupancy = occupancy(mdp, solution.policy);
  return solution;
}

GlobalSolution reachable_minimum(const FiniteMdp& mdp, const Drift& drift, const MatrixBall& ball,
                                 const DriftInteriorPointOptions& options) {
  const std::vector<Index> states = reachable_states(mdp);
  check_order(std::ssize(states), drift.feature_dimension());
  if (std::ssize(states) == mdp.states()) return DriftMinimum(mdp, drift, ball).solve(options);
  const FiniteMdp inside = restricted_model(mdp, states);
  const Drift seen({.actions = mdp.actions(),
                    .features = rows_of(drift.features(), states, mdp.actions()),
                    .dimension = drift.dimension()});
  GlobalSolution solution = DriftMinimum(inside, seen, ball).solve(options);
  const double e = witness_bound(inside, seen, solution.witness).shortfall;
  return expanded(std::move(solution), states, e, mdp, drift);
}

// The same utility, if W has one row.
Drift without_smoothing(const Drift& drift) {
  return Drift(
      {.actions = drift.actions(), .features = drift.features(), .dimension = drift.dimension()});
}

}  // namespace

Index drift_program_order(const FiniteMdp& mdp, const Drift& drift) {
  return order_of(mdp.states(), drift.feature_dimension());
}

GlobalSolution drift_interior_point(const FiniteMdp& mdp, const Drift& drift,
                                    const ConvexSet& ambiguity,
                                    const DriftInteriorPointOptions& options) {
  check_positive("tolerance", options.tolerance);
  check_count("number of iterations", options.iterations);
  const MatrixBall ball = checked_ball(mdp, drift, ambiguity);
  const bool plain = drift.smoothing() == 0;
  GlobalSolution solution = plain ? reachable_minimum(mdp, drift, ball, options)
                                  : reachable_minimum(mdp, without_smoothing(drift), ball, options);
  for (WitnessPiece& piece : solution.witness.pieces) {
    TangentPoint at = *piece.at;
    at.occupancy = solution.occupancy;
    if (!plain) at.direction.resize(0);  // the gradient is the same
    piece.at = std::make_shared<const TangentPoint>(std::move(at));
  }
  return solution;
}

}  // namespace rgu
