#include "rgu/global/witness_bound.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "laws/models.hpp"
#include "laws/problems.hpp"
#include "laws/throws.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/planning.hpp"

namespace rgu {
namespace {

Matrix random_policy(Index states, Index actions, Rng& rng) {
  Matrix pi = Matrix::NullaryExpr(states, actions, [&] { return 0.01 + rng.uniform(); });
  for (Index s = 0; s < states; ++s) pi.row(s) /= pi.row(s).sum();
  return pi;
}

using Exact = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The occupancy of a policy, of more digits than the library's.
Exact exact_occupancy(const FiniteMdp& mdp, const Matrix& policy) {
  const Index states = mdp.states();
  const long double g = mdp.discount();
  Exact flow = Exact::Identity(states, states);
  for (Index next = 0; next < states; ++next) {
    const Matrix column = mdp.expected_next(Vector::Unit(states, next));
    for (Index s = 0; s < states; ++s) {
      for (Index a = 0; a < mdp.actions(); ++a) flow(next, s) -= g * column(s, a) * policy(s, a);
    }
  }
  const Exact start = (1 - g) * mdp.start().cast<long double>();
  const Exact mass = flow.fullPivLu().solve(start);
  Exact result = policy.cast<long double>();
  for (Index s = 0; s < states; ++s) result.row(s) *= mass(s, 0);
  return result;
}

std::vector<Exact> deterministic_occupancies(const FiniteMdp& mdp) {
  std::vector<Exact> all;
  std::vector<Index> action(static_cast<std::size_t>(mdp.states()), 0);
  for (bool more = true; more;) {
    all.push_back(exact_occupancy(mdp, deterministic_policy(action, mdp.actions())));
    std::size_t s = 0;
    while (s < action.size() && ++action[s] == mdp.actions()) action[s++] = 0;
    more = s < action.size();
  }
  return all;
}

TangentPoint random_tangent(const FiniteMdp& mdp, const Utility& utility, Rng& rng) {
  TangentPoint at{
      .nature = (normal_vector(utility.nature_dimension(), rng).cwiseAbs().array() + 0.1).matrix(),
      .occupancy = occupancy(mdp, random_policy(mdp.states(), mdp.actions(), rng)),
      .direction = {}};
  at.direction = least_directions(utility, at);
  return at;
}

Witness random_witness(const FiniteMdp& mdp, const Utility& utility, int pieces, Rng& rng) {
  Witness witness;
  Matrix slope = Matrix::Zero(mdp.states(), mdp.actions());
  for (int i = 0; i < pieces; ++i) {
    const TangentPoint at = random_tangent(mdp, utility, rng);
    const double weight = 1.0 / pieces;
    slope += weight * tangent(utility, at).slope;
    witness.pieces.push_back({.weight = weight, .at = std::make_shared<TangentPoint>(at)});
  }
  witness.potential = optimal_plan(mdp, slope).value;
  return witness;
}

std::vector<NamedUtility> convex_utilities(Index states, Index actions) {
  std::vector<NamedUtility> convex;
  for (NamedUtility& named : every_utility(states, actions, 5)) {
    if (named.utility->traits().convex_in_occupancy) convex.push_back(std::move(named));
  }
  Rng rng(6);
  const auto drift = std::make_shared<Drift>(DriftOptions{
      .actions = actions,
      .features = Matrix::NullaryExpr(states * actions, 3, [&] { return rng.normal(); }),
      .dimension = 2});
  const auto robust = std::make_shared<RewardRobust>(OccupancyShape{states, actions});
  convex.push_back({"SumOfDrifts", std::make_shared<Sum>(std::vector<WeightedUtility>{
                                       {0.5, drift}, {0.0, drift}, {0.3, robust}, {2.0, drift}})});
  return convex;
}

TEST(Tangent, TouchesTheUtilityAndLiesBelowIt) {
  const FiniteMdp mdp = testing_models::random_dense(4, 3, 0.9, 1);
  for (const auto& [name, utility] : convex_utilities(4, 3)) {
    Rng rng(2);
    for (int trial = 0; trial < 5; ++trial) {
      const TangentPoint at = random_tangent(mdp, *utility, rng);
      const Cut cut = tangent(*utility, at);
      const auto value = [&](const Matrix& lambda) {
        return cut.offset + cut.slope.cwiseProduct(lambda).sum();
      };
      const double here = utility->evaluate(at.occupancy, at.nature).value;
      EXPECT_NEAR(value(at.occupancy), here, 1e-12 * (1 + std::abs(here))) << name;
      for (int i = 0; i < 20; ++i) {
        const Matrix other = occupancy(mdp, random_policy(4, 3, rng));
        EXPECT_LE(value(other), utility->evaluate(other, at.nature).value + 1e-12) << name;
      }
    }
  }
}

TEST(Tangent, OfADriftHoldsForEveryDirectionAndDoesNotNeedItsLength) {
  const FiniteMdp mdp = testing_models::random_dense(4, 3, 0.9, 1);
  Rng rng(3);
  const Drift drift({.actions = 3,
                     .features = Matrix::NullaryExpr(12, 4, [&] { return rng.normal(); }),
                     .dimension = 2});
  TangentPoint at{.nature = normal_vector(8, rng), .occupancy = {}, .direction = {}};
  for (int i = 0; i < 20; ++i) {
    at.direction = normal_vector(2, rng);
    const Cut cut = tangent(drift, at);
    TangentPoint longer = at;
    longer.direction *= 1e3;
    EXPECT_LE((tangent(drift, longer).slope - cut.slope).norm(), 1e-12 * cut.slope.norm());
    const Matrix lambda = occupancy(mdp, random_policy(4, 3, rng));
    EXPECT_LE(cut.slope.cwiseProduct(lambda).sum(),
              drift.evaluate(lambda, at.nature).value + 1e-12);
  }
}

// A linear function on Lambda is least at a deterministic policy.
TEST(WitnessBound, IsThatOfPlanningAndNeverAboveTheLeastOfAllPolicies) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const FiniteMdp mdp = seed % 2 == 0 ? testing_models::random_dense(4, 3, 0.9, seed)
                                        : testing_models::random_sparse(4, 3, 0.99, seed);
    const std::vector<Exact> vertices = deterministic_occupancies(mdp);
    for (const auto& [name, utility] : convex_utilities(4, 3)) {
      Rng rng(seed);
      const Witness witness = random_witness(mdp, *utility, 3, rng);
      const WitnessBound proven = witness_bound(mdp, *utility, witness);
      Cut mean{.slope = Matrix::Zero(4, 3)};
      for (const WitnessPiece& piece : witness.pieces) {
        const Cut cut = tangent(*utility, *piece.at);
        mean.slope += piece.weight * cut.slope;
        mean.offset += piece.weight * cut.offset;
      }
      long double least = kInfinity;
      for (const Exact& lambda : vertices) {
        const long double there =
            mean.offset + mean.slope.cast<long double>().cwiseProduct(lambda).sum();
        least = std::min(least, there);
      }
      const double size = std::abs(mean.offset) + mean.slope.cwiseAbs().maxCoeff();
      EXPECT_LE(proven.bound, least) << name;
      EXPECT_NEAR(proven.bound, static_cast<double>(least), 1e-10 * size) << name;
      EXPECT_GT(proven.rounding, 0) << name;
      EXPECT_LT(proven.rounding, 1e-10 * size) << name;
    }
  }
}

