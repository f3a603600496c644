#include "rgu/utility/entropy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const OccupancyShape kShape{.states = 4, .actions = 2};

// Uniform: 4 masses of 1/4, or 8 of 1/8. Each term is p log(p + delta).
TEST(Entropy, OfTheUniformOccupancyIsMinusTheLogarithmOfTheCount) {
  const Matrix uniform = Matrix::Constant(4, 2, 0.125);
  const Entropy states({.shape = kShape, .over = Marginal::kStates, .delta = 1e-12});
  EXPECT_NEAR(states.evaluate(uniform, Vector()).value, -std::log(4.0), 1e-11);
  const Entropy cells({.shape = kShape, .over = Marginal::kStateActions, .delta = 1e-12});
  EXPECT_NEAR(cells.evaluate(uniform, Vector()).value, -std::log(8.0), 1e-11);
}

// d = (1/4, 3/4) and delta = 1/4: f = (1/4) log(1/2) + (3/4) log 1 = -(log 2)/4. The slopes are
// log(1/2) + 1/2 and 0 + 3/4, the same for both actions.
TEST(Entropy, MatchesTheHandSolvedCase) {
  const Entropy utility(
      {.shape = {.states = 2, .actions = 2}, .over = Marginal::kStates, .delta = 0.25});
  const UtilityGradient gradient = utility.evaluate(Matrix{{0.25, 0}, {0.5, 0.25}}, Vector());
  EXPECT_DOUBLE_EQ(gradient.value, -std::log(2.0) / 4);
  const double low = 0.5 - std::log(2.0);
  EXPECT_TRUE(gradient.occupancy.isApprox(Matrix{{low, low}, {0.75, 0.75}}));
}

TEST(Entropy, StaysFiniteWhereThereIsNoMass) {
  const Entropy utility({.shape = kShape, .over = Marginal::kStateActions, .delta = 1e-8});
  const UtilityGradient gradient = utility.evaluate(Matrix::Zero(4, 2), Vector());
  EXPECT_EQ(gradient.value, 0);
  EXPECT_TRUE(gradient.occupancy.isApproxToConstant(std::log(1e-8)));
  EXPECT_EQ(gradient.nature.size(), 0);
}

// Two close vertices-to-be: at p = 0 the second derivative is 2/delta; over states both actions of
// a state move one mass, which doubles it.
TEST(Entropy, ItsLipschitzConstantIsAttainedAtZeroMass) {
  for (const Marginal over : {Marginal::kStates, Marginal::kStateActions}) {
    const Entropy utility({.shape = kShape, .over = over, .delta = 0.5});
    Matrix step = Matrix::Zero(4, 2);
    step.row(0).setConstant(1e-6);
    const Matrix change = utility.evaluate(step, Vector()).occupancy -
                          utility.evaluate(Matrix::Zero(4, 2), Vector()).occupancy;
    EXPECT_NEAR(change.norm() / step.norm(), utility.constants(0).occupancy_lipschitz, 1e-4);
  }
}

TEST(Entropy, RejectsBadOptions) {
  EXPECT_THAT([] { Entropy utility({.shape = kShape, .delta = 0}); },
              ThrowsMessage<InvalidInput>(HasSubstr("delta of the entropy is 0, must be finite")));
  EXPECT_THAT([] { Entropy utility({.shape = kShape, .delta = -1e-3}); },
              ThrowsMessage<InvalidInput>(HasSubstr("delta of the entropy is -0.001")));
  EXPECT_THAT([] { Entropy utility({.shape = {.states = 0, .actions = 2}}); },
              ThrowsMessage<InvalidInput>(HasSubstr("number of states is 0")));
}

}  // namespace
}  // namespace rgu
