#include "rgu/theory/assumptions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "laws/throws.hpp"
#include "theory/numbers.hpp"

namespace rgu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Theorem kAll[] = {Theorem::kPgda, Theorem::kPgdaLp, Theorem::kProxExtragradient,
                            Theorem::kOccupancyPgda};

std::vector<std::string> failures(Theorem theorem, const ProblemNumbers& numbers) {
  std::vector<std::string> out;
  for (const AssumptionCheck& check : assumptions(theorem, numbers)) {
    EXPECT_FALSE(check.reason.empty()) << check.name;
    if (check.state == AssumptionState::kFails) out.push_back(check.name + ": " + check.reason);
  }
  return out;
}

TEST(Assumptions, HoldForSmoothConvexStronglyConcaveProblems) {
  for (const Theorem theorem : kAll) EXPECT_THAT(failures(theorem, easy_numbers()), ElementsAre());
  const AssumptionCheck smooth = assumptions(Theorem::kPgda, easy_numbers())[2];
  EXPECT_EQ(smooth.name, "smooth in the occupancy");
  EXPECT_TRUE(smooth.holds());
  EXPECT_EQ(smooth.reason, "l_lambda = 3, L_lambda = 1");
}

TEST(Assumptions, LeaveTheMintySolutionOpenInTheProxTheoremOnly) {
  for (const Theorem theorem : kAll) {
    int unknown = 0;
    for (const AssumptionCheck& check : assumptions(theorem, easy_numbers())) {
      if (check.state == AssumptionState::kUnknown) {
        ++unknown;
        EXPECT_EQ(check.name, "Minty solution");
        EXPECT_FALSE(check.holds());
      }
    }
    EXPECT_EQ(unknown, theorem == Theorem::kProxExtragradient ? 1 : 0);
  }
}

TEST(Assumptions, SayThatLinearUtilitiesAreNotStronglyConcave) {
  ProblemNumbers numbers = easy_numbers();
  numbers.strong_concavity = 0;
  const auto expected = ElementsAre(
      "strongly concave in nature's choice: f is concave in xi but not strongly: "
      "mu = 0");
  EXPECT_THAT(failures(Theorem::kPgda, numbers), expected);
  EXPECT_THAT(failures(Theorem::kPgdaLp, numbers), expected);
  EXPECT_THAT(failures(Theorem::kProxExtragradient, numbers), ElementsAre());
  EXPECT_THAT(failures(Theorem::kOccupancyPgda, numbers), ElementsAre());
}

TEST(Assumptions, SayThatNonconcaveUtilitiesAreNotConcave) {
  ProblemNumbers numbers = easy_numbers();
  numbers.strong_concavity = 0;
  numbers.concave_in_nature = false;
  EXPECT_THAT(failures(Theorem::kPgda, numbers), ElementsAre(HasSubstr("f is not concave in xi")));
  EXPECT_THAT(failures(Theorem::kProxExtragradient, numbers), ElementsAre());
  EXPECT_THAT(failures(Theorem::kOccupancyPgda, numbers),
              ElementsAre("concave in nature's choice: f is not concave in xi"));
  numbers.nature_diameter = 0;
  EXPECT_THAT(failures(Theorem::kPgda, numbers), ElementsAre());
  EXPECT_THAT(failures(Theorem::kOccupancyPgda, numbers), ElementsAre());
}

TEST(Assumptions, NameTheMissingLipschitzConstantOfAPlainLeastEigenvalue) {
  ProblemNumbers numbers = easy_numbers();
  numbers.occupancy_lipschitz = kInfinity;
  const auto expected = ElementsAre(
      "smooth in the occupancy: L_lambda is infinite: grad_lambda f is not Lipschitz in lambda (as "
      "of a plain least eigenvalue)");
  EXPECT_THAT(failures(Theorem::kPgda, numbers), expected);
  EXPECT_THAT(failures(Theorem::kPgdaLp, numbers), expected);
  EXPECT_THAT(failures(Theorem::kProxExtragradient, numbers), expected);
  EXPECT_THAT(failures(Theorem::kOccupancyPgda, numbers), ElementsAre());
}

