#include "rgu/global/drift_program.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "rgu/base/decompositions.hpp"
#include "rgu/base/lapack.hpp"
#include "rgu/global/drift_newton.hpp"
#include "rgu/global/step_inside.hpp"

namespace rgu {

namespace {

using Columns = Eigen::MatrixXd;
using Eigen::Matrix2d;
using Eigen::Vector2d;

constexpr double kNoStep = 1e-8;    // no progress
constexpr double kShortStep = 0.1;  // so short that the direction may be inaccurate
constexpr double kHarmless = 0.01;  // an error of a step, relative to the gap

// G_j, linear in (h_j, kappa, t)
Matrix2d small_block(double gain, double h, double kappa, double t) {
  return Matrix2d{{gain * gain * h - t, gain * h}, {gain * h, h + kappa}};
}

}  // namespace

Columns DriftProgram::moment(const Vector& lambda) const {
  const Columns weighted = features * lambda.asDiagonal();
  return product_transposed(weighted, features);
}

Vector DriftProgram::costs(const Columns& form) const {
  return product(form, features).cwiseProduct(features).colwise().sum().transpose();
}

Columns DriftProgram::on_axes(const Vector& free) const {
  Vector weights(order());
  weights << -free.head(rows()), Vector::Constant(order() - rows(), free(rows()));
  const Columns weighted = axes * weights.asDiagonal();
  return product_transposed(weighted, axes);
}

Vector DriftProgram::on_free(const Columns& form) const {
  const Vector values = product(form, axes).cwiseProduct(axes).colwise().sum().transpose();
  Vector result(rows() + 2);
  result << -values.head(rows()), values.tail(order() - rows()).sum(), 0;
  return result;
}

Vector DriftProgram::balance(const Vector& y) const {
  Matrix result = -mdp.discount() * mdp.expected_next(y);
  result.colwise() += y;
  return flatten(result);
}

Vector DriftProgram::outflow(const Vector& lambda) const {
  const Matrix mass = as_matrix(lambda, mdp.states(), mdp.actions());
  return mass.rowwise().sum() - mdp.discount() * mdp.push_forward(mass);
}

Matrix DriftProgram::balance_matrix() const {
  Matrix result =
      -mdp.discount() * (mdp.is_sparse() ? Matrix(mdp.sparse_kernel()) : mdp.dense_kernel());
  for (Index i = 0; i < result.rows(); ++i) result(i, i / mdp.actions()) += 1;
  return result;
}

struct DriftProgramPoint::Direction {
  Vector lambda, slack, y, free;
  Columns first, second;  // scaled
  std::vector<Matrix2d> small_first, small_second;
};

namespace {

// R with H = R'R, H the Hessian of (h, kappa, t): the scaled G_j as functions of (h_j, kappa, t)
// have three rows each, R is that of their QR factors.
Columns curvature_root(const DriftProgram& program, const std::vector<ScaledPair<2>>& small) {
  const Index d = program.rows();
  Columns rows = Columns::Zero(3 * d, d + 2);
  for (Index j = 0; j < d; ++j) {
    const Matrix2d& from = small[static_cast<std::size_t>(j)].from_first();
    const auto put = [&](Index column, const Vector2d& v, double sign) {
      const Vector2d seen = from * v;
      rows.col(column).segment<3>(3 * j) =
          sign * Eigen::Vector3d(seen(0) * seen(0), std::numbers::sqrt2 * seen(0) * seen(1),
                                 seen(1) * seen(1));
    };
    put(j, {program.gains(j), 1}, 1);
    put(d, {0, 1}, 1);
    put(d + 1, {1, 0}, -1);
  }
  return triangular_factor(rows);
}

}  // namespace

// h = 0, t = -level and some kappa are feasible for every occupancy. The multipliers are those with
// F Q and G_j Y_j proportional to the identity, though they fail the dual equations.
struct DriftProgramPoint::Start {
  Vector lambda, free;
  Columns first, second;
  std::vector<Matrix2d> small_first, small_second;

