#include "rgu/global/rank_one_program.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "rgu/global/constrained_newton.hpp"

namespace rgu {

namespace {

using Columns = Eigen::MatrixXd;
using Factor = Eigen::LLT<Columns>;

constexpr double kLift = 1e-14;  // of the diagonal of the Hessian, so that rounding cannot make it
                                 // indefinite where features repeat

// The largest step a <= 1 with A + a D positive semidefinite, A = L L'; 1 if there is no limit.
double step_inside(const Factor& factor, const Columns& move) {
  Columns scaled = factor.matrixL().solve(move);
  scaled = factor.matrixL().solve(scaled.transpose()).eval();
  const Eigen::SelfAdjointEigenSolver<Columns> eigen(scaled, Eigen::EigenvaluesOnly);
  return std::min(1.0, 1 / std::max(-eigen.eigenvalues()(0), 1e-300));
}

// The same for vectors > 0.
double step_inside(const Eigen::Ref<const Vector>& point, const Eigen::Ref<const Vector>& move) {
  const double steepest = -(move.array() / point.array()).minCoeff();
  return std::min(1.0, 1 / std::max(steepest, 1e-300));
}

double inner(const Columns& a, const Columns& b) { return a.cwiseProduct(b).sum(); }

}  // namespace

// What both directions of one step share.
struct RankOneInteriorPoint::System {
  Columns inverse;  // F^-1
  double weight;    // of B B' in the Hessian
  ConstrainedNewton newton;
};

RankOneInteriorPoint::RankOneInteriorPoint(const RankOneProgram& program, const RankOneStart& start)
    : program_(program),
      size_(program.vectors.cols()),
      extended_(Matrix::Zero(size_ + 2, program.source.size())),
      y_(start.y) {
  extended_.topRows(size_) = program.constraints;
  squares_.noalias() = program.constraints * program.constraints.transpose();
  Vector x(size_ + 2);
  x << start.lambda, start.level, -start.level;
  const Index order = program.vectors.rows();
  const Index others = order - program.first;
  Vector diagonal(order);
  diagonal << Vector::Constant(program.first, 1.0 / static_cast<double>(program.first)),
      Vector::Constant(others, 0.5 / static_cast<double>(std::max<Index>(others, 1)));
  move_to(x, diagonal.asDiagonal());
  slack_ = extended_ * y_ - coefficients(z_);
  slack_(size_) += 1;
  slack_(size_ + 1) = 0;
}

double RankOneInteriorPoint::gap() const { return inner(f_, z_) + x_.dot(slack_); }

Columns RankOneInteriorPoint::combined(const Vector& x) const {
  const Columns& v = program_.vectors;
  const Columns weighted = v * x.head(size_).asDiagonal();
  Columns result(v.rows(), v.rows());
  result.triangularView<Eigen::Lower>() = weighted * v.transpose();
  result.triangularView<Eigen::StrictlyUpper>() = result.transpose();
  result.diagonal().head(program_.first).array() -= x(size_ + 1);
  result.diagonal().tail(v.rows() - program_.first).array() += x(size_);
  return result;
}

Vector RankOneInteriorPoint::coefficients(const Columns& dual) const {
  const Columns& v = program_.vectors;
  Vector result(size_ + 2);
  result.head(size_) = (dual * v).cwiseProduct(v).colwise().sum().transpose();
  result(size_) = dual.diagonal().tail(v.rows() - program_.first).sum();
  result(size_ + 1) = -dual.diagonal().head(program_.first).sum();
  return result;
}

// H_kl = tr(B_k F^-1 B_l Z) with B_k = v_k v_k', E2, -E1, plus slack/x on the diagonal.
Columns RankOneInteriorPoint::hessian(const Columns& inverse) const {
  const Columns& v = program_.vectors;
  const Index n = size_, d = program_.first, rest = v.rows() - d;
  const Columns seen = inverse * v;
  const Columns dual = z_ * v;
  Columns h(n + 2, n + 2);
  h.topLeftCorner(n, n).noalias() = v.transpose() * seen;
  h.topLeftCorner(n, n).array() *= (v.transpose() * dual).array();
  const Columns products = seen.cwiseProduct(dual);
  h.row(n).head(n) = products.bottomRows(rest).colwise().sum();
  h.row(n + 1).head(n) = -products.topRows(d).colwise().sum();
  const Columns pairs = inverse.cwiseProduct(z_);
  h(n, n) = pairs.bottomRightCorner(rest, rest).sum();
  h(n + 1, n) = -pairs.topRightCorner(d, rest).sum();
  h(n + 1, n + 1) = pairs.topLeftCorner(d, d).sum();
  h.diagonal().head(n + 1).array() += slack_.head(n + 1).array() / x_.head(n + 1).array();
  return h;
}

// With dF = combined(dx): dZ = C - sym(F^-1 dF Z), C = target F^-1 - Z - F^-1 dF_p dZ_p, where p is
// the predicted direction; the slacks likewise. Put into the linearised dual equations, this leaves
// the Newton system in dx and dy.
RankOneInteriorPoint::Direction RankOneInteriorPoint::direction(const System& system, double target,
                                                                const Direction* predicted) const {
  const Index n = size_;
  Columns centre = target * system.inverse - z_;
  Vector slack = -slack_;
  slack.head(n + 1).array() += target / x_.head(n + 1).array();
  if (predicted != nullptr) {
    const Columns second = system.inverse * (predicted->f * predicted->z);
    centre -= 0.5 * (second + second.transpose());
    slack.head(n + 1).array() -= predicted->x.head(n + 1).array() *
                                 predicted->slack.head(n + 1).array() / x_.head(n + 1).array();
  }
  Vector residual = extended_ * y_ - coefficients(z_) - slack_;  // of the dual equations
  residual(n) += 1;
  residual(n + 1) -= 1;
  const Vector imbalance = program_.source - program_.constraints.transpose() * x_.head(n);
  const Vector g = coefficients(centre) + slack - residual;
  auto [dx, dy] = system.newton.solve(g + system.weight * (extended_ * imbalance), imbalance);

  Direction move{
      .x = std::move(dx), .slack = std::move(slack), .y = std::move(dy), .f = {}, .z = {}};
  move.slack.head(n + 1).array() -=
      slack_.head(n + 1).array() * move.x.head(n + 1).array() / x_.head(n + 1).array();
  move.f = combined(move.x);
  const Columns turned = system.inverse * (move.f * z_);
  move.z = centre - 0.5 * (turned + turned.transpose());
  return move;
}

double RankOneInteriorPoint::primal_step(const Direction& move) const {
  return std::min(step_inside(f_factor_, move.f),
                  step_inside(x_.head(size_ + 1), move.x.head(size_ + 1)));
}

double RankOneInteriorPoint::dual_step(const Direction& move) const {
  return std::min(step_inside(z_factor_, move.z),
                  step_inside(slack_.head(size_ + 1), move.slack.head(size_ + 1)));
}

// Where B'dx is given, weight B B' changes nothing but the accuracy: without it the Hessian gets as
// flat as the gap squared across the equations.
RankOneInteriorPoint::System RankOneInteriorPoint::newton_system() const {
  Columns inverse = f_factor_.solve(Columns::Identity(f_.rows(), f_.rows()));
  Columns curvature = hessian(inverse);
  const double weight = lambda().dot(curvature.diagonal().head(size_)) / lambda().sum();
  curvature.topLeftCorner(size_, size_) += weight * squares_;
  curvature.diagonal() *= 1 + kLift;
  return {std::move(inverse), weight, ConstrainedNewton(std::move(curvature), extended_)};
}

// False where rounding has made F or Z indefinite; then nothing changes.
bool RankOneInteriorPoint::move_to(const Vector& x, const Columns& z) {
  const Columns f = combined(x);
  Factor f_factor(f), z_factor(z);
  if (f_factor.info() != Eigen::Success || z_factor.info() != Eigen::Success) return false;
  x_ = x;
  f_ = f;
  z_ = z;
  f_factor_ = std::move(f_factor);
  z_factor_ = std::move(z_factor);
  return true;
}

bool RankOneInteriorPoint::advance() {
  const System system = newton_system();
  if (!system.newton.solvable()) return false;
  const double centre = gap() / static_cast<double>(f_.rows() + size_ + 1);
  const Direction predicted = direction(system, 0, nullptr);
  const double primal = primal_step(predicted), dual = dual_step(predicted);
  const double left = inner(f_ + primal * predicted.f, z_ + dual * predicted.z) +
                      (x_ + primal * predicted.x).dot(slack_ + dual * predicted.slack);
  const double share = std::clamp(left / gap(), 1e-3, 1.0);
  const Direction move = direction(system, centre * share * share * share, &predicted);

  const auto shortened = [](double step) { return step * (0.9 + 0.09 * step); };
  const double a = shortened(primal_step(move)), b = shortened(dual_step(move));
  if (!(a > 1e-8 && b > 1e-8)) return false;  // also where a number is not finite
  if (!move_to(x_ + a * move.x, z_ + b * move.z)) return false;
  slack_ += b * move.slack;
  y_ += b * move.y;
  return true;
}

}  // namespace rgu
