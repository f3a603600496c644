#include "rgu/mdp/occupancy_polytope.hpp"

#include <gtest/gtest.h>

#include "laws/convex_set_laws.hpp"
#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {
namespace {

using testing_models::as_sparse;
using testing_models::random_dense;
using testing_models::random_policy;
using testing_models::random_sparse;

// State 0 leads to state 1 by action 0 and to state 2 by action 1; both are absorbing. g = 1/2,
// start in 0. With a = x(0,0) and b = x(0,1) the flow equations are
//   a + b = 1/2,   x(1,0) + x(1,1) = a,   x(2,0) + x(2,1) = b.
FiniteMdp fork_in_the_road() {
  Matrix p(6, 3);
  p << 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1;
  return {p, Vector::Unit(3, 0), 0.5};
}

// Nearest to y = (h, 0; 0, 0; 0, 0): the mass a splits evenly over the actions of state 1, b over
// those of state 2, so minimise (a-h)^2 + b^2 + a^2/2 + b^2/2 with b = 1/2 - a. The derivative
// 6 a - 2 h - 3/2 vanishes at a = h/3 + 1/4.
//   h = 1/2: a = 5/12, b = 1/12.   h = 1: a = 7/12 > 1/2, so a = 1/2, b = 0.
TEST(OccupancyPolytope, ProjectionOnThreeStatesIsTheHandSolvedOne) {
  const FiniteMdp dense = fork_in_the_road();
  for (const FiniteMdp& mdp : {dense, as_sparse(dense)}) {
    const OccupancyPolytope polytope(mdp);
    Vector expected(6);
    expected << 5.0 / 12, 1.0 / 12, 5.0 / 24, 5.0 / 24, 1.0 / 24, 1.0 / 24;
    EXPECT_LT((polytope.project(0.5 * Vector::Unit(6, 0)) - expected).norm(), 1e-14);
    expected << 0.5, 0, 0.25, 0.25, 0, 0;
    EXPECT_LT((polytope.project(Vector::Unit(6, 0)) - expected).norm(), 1e-14);
  }
}

SetCase polytope_case(std::string name, FiniteMdp mdp) {
  const auto shared = std::make_shared<FiniteMdp>(std::move(mdp));
  SetCase result;
  result.name = std::move(name);
  result.set = std::shared_ptr<const ConvexSet>(new OccupancyPolytope(*shared),
                                                [shared](const ConvexSet* set) { delete set; });
  result.violation = [shared](const Vector& x) {
    return flow_residual(*shared, as_matrix(x, shared->states(), shared->actions()));
  };
  result.law.diameter = DiameterKind::kUpperBound;
  return result;
}

INSTANTIATE_TEST_SUITE_P(OccupancyPolytopes, ConvexSetLaws,
                         testing::Values(polytope_case("Dense", random_dense(6, 3, 0.9, 1)),
                                         polytope_case("DenseNearOne",
                                                       random_dense(4, 3, 0.999, 2)),
                                         polytope_case("OneState", random_dense(1, 5, 0.5, 3)),
                                         polytope_case("OneAction", random_dense(5, 1, 0.8, 4)),
                                         polytope_case("Sparse", random_sparse(8, 2, 0.95, 5)),
                                         polytope_case("Fork", fork_in_the_road())),
                         set_case_name);

// <y - P(y), x - P(y)> <= 0 at the member x where it is largest: proves the projection right.
void expect_nearest(const FiniteMdp& mdp, const Vector& point) {
  const OccupancyPolytope polytope(mdp);
  const Vector nearest = polytope.project(point);
  EXPECT_LE(flow_residual(mdp, as_matrix(nearest, mdp.states(), mdp.actions())), 1e-10);
  const Vector outward = point - nearest;
  EXPECT_LE(outward.dot(polytope.support_point(outward) - nearest),
            1e-10 * std::max(1.0, outward.norm()));
}

TEST(OccupancyPolytope, ProjectsFiveThousandPairsNearAndFar) {
  Rng rng(6);
  for (const FiniteMdp& mdp : {random_dense(500, 10, 0.95, 7), random_sparse(2500, 2, 0.95, 8)}) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
      expect_nearest(mdp, scale * normal_vector(5000, rng));
    }
  }
}

TEST(OccupancyPolytope, ProjectsOnSparseModelsTooLargeForADenseFactor) {
  Rng rng(9);
  const FiniteMdp mdp = random_sparse(6000, 2, 0.9, 10);
  for (const double scale : {1e-4, 1.0}) expect_nearest(mdp, scale * normal_vector(12000, rng));
}

TEST(OccupancyPolytope, LeavesOccupanciesWhereTheyAre) {
  const FiniteMdp mdp = random_dense(30, 4, 0.99, 11);
  const OccupancyPolytope polytope(mdp);
  const Vector lambda = flatten(occupancy(mdp, random_policy(mdp, 12)));
  EXPECT_LE((polytope.project(lambda) - lambda).norm(), 1e-12);
  EXPECT_TRUE(contains(polytope, lambda, 1e-12));
  EXPECT_FALSE(contains(polytope, lambda + Vector::Constant(120, 1e-3), 1e-6));
}

TEST(OccupancyPolytope, RefusesBadPoints) {
  const FiniteMdp mdp = random_dense(3, 2, 0.9, 1);
  const OccupancyPolytope polytope(mdp);
  expect_invalid([&] { polytope.project(Vector::Zero(5)); }, "point has 5 entries, must have 6");
  expect_invalid([&] { polytope.project(Vector::Constant(6, NAN)); }, "point[0] is nan");
  expect_invalid([&] { polytope.support_point(Vector::Zero(7)); }, "direction has 7 entries");
}

}  // namespace
}  // namespace rgu