  Start(const DriftProgram& program, Vector occupancy);
};

DriftProgramPoint::Start::Start(const DriftProgram& program, Vector occupancy)
    : lambda(std::move(occupancy)) {
  const Index d = program.rows();
  const Vector& w = program.gains;
  // The harmonic mean of the eigenvalues of W0 M W0' if M is the identity in these coordinates.
  const Columns inverse = program.axes.inverse();
  const Columns seen = w.asDiagonal() * inverse.topRows(d);
  const Eigen::LLT<Columns> factor(product_transposed(seen, seen));
  const double level =
      static_cast<double>(d) / factor.matrixL().solve(Columns::Identity(d, d)).squaredNorm();
  free = Vector::Zero(d + 2);
  free(d) = level / (program.radius * w.minCoeff());
  free(d + 1) = -level;
  const double trace = 1.0 / static_cast<double>(d);
  for (Index j = 0; j < d; ++j) {
    small_first.push_back(small_block(w(j), free(j), free(d), free(d + 1)));
    small_second.push_back(Matrix2d{{trace, 0}, {0, trace * level / free(d)}});
  }
  first = program.moment(lambda) + program.on_axes(free);
  second = trace * level * first.inverse();
}

DriftProgramPoint::DriftProgramPoint(const DriftProgram& program, Vector lambda)
    : DriftProgramPoint(program, Start(program, std::move(lambda))) {}

DriftProgramPoint::DriftProgramPoint(const DriftProgram& program, Start start)
    : program_(program),
      lambda_(std::move(start.lambda)),
      free_(std::move(start.free)),
      pair_(start.first, start.second),
      few_pairs_(lambda_.size() + program.rows() < program.products()) {
  for (std::size_t j = 0; j < start.small_first.size(); ++j) {
    small_.emplace_back(start.small_first[j], start.small_second[j]);
  }
  const Vector costs = program.costs(start.second);
  y_ = Vector::Constant(program.mdp.states(), 2 * costs.maxCoeff() / (1 - program.mdp.discount()));
  slack_ = program.balance(y_) - costs;
  residuals_ = residuals();
}

double DriftProgramPoint::objective() const {
  const Index d = program_.rows();
  return free_(d + 1) - free_(d) * program_.radius * program_.radius;
}

double DriftProgramPoint::gap() const {
  double sum = pair_.gap() + lambda_.dot(slack_);
  for (const SmallPair& small : small_) sum += small.gap();
  return sum;
}

DriftProgramPoint::Residuals DriftProgramPoint::residuals() const {
  const Index d = program_.rows();
  const Columns second = pair_.second();
  Residuals result;
  result.pairs = program_.balance(y_) - program_.costs(second) - slack_;
  result.flow = (1 - program_.mdp.discount()) * program_.mdp.start() - program_.outflow(lambda_);
  result.moment = pair_.first() - program_.moment(lambda_) - program_.on_axes(free_);
  result.free = program_.on_free(second);
  result.free(d) -= program_.radius * program_.radius;
  result.free(d + 1) += 1;
  for (Index j = 0; j < d; ++j) {
    const SmallPair& small = small_[static_cast<std::size_t>(j)];
    const Matrix2d y = small.second();
    const Vector2d v(program_.gains(j), 1);
    result.free(j) += v.dot(y * v);
    result.free(d) += y(1, 1);
    result.free(d + 1) -= y(0, 0);
    result.small.push_back(small_block(program_.gains(j), free_(j), free_(d), free_(d + 1)) -
                           small.first());
  }
  return result;
}

// An exact step leaves the share 1 - step of every residual. Returns what else there is, as a
// change of the objective.
double DriftProgramPoint::error_of_step(const Residuals& before, double primal, double dual) const {
  const auto sum = [](const auto& weights, const auto& error) {
    return weights.cwiseProduct(error).cwiseAbs().sum();
  };
  return sum(lambda_, residuals_.pairs - (1 - dual) * before.pairs) +
         sum(free_, residuals_.free - (1 - dual) * before.free) +
         sum(pair_.second(), residuals_.moment - (1 - primal) * before.moment);
}

DriftProgramPoint::Direction DriftProgramPoint::direction(const DriftNewton& newton, double target,
                                                          const Direction* predicted) const {
  const Index d = program_.rows();
  Vector products = (target - lambda_.array() * slack_.array()).matrix();
  if (predicted != nullptr) products -= predicted->lambda.cwiseProduct(predicted->slack);
  const Columns centre = predicted == nullptr
                             ? pair_.centring(target)
                             : pair_.centring(target, predicted->first, predicted->second);
  std::vector<Matrix2d> small_centre;
  DriftNewton::Side side{.pairs = products.cwiseQuotient(lambda_) - residuals_.pairs,
                         .flow = residuals_.flow,
                         .moment = residuals_.moment + pair_.from_scaled_first(centre),
                         .free = residuals_.free};
  for (Index j = 0; j < d; ++j) {
    const auto k = static_cast<std::size_t>(j);
    small_centre.push_back(
        predicted == nullptr
            ? small_[k].centring(target)
            : small_[k].centring(target, predicted->small_first[k], predicted->small_second[k]));
    const Matrix2d y = small_[k].from_scaled_second(small_centre.back() -
                                                    small_[k].scaled_first(residuals_.small[k]));
    const Vector2d v(program_.gains(j), 1);
    side.free(j) += v.dot(y * v);
    side.free(d) += y(1, 1);
    side.free(d + 1) -= y(0, 0);
  }
  DriftNewton::Solution found = newton.solve(side);

  Direction move;
  move.second = pair_.scaled_second(found.second);
  move.first = centre - move.second;
  for (Index j = 0; j < d; ++j) {
    const auto k = static_cast<std::size_t>(j);
    const Matrix2d first = residuals_.small[k] + small_block(program_.gains(j), found.free(j),
                                                             found.free(d), found.free(d + 1));
    move.small_first.push_back(small_[k].scaled_first(first));
    move.small_second.push_back(small_centre[k] - move.small_first.back());
  }
  move.slack = (products - slack_.cwiseProduct(found.lambda)).cwiseQuotient(lambda_);
  move.lambda = std::move(found.lambda);
  move.y = std::move(found.y);
  move.free = std::move(found.free);
  return move;
}

double DriftProgramPoint::primal_step(const Direction& move) const {
  double step = std::min(pair_.step(move.first), step_inside(lambda_, move.lambda));
  for (std::size_t j = 0; j < small_.size(); ++j) {
    step = std::min(step, small_[j].step(move.small_first[j]));
  }
  return step;
}

double DriftProgramPoint::dual_step(const Direction& move) const {
  double step = std::min(pair_.step(move.second), step_inside(slack_, move.slack));
  for (std::size_t j = 0; j < small_.size(); ++j) {
    step = std::min(step, small_[j].step(move.small_second[j]));
  }
  return step;
}

double DriftProgramPoint::gap_after(const Direction& move, double primal, double dual) const {
  const auto inner = [&](const auto& pair, const auto& first, const auto& second) {
    return (pair.scaled() + primal * first).cwiseProduct(pair.scaled() + dual * second).sum();
  };
  double sum = (lambda_ + primal * move.lambda).dot(slack_ + dual * move.slack) +
               inner(pair_, move.first, move.second);
  for (std::size_t j = 0; j < small_.size(); ++j) {
    sum += inner(small_[j], move.small_first[j], move.small_second[j]);
  }
  return sum;
}

bool DriftProgramPoint::advance() {
  if (few_pairs_ && step_by({.eliminate_pairs = false, .least = kShortStep})) return true;
  few_pairs_ = false;
  return step_by({.eliminate_pairs = true, .least = kNoStep});
}

bool DriftProgramPoint::step_by(const StepRule& rule) {
  const auto elimination =
      rule.eliminate_pairs ? DriftNewton::Elimination::kPairs : DriftNewton::Elimination::kMoment;
  const DriftNewton newton(program_,
                           {.theta = lambda_.cwiseQuotient(slack_),
                            .scaling = pair_.to_first(),
                            .inverse = pair_.from_first(),
                            .root = curvature_root(program_, small_)},
                           elimination);
  if (!newton.solvable()) return false;
  const double before = gap();
  const auto cones = static_cast<double>(lambda_.size() + pair_.order() + 2 * std::ssize(small_));
  const Direction predicted = direction(newton, 0, nullptr);
  const double left = gap_after(predicted, primal_step(predicted), dual_step(predicted));
  const double share = std::clamp(left / before, 1e-3, 1.0);
  const Direction move = direction(newton, before / cones * share * share * share, &predicted);

  const auto shortened = [](double step) { return step * (0.9 + 0.09 * step); };
  const double a = shortened(primal_step(move)), b = shortened(dual_step(move));
  if (!(std::min(a, b) > rule.least)) return false;  // also if a number is not finite
  std::vector<SmallPair> small = small_;
  for (std::size_t j = 0; j < small.size(); ++j) {
    if (!small[j].move_to(small[j].scaled() + a * move.small_first[j],
                          small[j].scaled() + b * move.small_second[j])) {
      return false;
    }
  }
  if (!pair_.move_to(pair_.scaled() + a * move.first, pair_.scaled() + b * move.second)) {
    return false;
  }
  small_ = std::move(small);
  lambda_ += a * move.lambda;
  free_ += a * move.free;
  slack_ += b * move.slack;
  y_ += b * move.y;
  const Residuals old = std::exchange(residuals_, residuals());
  few_pairs_ = few_pairs_ && error_of_step(old, a, b) < kHarmless * gap();
  return true;
}

}  // namespace rgu
