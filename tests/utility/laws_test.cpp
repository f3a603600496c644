// The laws, over every utility.
#include <gtest/gtest.h>

#include <vector>

#include "laws/utility_laws.hpp"
#include "rgu/base/check.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/function.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/target.hpp"
#include "rgu/utility/variance.hpp"

namespace rgu {
namespace {

using laws::UtilityCase;

Matrix random_matrix(Shape shape, std::uint64_t seed) {
  Rng rng(seed);
  const Vector entries = normal_vector(shape.rows * shape.columns, rng);
  return as_matrix(entries, shape.rows, shape.columns);
}

std::vector<Matrix> random_functions(int count, OccupancyShape shape, std::uint64_t seed) {
  std::vector<Matrix> functions;
  for (int i = 0; i < count; ++i) {
    functions.push_back(
        random_matrix({shape.states, shape.actions}, seed + static_cast<std::uint64_t>(i)));
  }
  return functions;
}

// The number of states is rows / actions.
std::shared_ptr<const Utility> drift(OccupancyShape shape, Index feature_dimension, Index dimension,
                                     double smoothing) {
  return std::make_shared<Drift>(
      DriftOptions{.actions = shape.actions,
                   .features = random_matrix({shape.states * shape.actions, feature_dimension}, 77),
                   .dimension = dimension,
                   .smoothing = smoothing});
}

std::shared_ptr<const Utility> constrained(OccupancyShape shape, int constraints) {
  return std::make_shared<Constrained>(
      ConstrainedCosts{.objective = random_matrix({shape.states, shape.actions}, 5),
                       .constraints = random_functions(constraints, shape, 6),
                       .thresholds = Vector::LinSpaced(constraints, -0.3, 0.4)});
}

std::shared_ptr<const Utility> regularized(std::shared_ptr<const Utility> utility, double modulus) {
  const Index size = utility->nature_dimension();
  return std::make_shared<NatureRegularized>(
      std::move(utility),
      NatureRegularization{.modulus = modulus, .centre = Vector::LinSpaced(size, -0.5, 0.7)});
}

// f = xi^2 sum lambda^2 - xi^4: gradients by hand; concave in xi nowhere near 0.
std::shared_ptr<const Utility> function_utility() {
  const auto function = [](const Matrix& occupancy, const Vector& nature) {
    const double x = nature(0);
    const double square = occupancy.squaredNorm();
    return UtilityGradient{.value = x * x * square - std::pow(x, 4),
                           .occupancy = 2 * x * x * occupancy,
                           .nature = Vector::Constant(1, 2 * x * square - 4 * x * x * x)};
  };
  // |lambda| <= 1 on the simplex.
  const auto constants = [](double norm) {
    return UtilityConstants{.occupancy_gradient = 2 * norm * norm,
                            .occupancy_lipschitz = 2 * norm * norm,
                            .nature_gradient = 2 * norm + 4 * std::pow(norm, 3),
                            .nature_lipschitz = 2 + 12 * norm * norm,
                            .cross_lipschitz = 4 * norm};
  };
  return std::make_shared<FunctionUtility>(
      function, UtilityDeclaration{
                    .shape = {.states = 3, .actions = 2},
                    .nature_dimension = 1,
                    .traits = {.convex_in_occupancy = true, .nature = NatureShape::kNonconcave},
                    .constants = constants});
}

UtilityCase kl_case(std::string name, KlTargetOptions options) {
  return {.name = std::move(name),
          .utility = std::make_shared<KlTarget>(options),
          .nature_norm = 0.8,
          .restrict_nature = [](const Vector& xi) -> Vector {
            return xi.cwiseAbs().array() * 0.9 + 0.01;
          }};
}

std::vector<UtilityCase> simple_cases() {
  const OccupancyShape shape{.states = 4, .actions = 3};
  const OccupancyShape one_state{.states = 1, .actions = 4};
  const OccupancyShape one_action{.states = 5, .actions = 1};
  return {
      {"Reward", std::make_shared<LinearReward>(random_matrix({4, 3}, 1))},
      {"RewardOfOneCell", std::make_shared<LinearReward>(Matrix::Constant(1, 1, -2.0))},
      {"RewardRobust", std::make_shared<RewardRobust>(shape), 2.0},
      {"RewardRobustOfOneAction", std::make_shared<RewardRobust>(one_action), 0.5},
      {"FeatureReward", std::make_shared<FeatureRewardRobust>(random_functions(3, shape, 10)), 1.5},
      {"FeatureRewardOfOneState",
       std::make_shared<FeatureRewardRobust>(random_functions(6, one_state, 20)), 1.5},
      {"Constrained", constrained(shape, 2), 3.0},
      {"ConstrainedOfOneAction", constrained(one_action, 1), 3.0},
      {"EntropyOverStates",
       std::make_shared<Entropy>(EntropyOptions{.shape = shape, .delta = 0.01})},
      {"EntropyOverStateActions",
       std::make_shared<Entropy>(
           EntropyOptions{.shape = shape, .over = Marginal::kStateActions, .delta = 1e-3})},
      {"EntropyWithLargeDelta",
       std::make_shared<Entropy>(EntropyOptions{.shape = one_action, .delta = 2.0})},
      {"EntropyOfOneState",
       std::make_shared<Entropy>(
           EntropyOptions{.shape = one_state, .over = Marginal::kStateActions, .delta = 0.1})},
      kl_case("KlOverStates", {.shape = shape, .delta = 0.01}),
      kl_case("KlOverStateActions",
              {.shape = shape, .over = Marginal::kStateActions, .delta = 0.05}),
      kl_case("KlOfOneAction", {.shape = one_action, .delta = 0.1}),
      {"Quadratic", std::make_shared<QuadraticTarget>(shape), 1.2},
      {"QuadraticOfOneState", std::make_shared<QuadraticTarget>(one_state), 1.2},
      {"Variance",
       std::make_shared<Variance>(
           VarianceOptions{.features = random_functions(2, shape, 30), .aversion = 0.7}),
       1.5},
      {"VarianceOfOneState",
       std::make_shared<Variance>(
           VarianceOptions{.features = random_functions(3, one_state, 30), .aversion = 2.0}),
       0.7},
      {"VarianceWithoutAversion",
       std::make_shared<Variance>(VarianceOptions{.features = random_functions(2, shape, 30)}),
       1.5},
      {"Function", function_utility(), 0.5},
  };
}

std::vector<UtilityCase> drift_cases() {
  const OccupancyShape shape{.states = 4, .actions = 3};
  return {
      {"Drift", drift(shape, 5, 3, 0), 1.5},
      {"DriftSmoothed", drift(shape, 5, 3, 8.0), 1.5},
      // Where b |W|^2 is small f is close to -tr(W M W')/d, which is concave: look further out.
      {"DriftSmoothedALittle", drift(shape, 4, 2, 0.1), 12.0},
      {"DriftSmoothedHard", drift(shape, 4, 2, 60.0), 1.0},
      {"DriftSquare", drift(shape, 3, 3, 0), 1.5},
      {"DriftOfOneRow", drift(shape, 4, 1, 0), 1.5},
      {"DriftOfOneRowSmoothed", drift(shape, 4, 1, 5.0), 1.5},
      {"DriftOfOneState", drift({.states = 1, .actions = 6}, 3, 2, 4.0), 1.0},
      {"DriftOfOneAction", drift({.states = 6, .actions = 1}, 3, 2, 4.0), 1.0},
  };
}

std::vector<UtilityCase> composed_cases() {
  const OccupancyShape shape{.states = 4, .actions = 3};
  const auto entropy = std::make_shared<Entropy>(EntropyOptions{.shape = shape, .delta = 0.05});
  const auto robust = std::make_shared<RewardRobust>(shape);
  const auto smooth = drift(shape, 3, 2, 5.0);
  const auto concave = drift(shape, 3, 1, 0);
  const auto variance = std::make_shared<Variance>(
      VarianceOptions{.features = random_functions(2, shape, 30), .aversion = 0.7});
  const auto strong = regularized(constrained(shape, 2), 0.6);
  const auto sum = [](std::vector<WeightedUtility> parts) {
    return std::make_shared<Sum>(std::move(parts));
  };
  return {
      {"SumWithoutXi", sum({{0.5, entropy}, {2.0, entropy}})},
      {"SumOfLinear", sum({{0.5, entropy}, {2.0, robust}, {0.3, constrained(shape, 2)}}), 1.5},
      {"SumOfStrong", sum({{2.0, strong}, {0.7, entropy}, {0.5, regularized(robust, 1.0)}}), 1.5},
      {"SumOfStrongAndLinear", sum({{2.0, strong}, {0.5, robust}}), 1.5},
      {"SumWithNonconcave", sum({{2.0, strong}, {0.5, smooth}, {1.0, entropy}}), 1.2},
      {"SumWithVariance", sum({{0.1, entropy}, {3.0, variance}}), 1.2},
      {"SumWithWeightZero", sum({{0.0, drift(shape, 3, 2, 0)}, {0.0, variance}, {1.0, robust}}), 1},
      {"SumOfSums", sum({{0.5, sum({{1.0, robust}, {1.0, entropy}})}, {2.0, concave}}), 1.2},
      {"RegularizedReward", regularized(robust, 0.4), 1.5},
      {"RegularizedConstrained", regularized(constrained(shape, 2), 2.5), 1.5},
      {"RegularizedConcave", regularized(concave, 0.4), 1.5},
      {"RegularizedTwice", regularized(regularized(robust, 0.4), 0.3), 1.5},
      {"RegularizedNonconcave", regularized(smooth, 1e-3), 1.5},
  };
}

class UtilityLaws : public testing::TestWithParam<UtilityCase> {};

TEST_P(UtilityLaws, GradientsAreDerivatives) { laws::expect_gradients_are_derivatives(GetParam()); }

TEST_P(UtilityLaws, DeclaredConvexityInOccupancyIsTrue) {
  laws::expect_declared_convexity(GetParam());
}

TEST_P(UtilityLaws, DeclaredShapeInNatureIsTrue) {
  laws::expect_declared_shape_in_nature(GetParam());
}

TEST_P(UtilityLaws, DeclaredConstantsDominateSamples) {
  laws::expect_declared_constants_dominate(GetParam());
}

TEST_P(UtilityLaws, BadArgumentsThrow) { laws::expect_bad_arguments_throw(GetParam()); }

const auto kNameOf = [](const testing::TestParamInfo<UtilityCase>& info) {
  return info.param.name;
};

INSTANTIATE_TEST_SUITE_P(Simple, UtilityLaws, testing::ValuesIn(simple_cases()), kNameOf);
INSTANTIATE_TEST_SUITE_P(Drift, UtilityLaws, testing::ValuesIn(drift_cases()), kNameOf);
INSTANTIATE_TEST_SUITE_P(Composed, UtilityLaws, testing::ValuesIn(composed_cases()), kNameOf);

}  // namespace
}  // namespace rgu