TEST(Assumptions, NameEveryOtherMissingConstant) {
  struct Case {
    double ProblemNumbers::*field;
    std::string part;
  };
  const std::vector<Case> cases = {
      {&ProblemNumbers::policy_lipschitz, "smooth policies: l_pi is infinite"},
      {&ProblemNumbers::policy_smoothness, "smooth policies: L_pi is infinite"},
      {&ProblemNumbers::occupancy_gradient, "smooth in the occupancy: l_lambda is infinite"},
      {&ProblemNumbers::nature_gradient, "smooth in nature's choice: l_xi is infinite"},
      {&ProblemNumbers::nature_lipschitz, "smooth in nature's choice: L_xi is infinite"},
      {&ProblemNumbers::cross_lipschitz, "smooth across the players: L_lambda,xi is infinite"},
      {&ProblemNumbers::policy_diameter, "bounded sets: D_Theta is infinite"},
      {&ProblemNumbers::nature_diameter, "bounded sets: D_Xi is infinite"}};
  for (const Case& one : cases) {
    ProblemNumbers numbers = easy_numbers();
    numbers.*one.field = kInfinity;
    EXPECT_THAT(failures(Theorem::kProxExtragradient, numbers), ElementsAre(HasSubstr(one.part)));
    EXPECT_THAT(failures(Theorem::kPgda, numbers), ElementsAre(HasSubstr(one.part)));
  }
}

TEST(Assumptions, OfOccupancyPgdaAreBoundedGradientsAndSetsOnly) {
  ProblemNumbers numbers = easy_numbers();
  numbers.policy_lipschitz = numbers.policy_smoothness = numbers.occupancy_lipschitz =
      numbers.nature_lipschitz = numbers.cross_lipschitz = numbers.policy_diameter = kInfinity;
  EXPECT_THAT(failures(Theorem::kOccupancyPgda, numbers), ElementsAre());
  numbers.occupancy_gradient = kInfinity;
  EXPECT_THAT(failures(Theorem::kOccupancyPgda, numbers),
              ElementsAre(HasSubstr("bounded gradients: l_lambda is infinite")));
  numbers.occupancy_gradient = 1;
  numbers.nature_gradient = kInfinity;
  numbers.occupancy_diameter = kInfinity;
  EXPECT_THAT(failures(Theorem::kOccupancyPgda, numbers),
              ElementsAre(HasSubstr("D_Lambda is infinite"), HasSubstr("l_xi is infinite")));
}

TEST(Assumptions, SayWhereConvexityIsAskedForButNotUsed) {
  ProblemNumbers numbers = easy_numbers();
  numbers.convex_in_occupancy = false;
  EXPECT_THAT(failures(Theorem::kPgda, numbers), ElementsAre(HasSubstr("its proof does not use")));
  EXPECT_THAT(failures(Theorem::kOccupancyPgda, numbers),
              ElementsAre("convex in the occupancy: f is not convex in lambda"));
}

TEST(StepChecks, CompareTheStepOfPgdaWithTheEnvelope) {
  EXPECT_TRUE(pgda_step_check(easy_numbers(), 0.012).holds());
  const AssumptionCheck too_long = pgda_step_check(easy_numbers(), 0.02);
  EXPECT_EQ(too_long.state, AssumptionState::kFails);
  EXPECT_EQ(too_long.reason, "eta = 0.02, 1/L_Gamma = 0.0120482");
  expect_invalid([] { pgda_step_check(easy_numbers(), 0); }, "policy_step is 0");
}

// L_F = 67: sigma > 67, alpha <= 1/(4 * 167) = 0.00149701.
TEST(StepChecks, CompareTheProximalWeightAndStepWithTheField) {
  const auto states = [](double weight, double step) {
    std::vector<bool> out;
    for (const AssumptionCheck& check :
         proximal_checks(uncoupled_numbers(), {.weight = weight, .step = step})) {
      out.push_back(check.holds());
    }
    return out;
  };
  EXPECT_THAT(states(100, 1 / 668.0), ElementsAre(true, true));
  EXPECT_THAT(states(100, 0.0015), ElementsAre(true, false));
  EXPECT_THAT(states(67, 0.0001), ElementsAre(false, true));
  EXPECT_THAT(states(1.5, 0.03), ElementsAre(false, false));
  EXPECT_EQ(proximal_checks(uncoupled_numbers(), {.weight = 1.5, .step = 0.03})[0].reason,
            "sigma = 1.5, L_F = 67");
  expect_invalid([] { proximal_checks(easy_numbers(), {.weight = 0, .step = 1}); },
                 "proximal weight is 0");
  expect_invalid([] { proximal_checks(easy_numbers(), {.weight = 1, .step = -1}); }, "step is -1");
}

TEST(Assumptions, RefuseNumbersOutOfRange) {
  ProblemNumbers numbers = easy_numbers();
  numbers.states = 0;
  for (const Theorem theorem : kAll) {
    expect_invalid([&] { assumptions(theorem, numbers); }, "states is 0");
  }
}

}  // namespace
}  // namespace rgu