TEST(WitnessBound, HoldsForEveryPotential) {
  const FiniteMdp mdp = testing_models::random_dense(4, 3, 0.9, 7);
  const Drift drift({.actions = 3, .features = Matrix::Random(12, 4), .dimension = 2});
  Rng rng(8);
  Witness witness = random_witness(mdp, drift, 2, rng);
  const double best = witness_bound(mdp, drift, witness).bound;
  int above = 0;
  for (int i = 0; i < 200; ++i) {
    Witness other = witness;
    other.potential += 0.1 * normal_vector(4, rng);
    const WitnessBound proven = witness_bound(mdp, drift, other);
    EXPECT_LE(proven.bound, best + 1e-12);
    above += proven.bound > best - 1e-6 ? 1 : 0;
  }
  EXPECT_LT(above, 20);  // a wrong potential costs something
  // A constant changes nothing but the shortfall, which may have any sign.
  for (const double shift : {-3.0, 5.0}) {
    Witness other = witness;
    other.potential.array() += shift;
    const WitnessBound proven = witness_bound(mdp, drift, other);
    EXPECT_NEAR(proven.bound, best, 1e-12);
    EXPECT_NEAR(proven.shortfall, 0.1 * shift, 1e-12);
  }
}

// One state, two actions, two reward models that each pay for one action: Gamma = max(-l_1, -l_2)
// has its minimum -1/2 at a kink. Each xi alone proves -1, both together -1/2.
TEST(WitnessBound, OfAMixtureIsTightAtAKink) {
  const FiniteMdp mdp(Matrix::Ones(2, 1), Vector::Ones(1), 0.5);
  const FeatureRewardRobust reward({Matrix{{1, 0}}, Matrix{{0, 1}}});
  const auto at = [](Vector xi) {
    return std::make_shared<TangentPoint>(TangentPoint{.nature = std::move(xi)});
  };
  const Vector first{{1, 0}};
  const Vector second{{0, 1}};
  Witness witness{.pieces = {{1, at(first)}}, .potential = Vector::Constant(1, -2)};
  EXPECT_NEAR(witness_bound(mdp, reward, witness).bound, -1, 1e-12);
  witness.pieces = {{0.5, at(first)}, {0.5, at(second)}};
  witness.potential(0) = -1;
  EXPECT_NEAR(witness_bound(mdp, reward, witness).bound, -0.5, 1e-12);
  witness.pieces = {{7, at(first)}, {7, at(second)}};  // weights count relative to their sum
  EXPECT_NEAR(witness_bound(mdp, reward, witness).bound, -0.5, 1e-12);
}

