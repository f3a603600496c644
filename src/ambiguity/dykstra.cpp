#include "rgu/ambiguity/dykstra.hpp"

#include <algorithm>
#include <limits>

#include "rgu/base/decompositions.hpp"

namespace rgu {
namespace {

constexpr std::size_t kWindow = 6;  // plain cycles between two extrapolations
// No extrapolation makes the normals longer than this factor: where they are not unique it would
// follow rounding errors.
constexpr double kLongest = 10;

}  // namespace

Dykstra::Dykstra(const SetParts& parts, const Vector& point)
    : parts_(parts),
      point_(point),
      nearest_(point),
      members_(point.size(), static_cast<Index>(parts.size())),
      normals_(Columns::Zero(point.size(), static_cast<Index>(parts.size()))) {}

void Dykstra::cycle() {
  nearest_ = point_ - normals_.rowwise().sum();
  for (Index k = 0; k < normals_.cols(); ++k) {
    const Vector shifted = nearest_ + normals_.col(k);
    nearest_ = parts_[static_cast<std::size_t>(k)]->project(shifted);
    members_.col(k) = nearest_;
    normals_.col(k) = shifted - nearest_;
  }
}

void Dykstra::move_to(const Vector& point, double factor) {
  point_ = point;
  normals_ *= factor;
  images_.clear();
  changes_.clear();
  trial_.reset();
}

void Dykstra::advance() {
  ++cycles_;
  const Columns before = normals_;
  cycle();
  accelerate(before);
}

// A cycle is a fixed-point map of the normals. Where parts meet at a flat angle or are curved its
// plain iteration takes 1e5 cycles and more. Every few cycles the normals are therefore
// extrapolated by Anderson's method [Pratapa2016]. That touches none of the promises above, as the
// next cycle makes them true from any normals. It is kept if after that cycle the dual objective
// is no worse than before (each plain cycle decreases it) and the normals change less; otherwise
// the plain iteration goes on from where it was.
void Dykstra::accelerate(const Columns& before) {
  const Columns change = normals_ - before;
  if (trial_) {
    const double slack = 1e-14 * (point_ - nearest_).squaredNorm();
    const bool better =
        change.norm() < trial_->change && dual_objective() <= trial_->objective + slack;
    if (!better) normals_ = trial_->normals;
    trial_.reset();
    return;
  }
  images_.push_back(normals_);
  changes_.push_back(change);
  if (images_.size() < kWindow) return;
  const Columns guess = extrapolated();
  if (guess.norm() <= kLongest * normals_.norm()) {
    trial_ = {.normals = normals_, .change = change.norm(), .objective = dual_objective()};
    normals_ = guess;
  }
  images_.clear();
  changes_.clear();
}

// Half the square of the iterate plus the parts' support functions at the normals, all relative to
// the point. To be minimised; its minimum is at the projection.
double Dykstra::dual_objective() const {
  return 0.5 * normals_.rowwise().sum().squaredNorm() +
         normals_.cwiseProduct(members_.colwise() - point_).sum();
}

// The affine combination of the last images whose combined change is the least.
Dykstra::Columns Dykstra::extrapolated() const {
  const Columns& last = changes_.back();
  const Index pairs = static_cast<Index>(changes_.size()) - 1;
  Columns differences(last.size(), pairs);
  for (Index j = 0; j < pairs; ++j) {
    const Columns difference = last - changes_[static_cast<std::size_t>(j)];
    differences.col(j) = difference.reshaped();
  }
  const Vector weights = least_squares(differences, last.reshaped(), 1e-12);
  Columns result = images_.back();
  for (Index j = 0; j < pairs; ++j) {
    result -= weights(j) * (images_.back() - images_[static_cast<std::size_t>(j)]);
  }
  return result;
}

// The usual test, that `nearest` moved little in a cycle, is not safe: it can rest for many cycles
// while the normals still grow [BirginRaydan2005]. The members then still disagree.
double Dykstra::spread() const {
  return (members_.colwise() - nearest_).colwise().norm().maxCoeff();
}

double Dykstra::rounding() const {
  return 16 * std::numeric_limits<double>::epsilon() *
         std::max(point_.stableNorm(), nearest_.stableNorm());
}

// If directions v_k add up to zero then sum_k <v_k, x> = 0 at a common point x, but never more than
// sum_k max over part k of <v_k, .>. A negative sum of maxima proves that there is none. When the
// parts are disjoint the normals grow along such directions, so they are tried, made to add up.
bool Dykstra::proves_empty() const {
  const Vector mean = normals_.rowwise().mean();
  double sum = 0;
  double size = 0;
  for (Index k = 0; k < normals_.cols(); ++k) {
    const Vector direction = normals_.col(k) - mean;
    const Vector highest = parts_[static_cast<std::size_t>(k)]->support_point(direction);
    sum += direction.dot(highest - nearest_);
    size += direction.norm() * (highest.norm() + nearest_.norm());
  }
  return sum < -1e-9 * size;  // beyond the accuracy of support points
}

}  // namespace rgu
