// Utilities and exact gradients against gradients.py: complex steps through the whole chain from
// theta to the value, without any formula of a gradient.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "reference/reference_data.hpp"
#include "rgu/gradient/exact_oracle.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/softmax.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/target.hpp"
#include "rgu/utility/variance.hpp"

namespace rgu::reference {
namespace {

using UtilityPointer = std::shared_ptr<const Utility>;

const Json& numbers() {
  static const Json content = fixture("gradients");
  return content;
}

UtilityPointer to_utility(const Json& utility);

OccupancyShape shape() {
  const Json& model = numbers().at("settings").at(0).at("model");
  return {.states = model.at("states"), .actions = model.at("actions")};
}

std::vector<Matrix> to_matrices(const Json& list) {
  std::vector<Matrix> matrices;
  for (const Json& rows : list) matrices.push_back(to_matrix(rows));
  return matrices;
}

Marginal to_marginal(const Json& over) {
  return over == "states" ? Marginal::kStates : Marginal::kStateActions;
}

UtilityPointer to_sum(const Json& list) {
  std::vector<WeightedUtility> parts;
  for (const Json& part : list) {
    parts.push_back({.weight = part.at("weight"), .utility = to_utility(part.at("utility"))});
  }
  return std::make_shared<Sum>(parts);
}

UtilityPointer to_drift(const Json& drift) {
  return std::make_shared<Drift>(DriftOptions{.actions = shape().actions,
                                              .features = to_matrix(drift.at("features")),
                                              .dimension = drift.at("dimension"),
                                              .smoothing = drift.at("smoothing")});
}

UtilityPointer to_constrained(const Json& costs) {
  return std::make_shared<Constrained>(
      ConstrainedCosts{.objective = to_matrix(costs.at("objective")),
                       .constraints = to_matrices(costs.at("constraints")),
                       .thresholds = to_vector(costs.at("thresholds"))});
}

UtilityPointer to_regularized(const Json& options) {
  return std::make_shared<NatureRegularized>(
      to_utility(options.at("utility")),
      NatureRegularization{.modulus = options.at("modulus"),
                           .centre = to_vector(options.at("centre"))});
}

UtilityPointer to_utility(const Json& utility) {
  const std::string kind = utility.at("kind");
  if (kind == "reward") return std::make_shared<LinearReward>(to_matrix(utility.at("reward")));
  if (kind == "reward_robust") return std::make_shared<RewardRobust>(shape());
  if (kind == "feature_reward_robust") {
    return std::make_shared<FeatureRewardRobust>(to_matrices(utility.at("features")));
  }
  if (kind == "constrained") return to_constrained(utility);
  if (kind == "entropy") {
    return std::make_shared<Entropy>(EntropyOptions{
        .shape = shape(), .over = to_marginal(utility.at("over")), .delta = utility.at("delta")});
  }
  if (kind == "kl_target") {
    return std::make_shared<KlTarget>(KlTargetOptions{
        .shape = shape(), .over = to_marginal(utility.at("over")), .delta = utility.at("delta")});
  }
  if (kind == "quadratic_target") return std::make_shared<QuadraticTarget>(shape());
  if (kind == "drift") return to_drift(utility);
  if (kind == "variance") {
    return std::make_shared<Variance>(VarianceOptions{
        .features = to_matrices(utility.at("features")), .aversion = utility.at("aversion")});
  }
  if (kind == "sum") return to_sum(utility.at("parts"));
  if (kind == "regularized") return to_regularized(utility);
  throw std::runtime_error("no utility is called " + kind);
}

std::unique_ptr<PolicyClass> to_policy(const Json& policy) {
  if (policy.at("kind") == "tabular") {
    return std::make_unique<TabularSoftmax>(
        TabularSoftmax::Sizes{.states = shape().states, .actions = shape().actions});
  }
  return std::make_unique<LogLinearSoftmax>(to_matrix(policy.at("features")), shape().actions);
}

class PolicyReference : public testing::TestWithParam<Case> {};

TEST_P(PolicyReference, SoftmaxAndItsOccupancyAgree) {
  const Json& setting = GetParam().data;
  const Matrix pi = to_policy(setting.at("policy"))->probabilities(to_vector(setting.at("theta")));
  EXPECT_TRUE(agrees(pi, setting.at("probabilities")));
  const FiniteMdp mdp = to_model(setting.at("model"), Storage::kDense);
  EXPECT_TRUE(agrees(occupancy(mdp, pi), setting.at("occupancy")));
}

INSTANTIATE_TEST_SUITE_P(Settings, PolicyReference,
                         testing::ValuesIn(cases(numbers().at("settings"))), case_name);

class GradientReference : public testing::TestWithParam<Case> {
 protected:
  GradientReference()
      : utility_(to_utility(GetParam().data.at("utility"))),
        nature_(to_vector(GetParam().data.at("nature"))) {}

