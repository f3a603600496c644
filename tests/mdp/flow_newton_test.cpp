#include "rgu/mdp/flow_newton.hpp"

#include <gtest/gtest.h>

#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {
namespace {

using testing_models::random_dense;
using testing_models::random_sparse;

Matrix random_point(const FiniteMdp& mdp, double spread, std::uint64_t seed) {
  Rng rng(seed);
  return Matrix::NullaryExpr(mdp.states(), mdp.actions(), [&] { return spread * rng.normal(); });
}

// (E'v)(s,a) = v(s) - g sum_{s'} P(s'|s,a) v(s').
Matrix adjoint_flow(const FiniteMdp& mdp, const Vector& v) {
  Matrix result = -mdp.discount() * mdp.expected_next(v);
  result.colwise() += v;
  return result;
}

std::vector<FiniteMdp> models() {
  return {random_dense(1, 3, 0.5, 1), random_dense(8, 3, 0.9, 2), random_dense(20, 4, 0.99, 3),
          random_sparse(60, 3, 0.95, 4)};
}

// The projection is known by its multipliers: x in Lambda, x = max(0, point + E'v).
TEST(ProjectOntoFlows, SolvesItsOptimalityConditions) {
  for (const FiniteMdp& mdp : models()) {
    for (const double spread : {0.01, 1.0}) {
      const Matrix point = random_point(mdp, spread, 5);
      const FlowProjection found = project_onto_flows(mdp, point, Vector());
      EXPECT_LT(flow_residual(mdp, found.point), 1e-12);
      ASSERT_EQ(found.multipliers.size(), mdp.states());
      const Matrix expected = (point + adjoint_flow(mdp, found.multipliers)).cwiseMax(0.0);
      EXPECT_LT((found.point - expected).cwiseAbs().maxCoeff(), 1e-10);
    }
  }
}

TEST(ProjectOntoFlows, IsTheSameFromEveryGuess) {
  for (const FiniteMdp& mdp : models()) {
    for (const double spread : {0.01, 1.0, 30.0}) {
      const Matrix point = random_point(mdp, spread, 6);
      const FlowProjection plain = project_onto_flows(mdp, point, Vector());
      EXPECT_EQ(plain.point, project_onto_flows(mdp, point));
      const Matrix nearby = point + 0.01 * random_point(mdp, spread, 7);
      const Vector near = project_onto_flows(mdp, nearby, Vector()).multipliers;
      const Vector far = flatten(random_point(mdp, 5 * spread, 8)).head(mdp.states());
      const Vector zero = Vector::Zero(mdp.states());
      for (const Vector& guess : {plain.multipliers, near, far, zero}) {
        const Matrix found = project_onto_flows(mdp, point, guess).point;
        EXPECT_LT((found - plain.point).cwiseAbs().maxCoeff(), 1e-11 * std::max(1.0, spread));
      }
    }
  }
}

TEST(ProjectOntoFlows, RefusesAGuessOfAnotherSize) {
  const FiniteMdp mdp = random_dense(4, 2, 0.9, 9);
  expect_invalid([&] { project_onto_flows(mdp, Matrix::Zero(4, 2), Vector::Zero(3)); },
                 "guess of the multipliers has 3 entries");
}

}  // namespace
}  // namespace rgu
