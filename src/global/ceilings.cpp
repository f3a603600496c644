#include "rgu/global/ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rgu/global/step_inside.hpp"

namespace rgu {

// w below = (most - w) above = product and below - above = t - lambda =: d make w the root of
// product (1/w - 1/(most - w)) = d.
Ceilings::Ceilings(const EnvelopeModel& model, Budget budget, const Matrix& occupancy,
                   double product)
    : model_(model), budget_(std::move(budget)) {
  t_ = 2 * model.largest(occupancy.size() > 0 ? occupancy.maxCoeff() : 0.0);
  w_ = below_ = above_ = Matrix::Zero(occupancy.rows(), occupancy.cols());
  double count = 0;
  for (Index i = 0; i < w_.size(); ++i) {
    if (kind(i) == Kind::kFree) continue;
    const double d = t_ - occupancy.data()[i];
    const bool soft = kind(i) == Kind::kSoft;
    const double c = soft ? 2 * product / budget_.most.data()[i] : 0.0;
    w_.data()[i] = 2 * product / (d + c + std::hypot(d, c));
    below_.data()[i] = product / w_.data()[i];
    if (soft) above_.data()[i] = product / room(i);
    count += soft ? 2 : 1;
  }
  count_ = model.sum(count);
  measure(occupancy);
}

double Ceilings::products() const {
  double sum = 0;
  for (Index i = 0; i < w_.size(); ++i) {
    if (kind(i) == Kind::kFree) continue;
    sum += w_.data()[i] * below_.data()[i];
    if (kind(i) == Kind::kSoft) sum += room(i) * above_.data()[i];
  }
  return model_.sum(sum);
}

void Ceilings::measure(const Matrix& occupancy) {
  stiffness_.resizeLike(w_);
  gap_.resizeLike(w_);
  for (Index i = 0; i < w_.size(); ++i) {
    const Kind k = kind(i);
    stiffness_.data()[i] = gap_.data()[i] = 0;
    if (k == Kind::kFree) continue;
    const double soft = k == Kind::kSoft ? above_.data()[i] / room(i) : 0.0;
    stiffness_.data()[i] = 1 / (below_.data()[i] / w_.data()[i] + soft);
    gap_.data()[i] = t_ - occupancy.data()[i] - below_.data()[i] + above_.data()[i];
  }
  total_stiffness_ = model_.sum(stiffness_.sum());
  price_ = budget_.total - model_.sum(w_.sum());
}

// From  w dbelow + below dw = target - w below - (second order)  =: first,
//       (most - w) dabove - above dw = target - (most - w) above - ..  =: second,
//       dbelow - dabove = dt - dlambda + gap:
// dw = stiffness (first / w - second / (most - w) - gap - (dt - dlambda)).
Matrix Ceilings::pull(double target, const Direction* predicted) const {
  Matrix pull = Matrix::Zero(w_.rows(), w_.cols());
  for (Index i = 0; i < w_.size(); ++i) {
    const Kind k = kind(i);
    if (k == Kind::kFree) continue;
    const double w = w_.data()[i], below = below_.data()[i];
    const double dw = predicted != nullptr ? predicted->w.data()[i] : 0.0;
    double first = target - w * below;
    if (predicted != nullptr) first -= dw * predicted->below.data()[i];
    double sum = first / w - gap_.data()[i];
    if (k == Kind::kSoft) {
      double second = target - room(i) * above_.data()[i];
      if (predicted != nullptr) second += dw * predicted->above.data()[i];
      sum -= second / room(i);
    }
    pull.data()[i] = stiffness_.data()[i] * sum;
  }
  return pull;
}

double Ceilings::shift(const Matrix& pull) const {
  return (model_.sum(pull.sum()) - price_) / total_stiffness_;
}

Ceilings::Direction Ceilings::direction(double target, const Direction* predicted,
                                        const Matrix& pull, double shift,
                                        const Matrix& change) const {
  Direction move{.w = pull,
                 .below = Matrix::Zero(w_.rows(), w_.cols()),
                 .above = Matrix::Zero(w_.rows(), w_.cols()),
                 .t = shift + model_.dot(stiffness_, change) / total_stiffness_};
  for (Index i = 0; i < w_.size(); ++i) {
    const Kind k = kind(i);
    if (k == Kind::kFree) continue;
    const double by = move.t - change.data()[i];
    double& dw = move.w.data()[i];
    dw -= stiffness_.data()[i] * by;
    move.below.data()[i] = by + gap_.data()[i];
    if (k == Kind::kHard) continue;
    double second = target - room(i) * above_.data()[i];
    if (predicted != nullptr) second += predicted->w.data()[i] * predicted->above.data()[i];
    move.above.data()[i] = (second + above_.data()[i] * dw) / room(i);
    move.below.data()[i] += move.above.data()[i];
  }
  return move;
}

double Ceilings::primal_step(const Direction& move) const {
  double step = 1;
  for (Index i = 0; i < w_.size(); ++i) {
    if (kind(i) == Kind::kFree) continue;
    step = shortened(step, below_.data()[i], move.below.data()[i]);
    if (kind(i) == Kind::kSoft) step = shortened(step, above_.data()[i], move.above.data()[i]);
  }
  return step;
}

double Ceilings::dual_step(const Direction& move) const {
  double step = 1;
  for (Index i = 0; i < w_.size(); ++i) {
    if (kind(i) == Kind::kFree) continue;
    step = shortened(step, w_.data()[i], move.w.data()[i]);
    if (kind(i) == Kind::kSoft) step = shortened(step, room(i), -move.w.data()[i]);
  }
  return step;
}

double Ceilings::products_after(const Direction& move, double primal, double dual) const {
  double sum = 0;
  for (Index i = 0; i < w_.size(); ++i) {
    if (kind(i) == Kind::kFree) continue;
    const double dw = dual * move.w.data()[i];
    sum += (w_.data()[i] + dw) * (below_.data()[i] + primal * move.below.data()[i]);
    if (kind(i) == Kind::kSoft) {
      sum += (room(i) - dw) * (above_.data()[i] + primal * move.above.data()[i]);
    }
  }
  return model_.sum(sum);
}

void Ceilings::move_by(const Direction& move, double primal, double dual) {
  t_ += primal * move.t;
  below_ += primal * move.below;
  above_ += primal * move.above;
  w_ += dual * move.w;
}

Matrix Ceilings::feasible_multipliers() const {
  const double scale = budget_.total / model_.sum(w_.sum());
  if (budget_.most.size() == 0) return scale * w_;
  return std::min(scale, 1.0) * w_;
}

}  // namespace rgu
