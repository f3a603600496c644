#include "rgu/mdp/occupancy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/mdp/generators.hpp"
namespace rgu {
namespace {

using testing_models::as_dense;
using testing_models::as_sparse;
using testing_models::random_dense;
using testing_models::random_policy;
using testing_models::random_sparse;

// Two states, action 0 stays and action 1 switches; start in state 0; g = 1/2;
// pi(switch|0) = p = 1/2, pi(switch|1) = q = 1/4.
//   d0 = (1-g) + g ((1-p) d0 + q d1), d0 + d1 = 1
//   => d0 = (1-g + g q) / (1-g + g p + g q) = (5/8) / (7/8) = 5/7, d1 = 2/7.
struct TwoStates {
  TwoStates() {
    Matrix p(4, 2);
    p << 1, 0, 0, 1, 0, 1, 1, 0;
    mdp = std::make_unique<FiniteMdp>(p, Vector::Unit(2, 0), 0.5);
    pi.resize(2, 2);
    pi << 0.5, 0.5, 0.75, 0.25;
  }
  std::unique_ptr<FiniteMdp> mdp;
  Matrix pi;
};

TEST(Occupancy, OfTheTwoStateModelIsTheHandSolvedOne) {
  const TwoStates world;
  Matrix expected(2, 2);
  expected << 5.0 / 14, 5.0 / 14, 3.0 / 14, 1.0 / 14;
  EXPECT_LT((occupancy(*world.mdp, world.pi) - expected).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT((occupancy(as_sparse(*world.mdp), world.pi) - expected).cwiseAbs().maxCoeff(), 1e-12);
}

// The cost of being in state 1: V(0) = <c, lambda> / (1-g) = (2/7) / (1/2) = 4/7 because the start
// is state 0, and V(1) = 1 + g (q V(0) + (1-q) V(1)) => V(1) = (1 + 1/14) / (5/8) = 12/7.
TEST(PolicyEvaluation, ValuesOfTheTwoStateModelAreTheHandSolvedOnes) {
  const TwoStates world;
  Matrix cost(2, 2);
  cost << 0, 0, 1, 1;
  for (const FiniteMdp& mdp : {*world.mdp, as_sparse(*world.mdp)}) {
    const PolicyEvaluation evaluation(mdp, world.pi);
    const Vector value = evaluation.value(cost);
    EXPECT_NEAR(value(0), 4.0 / 7, 1e-12);
    EXPECT_NEAR(value(1), 12.0 / 7, 1e-12);
    // Q(0, switch) = 0 + g V(1), Q(1, switch) = 1 + g V(0).
    const Matrix q = evaluation.action_value(cost);
    EXPECT_NEAR(q(0, 1), 6.0 / 7, 1e-12);
    EXPECT_NEAR(q(1, 1), 9.0 / 7, 1e-12);
  }
}

struct OccupancyCase {
  std::string name;
  FiniteMdp mdp;
  double tolerance;  // of the flow equations
};

FiniteMdp long_chain(Index states, double discount) {
  // Right with action 1, left with action 0: values travel far, which is hard for iterations.
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  for (Index s = 0; s < states; ++s) {
    entries.emplace_back(2 * s, std::max<Index>(s - 1, 0), 1.0);
    entries.emplace_back(2 * s + 1, std::min<Index>(s + 1, states - 1), 1.0);
  }
  SparseMatrix kernel(2 * states, states);
  kernel.setFromTriplets(entries.begin(), entries.end());
  return {std::move(kernel), Vector::Unit(states, 0), discount};
}

void PrintTo(const OccupancyCase& each, std::ostream* out) { *out << each.name; }

class OccupancyLaws : public testing::TestWithParam<OccupancyCase> {
 protected:
  const FiniteMdp& mdp() const { return GetParam().mdp; }
  double tolerance() const { return GetParam().tolerance; }
  Matrix pi() const { return random_policy(mdp(), 5); }
};

TEST_P(OccupancyLaws, FlowEquationsHold) {
  const Matrix lambda = occupancy(mdp(), pi());
  EXPECT_LE(flow_residual(mdp(), lambda), tolerance());
  EXPECT_NEAR(lambda.sum(), 1.0, tolerance() / (1 - mdp().discount()));
  EXPECT_GE(lambda.minCoeff(), -tolerance());
}

TEST_P(OccupancyLaws, CostOfTheOccupancyIsTheValueAtTheStart) {
  Rng rng(9);
  const Matrix cost =
      Matrix::NullaryExpr(mdp().states(), mdp().actions(), [&] { return rng.normal(); });
  const PolicyEvaluation evaluation(mdp(), pi());
  EXPECT_NEAR(evaluation.occupancy().cwiseProduct(cost).sum(),
              (1 - mdp().discount()) * mdp().start().dot(evaluation.value(cost)), 1e-10);
}

TEST_P(OccupancyLaws, ValueSolvesTheBellmanEquation) {
  Rng rng(10);
  const Matrix cost =
      Matrix::NullaryExpr(mdp().states(), mdp().actions(), [&] { return rng.normal(); });
  const PolicyEvaluation evaluation(mdp(), pi());
  const Vector value = evaluation.value(cost);
  const Vector next = evaluation.action_value(cost).cwiseProduct(pi()).rowwise().sum();
  EXPECT_LE((value - next).cwiseAbs().maxCoeff(), 1e-10 * std::max(1.0, value.norm()));
}

TEST_P(OccupancyLaws, PolicyComesBackFromItsOccupancy) {
  const Matrix lambda = occupancy(mdp(), pi()).cwiseMax(0.0);
  const Matrix back = policy_from_occupancy(lambda);
  for (Index s = 0; s < mdp().states(); ++s) {
    if (lambda.row(s).sum() < 1e-9) continue;  // nothing is known of the policy where it never goes
    EXPECT_LE((back.row(s) - pi().row(s)).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST_P(OccupancyLaws, TruncatedOccupanciesAreMissingExactlyTheTail) {
  const double g = mdp().discount();
  EXPECT_NEAR(truncated_occupancy(mdp(), pi(), 1).sum(), 1 - g, 1e-13);
  EXPECT_NEAR(truncated_occupancy(mdp(), pi(), 7).sum(), 1 - std::pow(g, 7), 1e-13);
  // lambda = lambda_H + g^H (occupancy started from the state distribution at H): in L1 the tail
  // is g^H exactly.
  const Matrix tail = occupancy(mdp(), pi()) - truncated_occupancy(mdp(), pi(), 30);
  EXPECT_NEAR(tail.sum(), std::pow(g, 30), tolerance() / (1 - g));
  EXPECT_GE(tail.minCoeff(), -tolerance());
}

std::vector<OccupancyCase> occupancy_cases() {
  return {{"DenseSmall", random_dense(10, 5, 0.95, 1), 1e-12},
          {"DenseOneState", random_dense(1, 3, 0.5, 2), 1e-12},
          {"DenseOneAction", random_dense(7, 1, 0.9, 3), 1e-12},
          {"DenseLarger", random_dense(120, 3, 0.999, 4), 1e-12},
          {"DenseNearOne", random_dense(8, 2, 1 - 1e-6, 5), 1e-12},
          {"SparseSmall", random_sparse(10, 2, 0.9, 6), 1e-12},
          {"SparseLarger", random_sparse(3000, 3, 0.99, 7), 1e-12},
          {"SparseOneState", random_sparse(1, 2, 0.7, 8), 1e-12},
          {"SparseChain", long_chain(2000, 0.999), 1e-12}};
}

INSTANTIATE_TEST_SUITE_P(Models, OccupancyLaws, testing::ValuesIn(occupancy_cases()),
                         [](const auto& each) { return each.param.name; });

TEST(Occupancy, OfSparseAndDenseKernelsAgree) {
  const FiniteMdp sparse = random_sparse(200, 3, 0.95, 11);
  const Matrix pi = random_policy(sparse, 12);
  EXPECT_LE((occupancy(sparse, pi) - occupancy(as_dense(sparse), pi)).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(Occupancy, AcrossSeveralColumnBlocksAgreesWithTheDefinition) {
  // More than 2^16 states, so that the products run over more than one block of columns.
  const FiniteMdp mdp = random_sparse(150000, 2, 0.9, 13);
  const Matrix pi = random_policy(mdp, 14);
  EXPECT_LE(flow_residual(mdp, occupancy(mdp, pi)), 1e-12);
}

void expect_products(const FiniteMdp& mdp) {
  const Matrix pi = random_policy(mdp, 16);
  Eigen::MatrixXd expected = Eigen::MatrixXd::Identity(50, 50);
  for (Index s = 0; s < 50; ++s) {
    for (Index a = 0; a < 4; ++a) {
      expected.row(s) -= 0.9 * pi(s, a) * Matrix(mdp.sparse_kernel()).row(s * 4 + a);
    }
  }
  const DiscountedSystem system(mdp.sparse_kernel(), pi, 0.9);
  Rng rng(17);
  const Vector x = normal_vector(50, rng);
  Vector product;
  system.multiply(x, product);
  EXPECT_LE((product - expected * x).cwiseAbs().maxCoeff(), 1e-14);
  system.multiply_transposed(x, product);
  EXPECT_LE((product - expected.transpose() * x).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(DiscountedSystem, ProductsAreThoseOfTheMatrix) {
  expect_products(random_sparse(50, 4, 0.9, 15));
  // Rows with many successors are merged in another way.
  expect_products(as_sparse(random_dense(50, 4, 0.9, 18)));
}

TEST(Occupancy, StatesNeverReachedHaveNoMassAndAUniformPolicy) {
  // State 2 is left for state 0 and never entered.
  Matrix p(3, 3);
  p << 0.5, 0.5, 0, 1, 0, 0, 1, 0, 0;
  const FiniteMdp mdp(p.replicate(1, 1), Vector::Unit(3, 0), 0.9);
  EXPECT_EQ(mdp.actions(), 1);
  const Matrix lambda = occupancy(mdp, Matrix::Ones(3, 1));
  EXPECT_EQ(lambda(2, 0), 0.0);
  Matrix two(2, 2);
  two << 0, 0, 0.3, 0.1;
  EXPECT_EQ(policy_from_occupancy(two)(0, 1), 0.5);
  EXPECT_NEAR(policy_from_occupancy(two)(1, 0), 0.75, 1e-15);
}

TEST(Occupancy, TinyMassesStillGiveAPolicy) {
  Matrix lambda(1, 2);
  lambda << 3e-310, 1e-310;
  const Matrix pi = policy_from_occupancy(lambda);
  EXPECT_NEAR(pi(0, 0), 0.75, 1e-9);
  EXPECT_NEAR(pi.sum(), 1.0, 1e-15);
}

// One state, two actions: Lambda is what sums to 1. A sum of 3/4 misses its equation by
// |3/4 - (1-g) - g 3/4| = (1-g)/4; a negative entry breaks no equation but is no mass.
TEST(FlowResidual, IsWhatAnEquationLacksOrTheMassBelowZero) {
  const FiniteMdp mdp(Matrix(Matrix::Ones(2, 1)), Vector::Ones(1), 0.9);
  EXPECT_NEAR(flow_residual(mdp, Matrix{{0.5, 0.5}}), 0, 1e-15);
  EXPECT_NEAR(flow_residual(mdp, Matrix{{0.5, 0.25}}), 0.025, 1e-15);
  EXPECT_NEAR(flow_residual(mdp, Matrix{{1.25, -0.25}}), 0.25, 1e-15);
}

TEST(Occupancy, RefusesBadInput) {
  const FiniteMdp mdp = random_dense(3, 2, 0.9, 1);
  expect_invalid([&] { occupancy(mdp, Matrix::Constant(3, 3, 1.0 / 3)); }, "policy is 3 x 3");
  expect_invalid([&] { occupancy(mdp, Matrix::Constant(3, 2, 0.6)); },
                 "policy row s=0 sums to 1.2");
  expect_invalid([&] { truncated_occupancy(mdp, Matrix::Constant(3, 2, 0.5), 0); },
                 "horizon is 0, must be at least 1");
  expect_invalid([&] { policy_from_occupancy(Matrix::Constant(2, 2, -0.1)); },
                 "occupancy s=0 a=0 is -0.1");
  expect_invalid([&] { policy_from_occupancy(Matrix::Constant(2, 2, NAN)); },
                 "occupancy s=0 a=0 is nan");
  expect_invalid([&] { flow_residual(mdp, Matrix::Zero(2, 2)); }, "occupancy is 2 x 2");
  expect_invalid([&] { occupancy(mdp, Matrix::Constant(3, 2, 0.5), {.residual = 0}); },
                 "residual is 0");
  const PolicyEvaluation evaluation(mdp, Matrix::Constant(3, 2, 0.5));
  expect_invalid([&] { evaluation.value(Matrix::Zero(2, 3)); }, "cost is 2 x 3, must be 3 x 2");
}

// (1 - g) / rounding is about 1 here: the equations alone would leave the total to chance.
TEST(Occupancy, SumsToOneAtADiscountNextToOne) {
  Rng rng(5);
  const World world = random_model({.states = 10, .actions = 3, .discount = 1 - 1e-15}, rng);
  const Matrix lambda = occupancy(world.mdp, Matrix::Constant(10, 3, 1.0 / 3));
  EXPECT_NEAR(lambda.sum(), 1, 1e-12);
}

}  // namespace
}  // namespace rgu