// The members of Lambda do not sum to 1 where the rows do not: the bound pays for it.
TEST(WitnessBound, PaysForRowsThatDoNotQuiteSumToOne) {
  const LinearReward reward(Matrix{{1, 1}});
  const double off = 5e-10;
  const FiniteMdp mdp(Matrix::Constant(2, 1, 1 + off), Vector::Ones(1), 0.99);
  // <-r, lambda> = -0.01 / (1 - 0.99 (1 + off)) for every policy.
  const double value = -0.01 / (1 - 0.99 * (1 + off));
  const auto at = std::make_shared<TangentPoint>();
  for (const double potential : {0.0, value / 0.01, -300.0}) {
    const Witness witness{.pieces = {{1, at}}, .potential = Vector::Constant(1, potential)};
    const WitnessBound proven = witness_bound(mdp, reward, witness);
    EXPECT_LE(proven.bound, value + proven.rounding);
    EXPECT_NEAR(proven.bound, value, 1e-6);
  }
}

TEST(WitnessBound, RefusesWhatIsNoWitness) {
  const FiniteMdp mdp = testing_models::random_dense(3, 2, 0.9, 1);
  const QuadraticTarget target({.states = 3, .actions = 2});
  Rng rng(1);
  const Witness witness = random_witness(mdp, target, 2, rng);
  const auto changed = [&](auto change) {
    Witness other = witness;
    for (WitnessPiece& piece : other.pieces) {
      piece.at = std::make_shared<TangentPoint>(*piece.at);
    }
    change(other, const_cast<TangentPoint&>(*other.pieces[1].at));
    return [&mdp, &target, other] { witness_bound(mdp, target, other); };
  };
  expect_invalid(changed([](Witness& w, TangentPoint&) { w.pieces.clear(); }), "no pieces");
  expect_invalid(changed([](Witness& w, TangentPoint&) { w.pieces[1].weight = -1e-3; }),
                 "piece 1 of the witness: weight");
  expect_invalid(
      changed([](Witness& w, TangentPoint&) { w.pieces[0].weight = w.pieces[1].weight = 0; }),
      "sum to 0");
  expect_invalid(changed([](Witness& w, TangentPoint&) { w.potential.conservativeResize(2); }),
                 "potential");
  expect_invalid(changed([](Witness& w, TangentPoint&) { w.potential(0) = kInfinity; }),
                 "potential");
  expect_invalid(changed([](Witness&, TangentPoint& at) { at.nature.conservativeResize(5); }),
                 "piece 1 of the witness: xi");
  expect_invalid(changed([](Witness&, TangentPoint& at) { at.occupancy(1, 1) = -1e-12; }),
                 "piece 1 of the witness: occupancy has the entry -1e-12");
  expect_invalid(changed([](Witness&, TangentPoint& at) { at.direction = Vector::Ones(1); }),
                 "direction has 1 entries, must have 0");
  const Variance risk({.features = {Matrix::Ones(3, 2)}, .aversion = 1});
  expect_invalid([&] { witness_bound(mdp, risk, witness); }, "not convex");
}

