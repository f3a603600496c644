#include "rgu/solver/step_rule.hpp"

#include <gtest/gtest.h>

#include "laws/throws.hpp"
#include "rgu/solver/pgda.hpp"
#include "toy_problems.hpp"

namespace rgu {
namespace {

// f(x) = sum_i h_i x_i^2 / 2: the gradient is Lipschitz with the largest h.
TEST(AutomaticStep, FindsTheMinimumOfASmoothFunctionWithoutItsConstants) {
  const Vector h = (Vector(4) << 0.5, 1, 10, 50).finished();
  Vector x = Vector::Constant(4, 5.0);
  StepMemory memory;
  for (Index k = 0; k < 3000; ++k) {
    const Vector g = h.cwiseProduct(x);
    x -= automatic_step({.iteration = k, .point = x, .gradient = g}, memory) * g;
  }
  EXPECT_FALSE(memory.diminishing);
  EXPECT_LT(h.cwiseProduct(x).norm(), 1e-10);
}

TEST(AutomaticStep, AfterTheFirstStepTheLocalLipschitzConstantLimitsIt) {
  StepMemory memory;
  Vector x = Vector::Constant(1, 1.0);
  Vector g = Vector::Constant(1, 4.0);  // of 2 x^2: L = 4
  const double first = automatic_step({.iteration = 0, .point = x, .gradient = g}, memory);
  EXPECT_DOUBLE_EQ(first, 0.1 / 4);  // moves the parameter by 0.1
  x(0) -= first * g(0);
  g(0) = 4 * x(0);
  EXPECT_DOUBLE_EQ(automatic_step({.iteration = 1, .point = x, .gradient = g}, memory),
                   std::min(std::sqrt(2.0) * first, 1 / (2 * 4.0)));
}

TEST(AutomaticStep, TurnsToDiminishingStepsAtAKink) {
  const toys::AbsoluteValue oracle;
  const toys::Sets sets = toys::wide_sets(2);
  const SolverResult result = pgda_lp({oracle, sets.policies, sets.ambiguity},
                                      toys::start_at(2, 3.3), {}, {.iterations = 4000});
  EXPECT_TRUE(result.state.policy_step.diminishing);
  // Each parameter changes by 1 / sqrt(k + 1) at k = 3999: it cannot be further from the kink.
  EXPECT_LE(result.state.point.policy.cwiseAbs().maxCoeff(), 1 / std::sqrt(4000.0) + 1e-12);
}

TEST(AutomaticStep, IsDiminishingFromTheStartForNoisyGradients) {
  StepMemory memory;
  const Vector x = Vector::Zero(2);
  const Vector g = (Vector(2) << -4, 1).finished();
  const DescentStep at{.iteration = 8, .point = x, .gradient = g, .exact = false};
  EXPECT_DOUBLE_EQ(automatic_step(at, memory), 1.0 / 3 / 4);  // moves the largest by 1 / sqrt 9
  EXPECT_TRUE(memory.diminishing);
}

TEST(AutomaticStep, IsZeroForAZeroGradient) {
  StepMemory memory;
  const Vector zero = Vector::Zero(2);
  EXPECT_EQ(automatic_step({.iteration = 0, .point = zero, .gradient = zero}, memory), 0);
}

TEST(AutomaticStep, StepsThatMakeNoSenseAreRefused) {
  EXPECT_NO_THROW(check_step("step", {}));
  for (const double bad : {0.0, -1.0, std::nan(""), kInfinity}) {
    expect_invalid([&] { check_step("policy step", bad); }, "policy step");
  }
}

}  // namespace
}  // namespace rgu
