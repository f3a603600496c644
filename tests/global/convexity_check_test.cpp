#include "rgu/global/convexity_check.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "laws/models.hpp"
#include "laws/problems.hpp"
#include "laws/throws.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/utility/function.hpp"

namespace rgu {
namespace {

using testing_models::random_dense;

// scale * sum_i of term(lambda_i), with its derivative; declared convex.
FunctionUtility summed(OccupancyShape shape, double scale, double (*term)(double),
                       double (*slope)(double)) {
  return {[=](const Matrix& lambda, const Vector& nature) {
            return UtilityGradient{.value = scale * lambda.unaryExpr(term).sum(),
                                   .occupancy = scale * lambda.unaryExpr(slope),
                                   .nature = Vector::Zero(nature.size())};
          },
          {.shape = shape,
           .nature_dimension = 0,
           .traits = {.convex_in_occupancy = true, .nature = NatureShape::kNone},
           .constants = nullptr}};
}

const Singleton kNoNature{Vector(0)};

TEST(ConvexityCheck, RefusesAConcaveUtilityAtEveryScale) {
  const FiniteMdp mdp = random_dense(5, 3, 0.9, 1);
  for (const double scale : {1e-12, 1e-6, 1.0, 1e6, 1e12}) {
    const FunctionUtility concave = summed(
        {5, 3}, scale, [](double x) { return -x * x; }, [](double x) { return -2 * x; });
    const auto found = find_convexity_violation(mdp, concave, kNoNature);
    ASSERT_TRUE(found) << scale;
    // What it says is so.
    EXPECT_EQ(found->at_first, concave.evaluate(found->first, Vector(0)).value);
    EXPECT_EQ(found->at_second, concave.evaluate(found->second, Vector(0)).value);
    const Matrix between = (1 - found->share) * found->first + found->share * found->second;
    EXPECT_EQ(found->at_point, concave.evaluate(between, Vector(0)).value);
    EXPECT_GT(found->at_point, found->chord());
    EXPECT_LE(flow_residual(mdp, found->first), 1e-12);
    EXPECT_LE(flow_residual(mdp, found->second), 1e-12);
    expect_invalid([&] { check_convexity(mdp, concave, kNoNature); },
                   "the utility was declared convex in the occupancy, but it is not: f((a+b)/2) =");
  }
}

TEST(ConvexityCheck, NamesTheOccupanciesAndXi) {
  const FiniteMdp mdp = random_dense(2, 2, 0.9, 2);
  // Concave only where xi is large.
  const FunctionUtility mixed(
      [](const Matrix& lambda, const Vector& xi) {
        const double weight = 1 - xi(0);
        return UtilityGradient{.value = weight * lambda.squaredNorm(),
                               .occupancy = 2 * weight * lambda,
                               .nature = Vector::Constant(1, -lambda.squaredNorm())};
      },
      {.shape = {2, 2},
       .nature_dimension = 1,
       .traits = {.convex_in_occupancy = true, .nature = NatureShape::kLinear},
       .constants = nullptr});
  const LpBall large({.centre = Vector::Constant(1, 3), .radius = 1, .p = 2});
  expect_invalid([&] { check_convexity(mdp, mixed, large); }, "at xi = [3]");
  expect_invalid([&] { check_convexity(mdp, mixed, large); }, "where occupancy a has 0.");
  expect_invalid([&] { check_convexity(mdp, mixed, large); }, "at (s=");
  const LpBall small({.centre = Vector::Constant(1, -1), .radius = 1, .p = 2});
  EXPECT_NO_THROW(check_convexity(mdp, mixed, small));
}

// Convex but for a small dent, and a saddle.
TEST(ConvexityCheck, FindsDentsAndSaddles) {
  const FiniteMdp mdp = random_dense(4, 3, 0.9, 3);
  const FunctionUtility waves = summed(
      {4, 3}, 1.0, [](double x) { return x * x + 0.05 * std::sin(20 * x); },
      [](double x) { return 2 * x + std::cos(20 * x); });
  EXPECT_TRUE(find_convexity_violation(mdp, waves, kNoNature));
  const FunctionUtility saddle(
      [](const Matrix& lambda, const Vector&) {
        const double left = lambda.col(0).squaredNorm(), right = lambda.col(1).squaredNorm();
        Matrix slope = Matrix::Zero(4, 3);
        slope.col(0) = 2 * lambda.col(0);
        slope.col(1) = -2 * lambda.col(1);
        return UtilityGradient{.value = left - right, .occupancy = slope, .nature = Vector(0)};
      },
      {.shape = {4, 3},
       .nature_dimension = 0,
       .traits = {.convex_in_occupancy = true, .nature = NatureShape::kNone},
       .constants = nullptr});
  EXPECT_TRUE(find_convexity_violation(mdp, saddle, kNoNature));
}

// Every convex utility of the library, on models and sets of many sizes: no false alarm.
TEST(ConvexityCheck, AcceptsEveryConvexUtility) {
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Rng rng(seed);
    const auto states = static_cast<Index>(1 + rng.below(12));
    const auto actions = static_cast<Index>(1 + rng.below(4));
    const double discount = seed % 5 == 0 ? 1 - 1e-9 : seed % 2 == 0 ? 0.99 : 0.6;
    const FiniteMdp mdp = random_dense(states, actions, discount, seed);
    for (const auto& [name, utility] : every_utility(states, actions, seed)) {
      if (!utility->traits().convex_in_occupancy) continue;
      const bool target = dynamic_cast<const KlTarget*>(utility.get()) != nullptr;
      const Index n = utility->nature_dimension();
      const double size = target ? 1 : std::pow(10.0, rng.uniform(-6, 6));
      const Vector centre = size * (normal_vector(n, rng).cwiseAbs().array() + 0.1);
      std::shared_ptr<const ConvexSet> set = std::make_shared<Singleton>(centre);
      if (n > 0) {
        set = std::make_shared<LpBall>(LpBallShape{
            .centre = centre, .radius = size * (target ? 0.05 : rng.uniform()), .p = 2});
      }
      const auto found = find_convexity_violation(mdp, *utility, *set, seed);
      EXPECT_FALSE(found) << name << ", seed " << seed << ", size " << size;
      ++tried;
    }
  }
  EXPECT_GE(tried, 1000);
}

// Custom ones, scaled; linear ones most of all, whose chords are all rounding.
TEST(ConvexityCheck, AcceptsConvexFunctionsAtEveryScale) {
  struct Case {
    double (*term)(double);
    double (*slope)(double);
  };
  const Case cases[] = {
      {[](double x) { return 1e3 * x; }, [](double) { return 1e3; }},
      {[](double x) { return std::abs(x - 0.1) + 7; },
       [](double x) { return x < 0.1 ? -1.0 : 1.0; }},
      {[](double x) { return x * x; }, [](double x) { return 2 * x; }},
      {[](double x) { return std::exp(5 * x); }, [](double x) { return 5 * std::exp(5 * x); }},
      {[](double x) { return static_cast<double>(static_cast<float>(3 * x)); },
       [](double) { return 3.0; }}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const FiniteMdp mdp = random_dense(6, 3, 0.95, seed);
    for (const double scale : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
      for (const Case& at : cases) {
        EXPECT_FALSE(find_convexity_violation(mdp, summed({6, 3}, scale, at.term, at.slope),
                                              kNoNature, seed));
      }
    }
  }
}

TEST(ConvexityCheck, LeavesOutWhatIsNotFinite) {
  const FiniteMdp mdp = random_dense(4, 2, 0.9, 5);
  const FunctionUtility nowhere = summed(
      {4, 2}, 1.0, [](double) { return std::nan(""); }, [](double) { return 1.0; });
  EXPECT_FALSE(find_convexity_violation(mdp, nowhere, kNoNature));
}

TEST(ConvexityCheck, HasNothingToTryWithOneAction) {
  const FiniteMdp mdp = random_dense(4, 1, 0.9, 6);
  const FunctionUtility concave = summed(
      {4, 1}, 1.0, [](double x) { return -x * x; }, [](double x) { return -2 * x; });
  EXPECT_NO_THROW(check_convexity(mdp, concave, kNoNature));
}

TEST(ConvexityCheck, RefusesWhatDoesNotFit) {
  const FiniteMdp mdp = random_dense(4, 2, 0.9, 7);
  const RewardRobust utility(OccupancyShape{4, 2});
  expect_invalid([&] { find_convexity_violation(mdp, utility, kNoNature); },
                 "dimension of the ambiguity set has 0 entries, must have 8");
  const RewardRobust other(OccupancyShape{3, 2});
  expect_invalid([&] { find_convexity_violation(mdp, other, kNoNature); }, "states of the utility");
}

TEST(ConvexityCheck, TangentsLieBelowConvexFunctionsOnly) {
  const FiniteMdp mdp = random_dense(5, 3, 0.9, 8);
  const Matrix a = occupancy(mdp, testing_models::random_policy(mdp, 1));
  const Matrix b = occupancy(mdp, testing_models::random_policy(mdp, 2));
  for (const double scale : {1e-6, 1.0, 1e6}) {
    const FunctionUtility convex = summed(
        {5, 3}, scale, [](double x) { return x * x; }, [](double x) { return 2 * x; });
    const FunctionUtility concave = summed(
        {5, 3}, -scale, [](double x) { return x * x; }, [](double x) { return 2 * x; });
    const FunctionUtility linear = summed(
        {5, 3}, scale, [](double x) { return 5 * x; }, [](double) { return 5.0; });
    EXPECT_NO_THROW(check_above_tangent(convex, Vector(0), a, b));
    EXPECT_NO_THROW(check_above_tangent(linear, Vector(0), a, b));
    expect_invalid([&] { check_above_tangent(concave, Vector(0), a, b); },
                   "is below its tangent at a");
  }
}

}  // namespace
}  // namespace rgu