TEST(WitnessBound, ProvesNothingWhereNumbersOverflow) {
  const FiniteMdp mdp = testing_models::random_dense(3, 2, 0.9, 1);
  const RewardRobust reward({.states = 3, .actions = 2});
  const Witness witness{
      .pieces = {{1, std::make_shared<TangentPoint>(TangentPoint{.nature = Vector::Zero(6)})}},
      .potential = Vector{{1.7e308, -1.7e308, 1.7e308}}};
  EXPECT_EQ(witness_bound(mdp, reward, witness).bound, -kInfinity);
}

TEST(RelativeExcess, IsZeroInsideAndTheDistanceOutside) {
  const auto ball =
      std::make_shared<LpBall>(LpBallShape{.centre = Vector{{10, 0}}, .radius = 1, .p = 1});
  const auto box =
      std::make_shared<Box>(Bounds{.lower = Vector{{9.5, -2}}, .upper = Vector{{20, 2}}});
  const IntersectionSet both({ball, box});
  const ProductSet product({ball, box});
  const Polytope polytope(Matrix{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, Vector{{1e6, 0, 1e6, 0}});
  EXPECT_EQ(relative_excess(*ball, Vector{{10.5, 0.5}}), 0);
  EXPECT_NEAR(relative_excess(*ball, Vector{{11.01, 0}}), 0.01 / 13, 1e-4);
  EXPECT_EQ(relative_excess(both, Vector{{10.5, 0.5}}), 0);
  EXPECT_GT(relative_excess(both, Vector{{9.4, 0}}), 1e-3);
  EXPECT_EQ(relative_excess(product, Vector{{10.5, 0.5, 9.5, 2}}), 0);
  EXPECT_GT(relative_excess(product, Vector{{10.5, 0.5, 9.5, 2.1}}), 1e-3);
  EXPECT_GT(relative_excess(product, Vector{{10.5, 0.6, 9.5, 2}}), 1e-3);
  EXPECT_EQ(relative_excess(polytope, Vector{{1e6, 0}}), 0);
  EXPECT_NEAR(relative_excess(polytope, Vector{{1e6 + 2, 0}}), 2e-6 / (1 + std::sqrt(2)), 1e-9);
  EXPECT_LT(relative_excess(polytope, Vector{{-1e-12, 0}}), 1e-17);  // rounding of 10^6
  EXPECT_EQ(relative_excess(ProbabilitySimplex(2), Vector{{std::nan(""), 1}}), kInfinity);
}

}  // namespace
}  // namespace rgu
