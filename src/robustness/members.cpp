#include "rgu/robustness/members.hpp"

#include "rgu/ambiguity/product_set.hpp"

namespace rgu {

namespace {

Vector member_of_product(const ProductSet& product, Rng& rng) {
  Vector member(product.dimension());
  Index begin = 0;
  for (const auto& part : product.parts()) {
    member.segment(begin, part->dimension()) = random_member(*part, rng);
    begin += part->dimension();
  }
  return member;
}

Vector projected_member(const ConvexSet& set, Rng& rng) {
  const Vector direction = normal_vector(set.dimension(), rng).normalized();
  return set.project(centre_of(set) + rng.uniform() * set.diameter() * direction);
}

}  // namespace

Vector centre_of(const ConvexSet& set) { return set.support_point(Vector::Zero(set.dimension())); }

Vector random_member(const ConvexSet& set, Rng& rng) {
  const auto* product = dynamic_cast<const ProductSet*>(&set);
  if (product != nullptr) return member_of_product(*product, rng);
  if (set.dimension() == 0) return Vector(0);
  const double which = rng.uniform();
  if (which < 0.5) return projected_member(set, rng);
  Vector extreme = set.support_point(normal_vector(set.dimension(), rng));
  if (which < 0.75) return extreme;
  const double share = rng.uniform();
  return share * extreme + (1 - share) * projected_member(set, rng);
}

}  // namespace rgu
