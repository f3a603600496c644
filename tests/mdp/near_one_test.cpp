// Discounts up to the largest number below 1: evaluation, planning and projection.
#include <gtest/gtest.h>

#include <cmath>

#include "laws/models.hpp"
#include "rgu/mdp/flow_newton.hpp"
#include "rgu/mdp/nearest_mixture.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/occupancy_polytope.hpp"
#include "rgu/mdp/planning.hpp"
#include "rgu/mdp/subtraction_free_lu.hpp"

namespace rgu {
namespace {

const double kLargestBelowOne = std::nextafter(1.0, 0.0);

// ---- elimination without subtractions

// P = (1-p, p; q, 1-q), A = I - g P. A^-1 (1-g) (1, 1) = (1, 1), and with D = (1-g) + g (p+q)
//   (1-g) A^-1 e_0 = (1 - g + g q, g q) / D.
TEST(SubtractionFreeLu, SolvesTwoStatesByHandAtEveryDiscount) {
  for (const double left : {0.5, 1e-3, 1e-9, 1e-12, 1 - kLargestBelowOne}) {
    for (const double p : {0.25, 1e-7, 1e-300}) {
      const double q = 0.5 * p, g = 1 - left;
      Matrix chain(2, 2);
      chain << 1 - p, p, q, 1 - q;
      const SubtractionFreeLu lu(chain, g);
      const double exact_left = 1 - g;
      const double total = exact_left + g * (p + q);
      const Vector value = exact_left * lu.solve(Vector::Unit(2, 0));
      EXPECT_NEAR(value(0), (exact_left + g * q) / total, 4 * kEps);
      EXPECT_NEAR(value(1) * total / (g * q), 1, 8 * kEps) << left << " " << p;
      const Vector flow = exact_left * lu.solve_transposed(Vector::Unit(2, 0));
      EXPECT_NEAR(flow(0), (exact_left + g * q) / total, 4 * kEps);
      EXPECT_NEAR(flow(1) * total / (g * p), 1, 8 * kEps) << left << " " << p;
    }
  }
}

TEST(SubtractionFreeLu, AgreesWithLuWhereThatIsAccurate) {
  Rng rng(1);
  for (const Index n : {1, 2, 7, 40}) {
    const Matrix chain = testing_models::random_stochastic(n, n, rng);
    const SubtractionFreeLu ours(chain, 0.9);
    const LuFactor theirs(Eigen::MatrixXd::Identity(n, n) - 0.9 * chain);
    const Vector right = normal_vector(n, rng);
    EXPECT_LT((ours.solve(right) - theirs.solve(right)).norm(), 1e-13 * right.norm());
    EXPECT_LT((ours.solve_transposed(right) - theirs.solve_transposed(right)).norm(),
              1e-13 * right.norm());
  }
}

// State 0 leads to the absorbing states 1 and 2, to 1 with probability 1/3 under action 0 and 2/3
// under action 1. A policy that plays action 1 with probability x gives state 1 the mass
// g (1 + x) / 3, whatever the discount.
FiniteMdp two_traps(double discount) {
  Matrix p = Matrix::Zero(6, 3);
  p.row(0) << 0, 1.0 / 3, 2.0 / 3;
  p.row(1) << 0, 2.0 / 3, 1.0 / 3;
  p(2, 1) = p(3, 1) = p(4, 2) = p(5, 2) = 1;
  return {p, Vector::Unit(3, 0), discount};
}

TEST(PolicyEvaluation, SharesTheMassOfRecurrentClassesExactly) {
  for (const double g : {0.5, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12, kLargestBelowOne}) {
    const FiniteMdp dense = two_traps(g);
    for (const FiniteMdp& mdp : {dense, testing_models::as_sparse(dense)}) {
      for (const double x : {0.0, 0.125, 1.0}) {
        Matrix pi = Matrix::Constant(3, 2, 0.5);
        pi.row(0) << 1 - x, x;
        const Matrix lambda = occupancy(mdp, pi);
        EXPECT_NEAR(lambda.row(0).sum(), 1 - g, 4 * kEps * (1 - g));
        EXPECT_NEAR(lambda.row(1).sum(), g * (1 + x) / 3, 4 * kEps);
        EXPECT_NEAR(lambda.row(2).sum(), g * (2 - x) / 3, 4 * kEps);
      }
    }
  }
}

// ---- planning

// Costs that differ by 1e-6 in one state of a chain that mixes: values of 1e12 would hide it.
TEST(OptimalPlan, ComparesActionsByRelativeValuesNearOne) {
  for (const double g : {0.9, 1 - 1e-9, 1 - 1e-12, kLargestBelowOne}) {
    FiniteMdp mdp = testing_models::random_dense(6, 3, g, 7);
    Matrix cost(6, 3);
    for (Index s = 0; s < 6; ++s) cost.row(s) << 1 + 1e-6, 1, 1 + 2e-6;
    const Plan plan = optimal_plan(mdp, cost);
    EXPECT_EQ(plan.action, std::vector<Index>(6, 1));
    const double bound = (1 - g) * mdp.start().dot(plan.relative) + plan.shortfall;
    EXPECT_NEAR(bound, 1, 1e-14);
    EXPECT_LE(plan.relative.maxCoeff() - plan.relative.minCoeff(), 1e-13 / (g == 0.9 ? 0.1 : 1));
  }
}

// No policy is below the bound, and that of the plan is near it.
TEST(OptimalPlan, BoundsEveryPolicyNearOne) {
  for (const double g : {0.99, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const FiniteMdp mdp = testing_models::random_dense(5, 3, g, seed);
      Rng rng(seed, 1);
      const Matrix cost = Matrix::NullaryExpr(5, 3, [&] { return rng.normal(); });
      const Plan plan = optimal_plan(mdp, cost);
      const double bound = (1 - g) * mdp.start().dot(plan.relative) + plan.shortfall;
      const double attained =
          occupancy(mdp, deterministic_policy(plan.action, 3)).cwiseProduct(cost).sum();
      EXPECT_NEAR(bound, attained, 1e-12);
      for (std::uint64_t other = 0; other < 20; ++other) {
        const Matrix lambda = occupancy(mdp, testing_models::random_policy(mdp, other));
        EXPECT_LE(bound, lambda.cwiseProduct(cost).sum() + 1e-12);
      }
    }
  }
}

// ---- projection

// One state: Lambda is the probability simplex, at every discount.
TEST(ProjectOntoFlows, OfOneStateIsTheSimplexAtEveryDiscount) {
  for (const double g : {0.5, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12, kLargestBelowOne}) {
    const FiniteMdp mdp(Matrix::Ones(3, 1), Vector::Ones(1), g);
    Matrix point(1, 3);
    point << 0.5, 1, -2;
    const Matrix found = project_onto_flows(mdp, point);
    EXPECT_NEAR(found(0, 0), 0.25, 1e-15);
    EXPECT_NEAR(found(0, 1), 0.75, 1e-15);
    EXPECT_NEAR(found(0, 2), 0, 1e-15);
  }
}

// The masses m and g - m of the traps split evenly over their two actions: the nearest point to
// (0, 0; h, h; 0, 0) minimises 2 (m/2 - h)^2 + 2 ((g-m)/2)^2, plus squares of state 0 of size
// (1-g)^2. So m is g/2 + h, cut to [g/3, 2g/3], up to 1 - g.
TEST(ProjectOntoFlows, SharesTheMassOfRecurrentClassesNearOne) {
  for (const double left : {1e-4, 1e-6, 1e-9, 1e-12}) {
    const FiniteMdp mdp = two_traps(1 - left);
    for (const double h : {0.0, 0.1, -0.1, 0.125, 1.0, -3.0}) {
      Matrix point = Matrix::Zero(3, 2);
      point.row(1).setConstant(h);
      const FlowProjection found = project_onto_flows(mdp, point, Vector());
      const double mass = std::clamp(0.5 + h, 1.0 / 3, 2.0 / 3);
      EXPECT_NEAR(found.point.row(1).sum(), mass, 3 * left + 1e-9) << left << " " << h;
      EXPECT_NEAR(found.point.row(2).sum(), 1 - mass, 3 * left + 1e-9);
      EXPECT_LE(flow_residual(mdp, found.point), 1e-15);
    }
  }
}

enum class Shape { kDense, kUneven, kSparse, kDeterministic, kPeriodic, kAbsorbing, kUnreachable };
constexpr Shape kShapes[] = {Shape::kDense,         Shape::kUneven,   Shape::kSparse,
                             Shape::kDeterministic, Shape::kPeriodic, Shape::kAbsorbing,
                             Shape::kUnreachable};

Vector row_of(Shape shape, Index s, Index states, Rng& rng) {
  Vector row = Vector::Zero(states);
  const auto any = [&](Index below) {
    return static_cast<Index>(rng.below(static_cast<std::uint64_t>(below)));
  };
  const Index entered = shape == Shape::kUnreachable ? std::max<Index>(1, states / 2) : states;
  switch (shape) {
    case Shape::kDense:
      row = Vector::NullaryExpr(states, [&] { return rng.exponential(); });
      break;
    case Shape::kUneven:
      row = Vector::NullaryExpr(states, [&] { return std::pow(rng.uniform() + 1e-12, 5); });
      break;
    case Shape::kDeterministic:
      row(any(states)) = 1;
      break;
    case Shape::kPeriodic:
      row((s + 1) % states) = 1;
      break;
    default:
      for (int k = 0; k < 3; ++k) row(any(entered)) += rng.exponential();
  }
  if (shape == Shape::kAbsorbing && s % 3 == 0) row = Vector::Unit(states, s);
  return row / row.sum();
}

FiniteMdp model_of(Shape shape, double discount, Rng& rng) {
  const auto states = static_cast<Index>(1 + rng.below(40));
  const auto actions = static_cast<Index>(1 + rng.below(5));
  Matrix kernel(states * actions, states);
  for (Index r = 0; r < kernel.rows(); ++r) {
    kernel.row(r) = row_of(shape, r / actions, states, rng).transpose();
  }
  Vector start = Vector::Unit(states, 0);
  if (rng.uniform() < 0.5) start = row_of(Shape::kDense, 0, states, rng);
  if (rng.uniform() < 0.5) return {SparseMatrix(kernel.sparseView()), start, discount};
  return {std::move(kernel), start, discount};
}

// A member, and no other is nearer: <point - x, y - x> <= 0 for the y that makes it largest. A
// change of the kernel in its last digit moves members by up to kEps / (1-g).
void expect_projection(const FiniteMdp& mdp, const Matrix& point, Rng& rng) {
  const FlowProjection found = project_onto_flows(mdp, point, Vector());
  const Matrix& x = found.point;
  ASSERT_TRUE(x.allFinite());
  EXPECT_GE(x.minCoeff(), 0);
  EXPECT_LE(flow_residual(mdp, x), 1e-10);
  EXPECT_NEAR(x.sum(), 1, 1e-10);
  const Matrix outward = point - x;
  const double slack = 1e-9 + 64 * kEps / (1 - mdp.discount()) + 1000 * kEps * point.norm();
  const double allowed = slack * (outward.norm() + 1.5);
  const auto expect_farther = [&](const Matrix& y) {
    EXPECT_LE(outward.cwiseProduct(y - x).sum(), allowed);
  };
  const Vector best = OccupancyPolytope(mdp).support_point(flatten(outward));
  expect_farther(as_matrix(best, mdp.states(), mdp.actions()));
  for (int k = 0; k < 3; ++k) {
    std::vector<Index> actions(static_cast<std::size_t>(mdp.states()));
    for (Index& a : actions) {
      a = static_cast<Index>(rng.below(static_cast<std::uint64_t>(mdp.actions())));
    }
    expect_farther(occupancy(mdp, deterministic_policy(actions, mdp.actions())));
  }
}

class NearOne : public testing::TestWithParam<double> {};

TEST_P(NearOne, ProjectionsOfEverySizeAreMembersAndNearest) {
  Rng rng(20240607);
  for (const Shape shape : kShapes) {
    for (const double scale : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
      for (int k = 0; k < 4; ++k) {
        const FiniteMdp mdp = model_of(shape, 1 - GetParam(), rng);
        Matrix point =
            Matrix::NullaryExpr(mdp.states(), mdp.actions(), [&] { return scale * rng.normal(); });
        if (k % 2 == 0) point += occupancy(mdp, testing_models::random_policy(mdp, 1));
        SCOPED_TRACE(testing::Message()
                     << "shape " << static_cast<int>(shape) << ", scale " << scale << ", model "
                     << k << ", " << mdp.states() << " states");
        expect_projection(mdp, point, rng);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Discounts, NearOne,
                         testing::Values(0.5, 0.1, 1e-2, 1e-4, 1e-6, 1e-9, 1e-12,
                                         1 - kLargestBelowOne));

// Tangents at a vertex: the residual of a normal direction vanishes at every discount.
TEST(OccupancyPolytope, NormalResidualVanishesAtSupportPointsNearOne) {
  Rng rng(3);
  for (const double g : {0.9, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12}) {
    for (const Shape shape : {Shape::kDense, Shape::kSparse, Shape::kPeriodic}) {
      const FiniteMdp mdp = model_of(shape, g, rng);
      const OccupancyPolytope set(mdp);
      const Vector direction = normal_vector(set.dimension(), rng);
      EXPECT_LE(set.normal_residual(set.support_point(direction), direction),
                1e-6 * direction.norm());
    }
  }
}

// ---- mixtures

TEST(NearestMixture, AgreesWithNewtonOnEasyModels) {
  Rng rng(5);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const FiniteMdp mdp = testing_models::random_dense(6, 3, 0.9, seed);
    for (const double scale : {0.01, 1.0, 100.0}) {
      const Matrix point = Matrix::NullaryExpr(6, 3, [&] { return scale * rng.normal(); });
      const Matrix start = occupancy(mdp, testing_models::random_policy(mdp, seed));
      const NearestMixture found = nearest_mixture(mdp, point, start, 1000);
      EXPECT_LT((found.point - project_onto_flows(mdp, point)).norm(), 1e-7);
      EXPECT_LE(found.excess, 1e-12 * (1 + scale));
      EXPECT_LE(flow_residual(mdp, found.point), 1e-14);
    }
  }
}

TEST(NearestMixture, SaysHowFarItMayBeWhenItStopsEarly) {
  const FiniteMdp mdp = testing_models::random_dense(8, 4, 0.9, 11);
  Rng rng(12);
  const Matrix point = Matrix::NullaryExpr(8, 4, [&] { return 0.1 * rng.normal(); });
  const Matrix start = occupancy(mdp, testing_models::random_policy(mdp, 13));
  const Matrix best = project_onto_flows(mdp, point);
  for (const int rounds : {0, 1, 2, 5}) {
    const NearestMixture found = nearest_mixture(mdp, point, start, rounds);
    EXPECT_GT(found.excess, 0);
    EXPECT_LE((found.point - best).squaredNorm(), found.excess);
    EXPECT_LE(flow_residual(mdp, found.point), 1e-14);
  }
}

}  // namespace
}  // namespace rgu