  void expect_evaluation(const Matrix& mass, const Json& expected) const {
    const UtilityGradient found = utility_->evaluate(mass, nature_);
    EXPECT_TRUE(agrees(found.value, expected.at("value")));
    EXPECT_TRUE(agrees(found.occupancy, expected.at("occupancy"))) << "gradient in lambda";
    EXPECT_TRUE(agrees(found.nature, expected.at("nature"))) << "gradient in xi";
  }

  // expect(setting, expected numbers) for every model with every policy class.
  template <class Expectation>
  void for_each_setting(Expectation expect) const {
    const Json& settings = numbers().at("settings");
    const Json& expected = GetParam().data.at("at_settings");
    ASSERT_FALSE(settings.empty());
    ASSERT_EQ(settings.size(), expected.size());
    for (std::size_t i = 0; i < settings.size(); ++i) {
      SCOPED_TRACE(settings[i].at("name").get<std::string>());
      expect(settings[i], expected[i]);
    }
  }

  // The oracle's gradient at the setting.
  SaddleGradient gradient(const Json& setting, Storage storage, PolicyGradientScale scale) const {
    const FiniteMdp mdp = to_model(setting.at("model"), storage);
    const std::unique_ptr<PolicyClass> policy = to_policy(setting.at("policy"));
    return ExactOracle(mdp, *policy, *utility_, scale)
        .gradient({.policy = to_vector(setting.at("theta")), .nature = nature_});
  }

  UtilityPointer utility_;
  Vector nature_;
};

TEST_P(GradientReference, UtilityAgreesAtOccupanciesAndAtAMassThatIsNone) {
  for_each_setting([&](const Json& setting, const Json& expected) {
    expect_evaluation(to_matrix(setting.at("occupancy")), expected);
  });
  SCOPED_TRACE("a mass that does not sum to 1, with an empty state");
  expect_evaluation(to_matrix(numbers().at("stray")), GetParam().data.at("stray"));
}

TEST_P(GradientReference, OracleReturnsTheDerivativesOfTheObjectiveOrThoseOfThePaper) {
  for_each_setting([&](const Json& setting, const Json& expected) {
    for (const Storage storage : {Storage::kDense, Storage::kSparse}) {
      const SaddleGradient found = gradient(setting, storage, PolicyGradientScale::kDerivative);
      EXPECT_TRUE(agrees(found.value, expected.at("value")));
      EXPECT_TRUE(agrees(found.policy, expected.at("policy"))) << "gradient in theta";
      EXPECT_TRUE(agrees(found.nature, expected.at("nature"))) << "gradient in xi";
    }
    // The paper's gradient in theta is 1/(1-g) times the derivative; that in xi is the same.
    const double discount = setting.at("model").at("discount");
    const SaddleGradient paper = gradient(setting, Storage::kDense, PolicyGradientScale::kPaper);
    EXPECT_TRUE(agrees(Vector((1 - discount) * paper.policy), expected.at("policy")));
    EXPECT_TRUE(agrees(paper.nature, expected.at("nature")));
  });
}

INSTANTIATE_TEST_SUITE_P(Utilities, GradientReference,
                         testing::ValuesIn(cases(numbers().at("utilities"))), case_name);

}  // namespace
}  // namespace rgu::reference
