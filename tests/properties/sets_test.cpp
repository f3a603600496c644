// The laws of convex sets on sets of every kind, tiny and huge. What rounding allows is in
// proportion to the numbers that are added up: the set's own size, its place, and the point's.
#include <cmath>

#include "properties/drawn.hpp"
#include "rgu/mdp/occupancy_polytope.hpp"
#include "rgu/mdp/policy_evaluation.hpp"

namespace rgu {
namespace {

// A set with points around it: near, on the scale of the set, and far.
struct Around {
  Around(const ConvexSet& of, std::uint64_t seed)
      : set(of), rng(seed, 1), centre(set.support_point(Vector::Zero(set.dimension()))) {}

  Vector point() {
    const double reach = std::pow(10.0, rng.uniform(-2, 4));
    const double size = set.diameter() > 0 ? set.diameter() : 1;
    return centre + reach * size * normal_vector(set.dimension(), rng);
  }
  Vector member() {
    const Vector corner = set.support_point(normal_vector(set.dimension(), rng));
    const double share = rng.uniform();
    return share * corner + (1 - share) * set.project(point());
  }
  // What a place may be off by.
  double slack(const Vector& point) const {
    return loose + 1e-9 * set.diameter() + 1000 * kEps * (centre.norm() + point.norm());
  }

  const ConvexSet& set;
  Rng rng;
  Vector centre;
  double loose = 0;  // what equations that are nearly dependent leave open
};

void expect_projection_laws(Around at) {
  const Vector x = at.point(), other = at.point();
  const Vector nearest = at.set.project(x);
  RC_ASSERT(nearest.allFinite());
  RC_ASSERT((at.set.project(nearest) - nearest).norm() <= at.slack(nearest));
  RC_ASSERT((nearest - at.set.project(other)).norm() <=
            (x - other).norm() + at.slack(x) + at.slack(other));
  const Vector outward = x - nearest;
  const double allowed = at.slack(x) * (outward.norm() + at.set.diameter());
  for (int k = 0; k < 10; ++k) RC_ASSERT(outward.dot(at.member() - nearest) <= allowed);
  RC_ASSERT(outward.dot(at.set.support_point(outward) - nearest) <= allowed);
}

void expect_support_laws(Around at) {
  const Vector direction =
      std::pow(10.0, at.rng.uniform(-12, 12)) * normal_vector(at.set.dimension(), at.rng);
  const Vector best = at.set.support_point(direction);
  RC_ASSERT((at.set.project(best) - best).norm() <= at.slack(best));
  for (int k = 0; k < 10; ++k) {
    const Vector member = at.member();
    RC_ASSERT(direction.dot(member - best) <= direction.norm() * at.slack(member));
    RC_ASSERT((member - best).norm() <= at.set.diameter() + at.slack(member));
  }
}

RC_GTEST_PROP(SetProperties, ProjectionIsTheNearestMember, (const drawn::Set& drawn)) {
  const auto set = made(drawn);
  expect_projection_laws(Around(*set, drawn.seed));
}

RC_GTEST_PROP(SetProperties, SupportPointBeatsEveryMember, (const drawn::Set& drawn)) {
  const auto set = made(drawn);
  expect_support_laws(Around(*set, drawn.seed));
}

RC_GTEST_PROP(SetProperties, NormalResidualVanishesAtSupportPoints, (const drawn::Set& drawn)) {
  const auto set = made(drawn);
  Rng rng(drawn.seed, 2);
  const Vector direction = normal_vector(set->dimension(), rng);
  const double residual = set->normal_residual(set->support_point(direction), direction);
  // A centre whose rounding is felt beside the radius leaves no direction to judge by.
  const double centre = set->support_point(Vector::Zero(set->dimension())).norm();
  RC_PRE(set->diameter() == 0 || centre <= 10 * set->diameter());
  RC_ASSERT(residual >= 0);
  RC_ASSERT(residual <= 1e-5 * direction.norm());
}

// Flow equations that hold within r fix a member within r / (1-g).
Around polytope_around(const OccupancyPolytope& set, const FiniteMdp& mdp, std::uint64_t seed) {
  Around around(set, seed);
  around.loose = 64 * kEps * static_cast<double>(set.dimension()) / (1 - mdp.discount());
  if (mdp.is_sparse()) around.loose += EvaluationOptions().residual / (1 - mdp.discount());
  return around;
}

RC_GTEST_PROP(OccupancyPolytopeProperties, ProjectionIsTheNearestMember,
              (const drawn::Model& drawn)) {
  const FiniteMdp mdp = made(drawn);
  const OccupancyPolytope set(mdp);
  expect_projection_laws(polytope_around(set, mdp, drawn.seed));
}

RC_GTEST_PROP(OccupancyPolytopeProperties, SupportPointBeatsEveryMember,
              (const drawn::Model& drawn)) {
  const FiniteMdp mdp = made(drawn);
  const OccupancyPolytope set(mdp);
  expect_support_laws(polytope_around(set, mdp, drawn.seed));
}

}  // namespace
}  // namespace rgu
