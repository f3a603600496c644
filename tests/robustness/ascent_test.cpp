#include "rgu/robustness/ascent.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/utility/function.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/sum.hpp"

namespace rgu {
namespace {

const Matrix kOccupancy = Matrix::Ones(1, 1);

// A function of xi alone.
FunctionUtility of_nature(Index dimension, UtilityTraits traits,
                          const std::function<double(const Vector&, Vector&)>& function) {
  return {[function](const Matrix&, const Vector& nature) {
            UtilityGradient result{.value = 0, .occupancy = Matrix::Zero(1, 1), .nature = nature};
            result.value = function(nature, result.nature);
            return result;
          },
          {.shape = {.states = 1, .actions = 1},
           .nature_dimension = dimension,
           .traits = traits,
           .constants = nullptr}};
}

// -sum_i w_i (xi_i - 2)^2 with weights from 1 to 1e4: flat along some axes, steep along others.
FunctionUtility stretched(Index dimension) {
  const Vector weights = Vector::LinSpaced(dimension, 0, 4).unaryExpr([](double power) {
    return std::pow(10.0, power);
  });
  return of_nature(dimension, {.nature = NatureShape::kStronglyConcave, .strong_concavity = 2},
                   [weights](const Vector& xi, Vector& gradient) {
                     const Vector off = xi.array() - 2;
                     gradient = -2 * weights.cwiseProduct(off);
                     return -off.dot(weights.cwiseProduct(off));
                   });
}

// On the box [0, 1]^n every coordinate stops at 1: -sum of the weights.
TEST(CertifiedAscent, ReachesTheToleranceItWasGiven) {
  const FunctionUtility utility = stretched(5);
  const Box box = uniform_box(5, {.lower = 0, .upper = 1});
  const WorstCase worst = worst_case(utility, box, kOccupancy);
  EXPECT_EQ(worst.kind, AnswerKind::kCertified);
  EXPECT_NEAR(worst.value, -11111, 1e-9 * 11111);
  EXPECT_LE(worst.gap, 1e-9 * 11111);
}

// The gap of a part counts as often as the part.
TEST(CertifiedAscent, OfAPartOfASumHasTheGapTimesItsWeight) {
  const auto part = std::make_shared<FunctionUtility>(stretched(5));
  const Sum sum({{5, part}, {1, std::make_shared<LinearReward>(Matrix::Ones(1, 1))}});
  const LpBall ball({.centre = Vector::Zero(5), .radius = 1, .p = 2});
  const WorstCaseOptions loose{.tolerance = 1e-4};
  const double gap = worst_case(*part, ball, kOccupancy, loose).gap;
  EXPECT_GT(gap, 0);
  EXPECT_DOUBLE_EQ(worst_case(sum, ball, kOccupancy, loose).gap, 5 * gap);
}

TEST(CertifiedAscent, CertifiesAMaximumOnACurvedBoundary) {
  const FunctionUtility utility = stretched(5);
  const LpBall ball({.centre = Vector::Zero(5), .radius = 1, .p = 2});
  const WorstCase tight = worst_case(utility, ball, kOccupancy, {.tolerance = 1e-12});
  const WorstCase loose = worst_case(utility, ball, kOccupancy, {.tolerance = 1e-4});
  EXPECT_LE(tight.gap, 1e-12 * std::abs(tight.value));
  EXPECT_LE(loose.gap, 1e-4 * std::abs(loose.value));
  EXPECT_LE(tight.value, loose.value + loose.gap + 1e-9);
  EXPECT_LE(loose.value, tight.value + tight.gap + 1e-9);
}

// sqrt is steep at 0 and the maximum of sum a_i sqrt(xi_i) on the simplex is |a|, at a_i^2/|a|^2.
TEST(CertifiedAscent, CertifiesAConcaveMaximumInsideTheSimplex) {
  const Vector a{{1, 2, 2}};
  const FunctionUtility utility =
      of_nature(3, {.nature = NatureShape::kConcave}, [a](const Vector& xi, Vector& gradient) {
        const Vector roots = (xi.array() + 1e-12).sqrt();
        gradient = 0.5 * a.cwiseQuotient(roots);
        return a.dot(roots);
      });
  const WorstCase worst = worst_case(utility, ProbabilitySimplex(3), kOccupancy);
  EXPECT_NEAR(worst.value, 3, 1e-8);
  EXPECT_LE(worst.gap, 3e-9);
  EXPECT_TRUE(worst.nature.isApprox(Vector{{1.0 / 9, 4.0 / 9, 4.0 / 9}}, 1e-3));
}

TEST(CertifiedAscent, SaysHowFarItIsWhenTheIterationsEnd) {
  const FunctionUtility utility = stretched(5);
  const LpBall ball({.centre = Vector::Zero(5), .radius = 1, .p = 2});
  const WorstCase cut = worst_case(utility, ball, kOccupancy, {.iterations = 3});
  const WorstCase best = worst_case(utility, ball, kOccupancy, {.tolerance = 1e-12});
  EXPECT_EQ(cut.kind, AnswerKind::kCertified);
  EXPECT_GT(cut.gap, 1e-3);
  EXPECT_TRUE(std::isfinite(cut.gap));
  EXPECT_GE(cut.value + cut.gap, best.value);
}

TEST(CertifiedAscent, StartsFromTheHint) {
  const FunctionUtility utility = stretched(5);
  const LpBall ball({.centre = Vector::Zero(5), .radius = 1, .p = 2});
  const WorstCase best = worst_case(utility, ball, kOccupancy, {.tolerance = 1e-12});
  const WorstCase again =
      worst_case(utility, ball, kOccupancy, {.iterations = 1, .hint = best.nature});
  EXPECT_NEAR(again.value, best.value, 1e-9 * std::abs(best.value));
}

// Two peaks on [-2, 2]: near -1 of height about 0.9 and near 1 of height about 1.1.
FunctionUtility two_peaks() {
  return of_nature(1, {}, [](const Vector& xi, Vector& gradient) {
    const double x = xi(0), valley = x * x - 1;
    gradient(0) = -4 * x * valley + 0.1;
    return 1 - valley * valley + 0.1 * x;
  });
}

TEST(ManyStarts, FindTheHigherOfTwoPeaks) {
  const Box box = uniform_box(1, {.lower = -2, .upper = 2});
  const WorstCase worst = worst_case(two_peaks(), box, kOccupancy);
  EXPECT_EQ(worst.kind, AnswerKind::kBestFound);
  EXPECT_TRUE(std::isinf(worst.gap));
  EXPECT_NEAR(worst.nature(0), 1.0123, 1e-3);
}

TEST(ManyStarts, ClimbFromTheHintEvenIfOnlyOneStartIsAllowed) {
  const Box low({.lower = Vector{{-2}}, .upper = Vector{{0.9}}});
  const FunctionUtility utility = two_peaks();
  // The centre -0.55 lies on the lower peak's slope; the hint at 0.8 on the other.
  const WorstCase without = worst_case(utility, low, kOccupancy, {.starts = 1});
  EXPECT_NEAR(without.nature(0), -0.9872, 1e-3);
  const WorstCase with = worst_case(utility, low, kOccupancy, {.starts = 1, .hint = Vector{{0.8}}});
  EXPECT_NEAR(with.nature(0), 0.9, 1e-9);
}

TEST(ManyStarts, NeverFallBelowTheirStart) {
  const FunctionUtility utility = two_peaks();
  const Box box = uniform_box(1, {.lower = -2, .upper = 2});
  const WorstCaseOptions options;
  for (const double start : {-2.0, -0.3, 0.0, 0.05, 1.9}) {
    const Ascent climbed =
        projected_ascent({utility, box, kOccupancy, options}, Vector{{start}}, 100);
    EXPECT_GE(climbed.value, utility.evaluate(kOccupancy, Vector{{start}}).value);
    EXPECT_NEAR(std::abs(climbed.nature(0)), 1, 0.02);
  }
}

}  // namespace
}  // namespace rgu
