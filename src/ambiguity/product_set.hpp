// The product of sets: their vectors one after the other.
#pragma once

#include "rgu/ambiguity/set_parts.hpp"
#include "rgu/base/convex_set.hpp"

namespace rgu {

class ProductSet final : public ConvexSet {
 public:
  // Throws InvalidInput unless there is at least one part and none is null.
  explicit ProductSet(SetParts parts);

  const SetParts& parts() const { return parts_; }
  // The part's piece of a vector of the product.
  Vector block(const Vector& vector, std::size_t part) const;

  Vector project(const Vector& point) const override;
  Vector support_point(const Vector& direction) const override;
  CertifiedSupport certified_support(const Vector& direction) const override;  // gaps add up
  // Root of the sum of squares of the parts': exact where theirs are.
  double diameter() const override;
  double normal_residual(const Vector& point, const Vector& direction) const override;

 private:
  SetParts parts_;
};

}  // namespace rgu
