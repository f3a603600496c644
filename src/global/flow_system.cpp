#include "rgu/global/flow_system.hpp"

#include <cmath>

namespace rgu {
namespace {

constexpr int kMostProducts = 20000;

}  // namespace

Vector flow_of(const EnvelopeModel& model, const Matrix& occupancy) {
  return occupancy.rowwise().sum() - model.discount() * model.push_forward(occupancy);
}

Matrix gains_of(const EnvelopeModel& model, const Vector& value) {
  Matrix gains = -model.discount() * model.expected_next(value);
  gains.colwise() += value;
  return gains;
}

// C^-1 = D + D b b'D / pivot with D the inverse diagonal. <b, idle> - b'D b would cancel; with
// 1 - stiffness D = barrier D it is a sum of positive terms.
FlowSystem::FlowSystem(const EnvelopeModel& model, const Curvature& curvature)
    : model_(model), inverse_((curvature.barrier + curvature.stiffness).cwiseInverse()) {
  const Matrix b = curvature.stiffness.cwiseProduct(curvature.idle);
  border_ = inverse_.cwiseProduct(b);
  pivot_ = model.sum((border_.array() * curvature.idle.array() * curvature.barrier.array()).sum());
  column_ = flow_of(model, border_);
  const double g = model.discount();
  // The squares of probabilities are taken for the probabilities themselves.
  diagonal_ = inverse_.rowwise().sum() + g * g * model.push_forward(inverse_);
  constant_image_ = product(Vector::Ones(diagonal_.size()));
  constant_bend_ = model.sum(constant_image_.sum());
}

Matrix FlowSystem::divided(const Matrix& right) const {
  Matrix result = inverse_.cwiseProduct(right);
  if (pivot_ > 0) result += (model_.dot(border_, right) / pivot_) * border_;
  return result;
}

Vector FlowSystem::product(const Vector& value) const {
  Vector result = model_.flow_normal_product(inverse_, value);
  if (pivot_ > 0) result += (model_.sum(column_.dot(value)) / pivot_) * column_;
  return result;
}

FlowSystem::Solution FlowSystem::solve(const Vector& right, const Vector& guess,
                                       const Vector& weight, double tolerance) const {
  const auto dot = [&](const Vector& a, const Vector& b) { return model_.sum(a.dot(b)); };
  const auto too_large = [&](const Vector& r) {
    const double squares = model_.sum((r.array().square() / weight.array()).sum());
    return squares > tolerance * tolerance;
  };
  Solution solution{.value = guess.size() > 0 ? guess : Vector::Zero(right.size()).eval()};
  Vector residual = right;
  if (guess.size() > 0) {
    residual -= product(guess);
    ++solution.products;
  }
  const double shift = constant_bend_ > 0 ? model_.sum(residual.sum()) / constant_bend_ : 0.0;
  solution.value.array() += shift;
  residual -= shift * constant_image_;
  // D^-1 residual less the constant that is conjugate to it.
  Vector scaled(right.size());
  const auto precondition = [&] {
    scaled = residual.cwiseQuotient(diagonal_);
    if (constant_bend_ > 0) scaled.array() -= dot(constant_image_, scaled) / constant_bend_;
  };
  precondition();
  Vector direction = scaled;
  double size = dot(residual, scaled);
  while (too_large(residual) && solution.products < kMostProducts) {
    const Vector image = product(direction);
    ++solution.products;
    const double bend = dot(direction, image);
    if (!(bend > 0) || !std::isfinite(bend)) break;
    const double step = size / bend;
    solution.value += step * direction;
    residual -= step * image;
    precondition();
    const double next = dot(residual, scaled);
    direction = scaled + (next / size) * direction;
    size = next;
  }
  return solution;
}

}  // namespace rgu
