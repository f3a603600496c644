#include "rgu/ambiguity/product_set.hpp"

#include <cmath>
#include <utility>

#include "rgu/ambiguity/arguments.hpp"

namespace rgu {
namespace {

// Checks the parts and returns the sum of their dimensions: the base class needs it first.
Index total_dimension(const SetParts& parts) {
  check_count("number of parts of the product", static_cast<Index>(parts.size()));
  Index total = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    check(parts[k] != nullptr, "part {} of the product is null, must be a set", k);
    total = checked_product({{"dimension of the product", total + parts[k]->dimension()}});
  }
  return total;
}

}  // namespace

ProductSet::ProductSet(SetParts parts)
    : ConvexSet(total_dimension(parts)), parts_(std::move(parts)) {}

Vector ProductSet::block(const Vector& vector, std::size_t part) const {
  check_dimension("vector", vector);
  check(part < parts_.size(), "part is {}, must be below {}", part, parts_.size());
  Index start = 0;
  for (std::size_t k = 0; k < part; ++k) start += parts_[k]->dimension();
  return vector.segment(start, parts_[part]->dimension());
}

Vector ProductSet::project(const Vector& point) const {
  check_argument("point", point, dimension());
  Vector nearest(dimension());
  Index start = 0;
  for (const auto& part : parts_) {
    const Index size = part->dimension();
    nearest.segment(start, size) = part->project(point.segment(start, size));
    start += size;
  }
  return nearest;
}

Vector ProductSet::support_point(const Vector& direction) const {
  return certified_support(direction).point;
}

CertifiedSupport ProductSet::certified_support(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  CertifiedSupport best{.point = Vector(dimension())};
  Index start = 0;
  for (const auto& part : parts_) {
    const Index size = part->dimension();
    const CertifiedSupport own = part->certified_support(direction.segment(start, size));
    best.point.segment(start, size) = own.point;
    best.gap += own.gap;
    start += size;
  }
  return best;
}

double ProductSet::diameter() const {
  double length = 0;
  for (const auto& part : parts_) length = std::hypot(length, part->diameter());
  return length;
}

double ProductSet::normal_residual(const Vector& point, const Vector& direction) const {
  check_argument("point", point, dimension());
  check_argument("direction", direction, dimension());
  double length = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    length = std::hypot(length, parts_[k]->normal_residual(block(point, k), block(direction, k)));
  }
  return length;
}

}  // namespace rgu
