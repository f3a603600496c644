#include "rgu/global/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "rgu/base/lapack.hpp"
#include "rgu/global/step_inside.hpp"

namespace rgu {
namespace {

constexpr double kFreeCurvature = 1e-8;  // of free variables: a proximal term
constexpr double kLift = 1e-14;          // of the diagonal of the normal matrix, at first
constexpr double kMostLift = 1e-7;
constexpr double kDense = 0.15;  // share of entries above which rows are kept dense
constexpr int kSolves = 60;      // with the factor, for one direction; 2 or 3 but for poor factors
constexpr double kSolved = 1e-14;  // of the first residual
constexpr int kHalvings = 12;
constexpr double kAhead = 1e-2;
constexpr double kNear = 1e-8;  // the error below which it may not grow
constexpr double kLost = 100;   // by this factor

// As step_inside, but for variables that may have any sign.
double bounded_step(const Vector& point, const Vector& move, const std::vector<char>& is_free) {
  double step = 1;
  for (Index j = 0; j < point.size(); ++j) {
    if (!is_free[static_cast<std::size_t>(j)]) step = shortened(step, point(j), move(j));
  }
  return step;
}

}  // namespace

// What both directions of one step share.
struct InteriorPoint::System {
  Vector theta;   // inverse curvature: (n)
  Vector pull;    // w / (t - x): (capped)
  Vector border;  // rows theta pull: (m)
  double kappa = 1;
  CholeskyFactor factor;
};

InteriorPoint::InteriorPoint(const ConvexProgram& program, const Vector& start)
    : program_(program), linear_(program.smooth.empty()) {
  const Index n = program.cost.size(), m = program.right.size(), capped = program.capped;
  x_ = start;
  const double least = 1e-4 / static_cast<double>(n);
  for (Index j = 0; j < n; ++j) {
    if (program.is_free[static_cast<std::size_t>(j)]) {
      x_(j) = 0;
    } else {
      x_(j) = std::max(x_(j), least);
      ++bounded_;
    }
  }
  bounded_ += capped;
  Vector slope = program.cost;
  for (const SmoothTerm& term : program.smooth) {
    slope(term.variable) += term.slope(x_(term.variable));
    gentle_ = gentle_ || term.kind != SmoothTerm::Kind::kSquare;
  }
  unit_ = std::max(slope.lpNorm<Eigen::Infinity>(), program.price);
  if (!(unit_ > 0)) unit_ = 1;
  cost_ = program.cost / unit_;
  price_ = program.price / unit_;
  z_ = Vector::Ones(n);
  for (Index j = 0; j < n; ++j) {
    if (program.is_free[static_cast<std::size_t>(j)]) z_(j) = 0;
  }
  y_ = Vector::Zero(m);
  w_ = Vector::Constant(capped, capped > 0 ? price_ / static_cast<double>(capped) : 0.0);
  if (capped > 0) t_ = 2 * x_.head(capped).maxCoeff();
  const double entries = static_cast<double>(program.rows.nonZeros());
  if (entries > kDense * static_cast<double>(n) * static_cast<double>(m)) {
    dense_ = Matrix(program.rows);
  }
  measure();
  balance();
  first_ = {.infeasibility = infeasibility(), .product = complementarity()};
}

// Multipliers that fit the slopes as well as they can [Mehrotra1992], and slacks around them that
// keep the products of one size.
void InteriorPoint::balance() {
  const Vector theta = x_.cwiseAbs2().cwiseMax(1e-12);
  Eigen::MatrixXd normal = normal_matrix(theta);
  normal.diagonal() *= 1 + 1e-10;
  const CholeskyFactor factor(std::move(normal));
  Vector reduced = slope_;
  reduced.head(program_.capped) += w_;
  if (factor.positive_definite()) {
    y_ = factor.solve(program_.rows * theta.cwiseProduct(reduced));
    reduced -= program_.rows.transpose() * y_;
  }
  double lowest = 0, product = 0, mass = 0;
  for (Index j = 0; j < x_.size(); ++j) {
    if (program_.is_free[static_cast<std::size_t>(j)]) continue;
    lowest = std::min(lowest, reduced(j));
    product += x_(j) * std::abs(reduced(j));
    mass += x_(j);
  }
  const double shift = std::max(-1.5 * lowest, mass > 0 ? 0.5 * product / mass : 0.0) + 1e-3;
  for (Index j = 0; j < x_.size(); ++j) {
    if (!program_.is_free[static_cast<std::size_t>(j)]) z_(j) = std::max(reduced(j) + shift, 1e-3);
  }
  measure();
}

double InteriorPoint::infeasibility() const {
  return primal_.lpNorm<Eigen::Infinity>() / (1 + program_.right.lpNorm<Eigen::Infinity>()) +
         dual_residual();
}

void InteriorPoint::measure() {
  slope_ = cost_;
  curvature_ = Vector::Zero(x_.size());
  for (const SmoothTerm& term : program_.smooth) {
    slope_(term.variable) += term.slope(x_(term.variable)) / unit_;
    curvature_(term.variable) += term.curvature(x_(term.variable)) / unit_;
  }
  dual_ = slope_ - z_;
  dual_.noalias() -= program_.rows.transpose() * y_;
  dual_.head(program_.capped) += w_;
  primal_ = program_.right;
  primal_.noalias() -= program_.rows * x_;
  price_residual_ = program_.capped > 0 ? price_ - w_.sum() : 0;
}

double InteriorPoint::complementarity() const {
  double sum = x_.dot(z_);
  if (program_.capped > 0) sum += (t_ - x_.head(program_.capped).array()).matrix().dot(w_);
  return sum / static_cast<double>(std::max<Index>(bounded_, 1));
}

double InteriorPoint::gap() const {
  return complementarity() * static_cast<double>(bounded_) + std::abs(y_.dot(primal_)) +
         std::abs(dual_.dot(x_)) + std::abs(price_residual_ * t_);
}

double InteriorPoint::dual_residual() const {
  return std::max(dual_.lpNorm<Eigen::Infinity>(), std::abs(price_residual_));
}

ProgramPoint InteriorPoint::point() const {
  return {.x = x_, .multipliers = unit_ * y_, .ceilings = unit_ * w_};
}

// rows diag(theta) rows', the lower triangle.
Eigen::MatrixXd InteriorPoint::normal_matrix(const Vector& theta) const {
  if (dense_.size() > 0) {
    const Matrix scaled = (dense_ * theta.cwiseSqrt().asDiagonal()).transpose();
    return gram_lower(scaled);
  }
  const SparseMatrix scaled = program_.rows * theta.asDiagonal();
  const SparseMatrix product = scaled * SparseMatrix(program_.rows.transpose());
  return Eigen::MatrixXd(product);
}

// With theta = 1 / (curvature + z/x + w/(t-x)):
//   dx = theta (g + rows'dy + pull dt),  rows dx = primal,  <pull, dx> - sum pull dt = r.
InteriorPoint::Direction InteriorPoint::direction(const System& system, double target,
                                                  const Direction* predicted) const {
  const Index n = x_.size(), capped = program_.capped;
  Vector for_z = Vector::Zero(n), for_w(capped);
  for (Index j = 0; j < n; ++j) {
    if (program_.is_free[static_cast<std::size_t>(j)]) continue;
    const double second = predicted != nullptr ? predicted->x(j) * predicted->z(j) : 0.0;
    for_z(j) = (target - second) / x_(j) - z_(j);
  }
  for (Index j = 0; j < capped; ++j) {
    const double second =
        predicted != nullptr ? (predicted->t - predicted->x(j)) * predicted->w(j) : 0.0;
    for_w(j) = (target - second) / (t_ - x_(j)) - w_(j);
  }
  Vector g = for_z - dual_;
  g.head(capped) -= for_w;
  const Vector moved = system.theta.cwiseProduct(g);
  Vector right = primal_ - program_.rows * moved;
  const double size = right.norm();
  const double wanted = price_residual_ - for_w.sum();
  double price = 0;
  if (capped > 0) {
    price = wanted - system.pull.dot(moved.head(capped));
    right += system.border * (price / system.kappa);
  }
  Direction move;
  move.y = system.factor.solve(right);
  move.t = capped > 0 ? (system.border.dot(move.y) - price) / system.kappa : 0;
  g.noalias() += program_.rows.transpose() * move.y;
  g.head(capped) += system.pull * move.t;
  move.x = system.theta.cwiseProduct(g);
  move.z = for_z;
  correct(system, wanted, kSolved * size, move);
  for (Index j = 0; j < n; ++j) {
    if (!program_.is_free[static_cast<std::size_t>(j)]) move.z(j) -= z_(j) / x_(j) * move.x(j);
  }
  move.w = for_w - system.pull.cwiseProduct((move.t - move.x.head(capped).array()).matrix());
  return move;
}

// Rounding spoils dx where theta is large, and lifts of the factor spoil dy: what dx itself lacks
// of rows dx = primal and <pull, dx> - sum pull dt = price is made up by conjugate gradients
// [HestenesStiefel1952] with the factor as preconditioner.
void InteriorPoint::correct(const System& system, double price, double enough,
                            Direction& move) const {
  const Index capped = program_.capped;
  if (capped > 0) {
    const double lacking =
        price - system.pull.dot(move.x.head(capped)) + system.pull.sum() * move.t;
    const double t = -lacking / system.kappa;
    move.t += t;
    move.x.head(capped) += t * system.theta.head(capped).cwiseProduct(system.pull);
  }
  Vector residual = primal_ - program_.rows * move.x;
  Vector toward;
  double product = 0;
  for (int k = 0; k < kSolves && residual.norm() > enough; ++k) {
    const Vector solved = system.factor.solve(residual);
    const double before = std::exchange(product, residual.dot(solved));
    if (!(product > 0)) return;
    toward = k == 0 ? solved : Vector(solved + product / before * toward);
    Vector x = program_.rows.transpose() * toward;
    const double t = capped > 0 ? system.border.dot(toward) / system.kappa : 0;
    x.head(capped) += t * system.pull;
    x.array() *= system.theta.array();
    const Vector flow = program_.rows * x;
    const double curvature = toward.dot(flow);
    if (!(curvature > 0)) return;
    const double step = product / curvature;
    move.x += step * x;
    move.y += step * toward;
    move.t += step * t;
    residual -= step * flow;
  }
}

InteriorPoint::Steps InteriorPoint::longest(const Direction& move) const {
  Steps steps{.primal = bounded_step(x_, move.x, program_.is_free),
              .dual = bounded_step(z_, move.z, program_.is_free)};
  if (program_.capped > 0) {
    const Vector room = t_ - x_.head(program_.capped).array();
    const Vector change = move.t - move.x.head(program_.capped).array();
    steps.primal = std::min(steps.primal, step_inside(room, change));
    steps.dual = std::min(steps.dual, step_inside(w_, move.w));
  }
  if (!linear_) steps.primal = steps.dual = std::min(steps.primal, steps.dual);
  return steps;
}

void InteriorPoint::move_by(const Direction& move, Steps steps) {
  x_ += steps.primal * move.x;
  t_ += steps.primal * move.t;
  z_ += steps.dual * move.z;
  y_ += steps.dual * move.y;
  w_ += steps.dual * move.w;
  measure();
}

// The size of what keeps the point from the central path at `target`.
double InteriorPoint::merit(double target) const {
  double off = 0;
  for (Index j = 0; j < x_.size(); ++j) {
    if (!program_.is_free[static_cast<std::size_t>(j)]) off += std::abs(x_(j) * z_(j) - target);
  }
  return off + dual_.cwiseProduct(x_).lpNorm<1>() + primal_.lpNorm<1>();
}

bool InteriorPoint::advance() {
  const Index n = x_.size(), capped = program_.capped;
  Vector own(n), pull(capped);
  for (Index j = 0; j < n; ++j) {
    const bool is_free = program_.is_free[static_cast<std::size_t>(j)] != 0;
    own(j) = curvature_(j) + (is_free ? kFreeCurvature : z_(j) / x_(j));
  }
  for (Index j = 0; j < capped; ++j) pull(j) = w_(j) / (t_ - x_(j));
  Vector theta = own;
  theta.head(capped) += pull;
  theta = theta.cwiseInverse();
  // sum of pull (1 - theta pull), without the difference.
  const double kappa =
      capped > 0 ? (own.head(capped).array() * pull.array() * theta.head(capped).array()).sum()
                 : 1.0;
  Vector border = Vector::Zero(program_.right.size());
  Eigen::MatrixXd normal = normal_matrix(theta);
  if (capped > 0) {
    Vector pulled = Vector::Zero(n);
    pulled.head(capped) = theta.head(capped).cwiseProduct(pull);
    border = program_.rows * pulled;
    normal.selfadjointView<Eigen::Lower>().rankUpdate(border, 1 / kappa);
  }
  if (!normal.allFinite() || !(kappa > 0)) return false;
  std::optional<CholeskyFactor> factor;
  for (double lift = kLift; lift <= kMostLift; lift *= 10) {
    normal.diagonal() *= 1 + lift;
    factor.emplace(normal);
    if (factor->positive_definite()) break;
  }
  if (!factor->positive_definite()) return false;
  const System system{.theta = std::move(theta),
                      .pull = std::move(pull),
                      .border = std::move(border),
                      .kappa = kappa,
                      .factor = *std::move(factor)};

  const double mean = complementarity();
  const Direction predicted = direction(system, 0, nullptr);
  const Steps free_steps = longest(predicted);
  double left = (x_ + free_steps.primal * predicted.x).dot(z_ + free_steps.dual * predicted.z);
  if (capped > 0) {
    const Vector room = t_ + free_steps.primal * predicted.t -
                        (x_ + free_steps.primal * predicted.x).head(capped).array();
    left += room.dot(w_ + free_steps.dual * predicted.w);
  }
  const double share = std::clamp(left / (mean * static_cast<double>(bounded_)), 1e-4, 1.0);
  double target = mean * share * share * share;
  // Products that fall much faster than the residuals end at the boundary, far from the optimum.
  const bool ahead =
      infeasibility() > 1e-10 &&
      mean / first_.product < kAhead * infeasibility() / std::max(first_.infeasibility, 1e-10);
  if (ahead) target = mean;
  Direction move = direction(system, target, ahead ? nullptr : &predicted);
  const auto shortened = [&](Steps steps) {
    const auto shorter = [](double step) { return step < 1 ? step * (0.9 + 0.0995 * step) : 1.0; };
    return Steps{.primal = shorter(steps.primal), .dual = shorter(steps.dual)};
  };
  Steps steps = shortened(longest(move));
  if (!(move.x.allFinite() && move.y.allFinite() && move.z.allFinite())) return false;
  if (!gentle_) {
    if (std::max(steps.primal, steps.dual) < 1e-10) return false;
    const double error = gap() + infeasibility();
    const Direction before{.x = x_, .z = z_, .y = y_, .w = w_, .t = t_};
    move_by(move, steps);
    if (error < kNear && !(gap() + infeasibility() < kLost * error)) {  // rounding has won
      x_ = before.x, z_ = before.z, y_ = before.y, w_ = before.w, t_ = before.t;
      measure();
      return false;
    }
    return true;
  }
  // Where the slopes bend, a step is only as long as the residuals fall.
  for (const bool corrected : {true, false}) {
    if (!corrected) {
      target = 0.3 * mean;
      move = direction(system, target, nullptr);
      steps = shortened(longest(move));
    }
    const double before = merit(target);
    const Vector x = x_, z = z_, y = y_, w = w_;
    const double t = t_;
    for (int k = 0; k < kHalvings; ++k) {
      const double fraction = std::exp2(-k);
      move_by(move, {.primal = fraction * steps.primal, .dual = fraction * steps.dual});
      if (merit(target) <= (1 - 0.01 * fraction * steps.primal) * before) return true;
      x_ = x, z_ = z, y_ = y, w_ = w, t_ = t;
    }
    measure();
  }
  return false;
}

}  // namespace rgu
