#include "rgu/mdp/softmax.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "laws/models.hpp"
#include "laws/throws.hpp"

namespace rgu {
namespace {

struct PolicyCase {
  std::string name;
  std::shared_ptr<const PolicyClass> policy;
  double spread = 1;  // of theta
};

class PolicyLaws : public testing::TestWithParam<PolicyCase> {
 protected:
  const PolicyClass& policy() const { return *GetParam().policy; }
  Vector theta() { return GetParam().spread * normal_vector(policy().dimension(), rng_); }
  Rng rng_{17};
};

TEST_P(PolicyLaws, RowsAreDistributions) {
  for (int k = 0; k < 20; ++k) {
    const Matrix pi = policy().probabilities(theta());
    EXPECT_GE(pi.minCoeff(), 0.0);
    EXPECT_TRUE((pi.rowwise().sum().array() - 1.0).abs().maxCoeff() < 1e-14);
  }
}

// The score of `weight` is the derivative of sum weight log pi.
TEST_P(PolicyLaws, ScoreIsTheDerivativeOfTheLogProbabilities) {
  const Vector at = theta();
  const Matrix pi = policy().probabilities(at);
  const Matrix weight = Matrix::NullaryExpr(pi.rows(), pi.cols(), [&] { return rng_.normal(); });
  const auto value = [&](const Vector& x) {
    return policy().probabilities(x).array().log().matrix().cwiseProduct(weight).sum();
  };
  const Vector score = policy().score(at, pi, weight);
  ASSERT_EQ(score.size(), policy().dimension());
  for (Index i = 0; i < score.size(); ++i) {
    const Vector step = 1e-5 * Vector::Unit(score.size(), i);
    const double difference = (value(at + step) - value(at - step)) / 2e-5;
    EXPECT_NEAR(score(i), difference, 1e-6 * std::max(1.0, score.cwiseAbs().maxCoeff()));
  }
}

TEST_P(PolicyLaws, ExpectedScoreIsZero) {
  const Vector at = theta();
  const Matrix pi = policy().probabilities(at);
  EXPECT_LT(policy().score(at, pi, pi).cwiseAbs().maxCoeff(), 1e-14);
}

std::vector<PolicyCase> policy_cases() {
  Rng rng(3);
  const auto features = [&](Index rows, Index columns) {
    return Matrix(Matrix::NullaryExpr(rows, columns, [&] { return rng.normal(); }));
  };
  using Sizes = TabularSoftmax::Sizes;
  return {{"Tabular", std::make_shared<TabularSoftmax>(Sizes{4, 3})},
          {"TabularOneState", std::make_shared<TabularSoftmax>(Sizes{1, 5})},
          {"TabularOneAction", std::make_shared<TabularSoftmax>(Sizes{5, 1})},
          {"TabularAtTheEdgesOfTheBox", std::make_shared<TabularSoftmax>(Sizes{4, 3}), 5.0},
          {"LogLinear", std::make_shared<LogLinearSoftmax>(features(12, 5), 3)},
          {"LogLinearOneFeature", std::make_shared<LogLinearSoftmax>(features(8, 1), 2)}};
}

INSTANTIATE_TEST_SUITE_P(Softmax, PolicyLaws, testing::ValuesIn(policy_cases()),
                         [](const auto& each) { return each.param.name; });

TEST(TabularSoftmax, SurvivesHugeLogits) {
  const TabularSoftmax policy({.states = 1, .actions = 3});
  const Matrix pi = policy.probabilities(Vector{{1e4, 1e4, -1e4}});
  EXPECT_EQ(pi(0, 0), 0.5);
  EXPECT_EQ(pi(0, 2), 0.0);
}

TEST(LogLinearSoftmax, WithUnitFeaturesIsTabular) {
  const LogLinearSoftmax linear(Matrix::Identity(6, 6), 3);
  const TabularSoftmax tabular({.states = 2, .actions = 3});
  Rng rng(1);
  const Vector theta = normal_vector(6, rng);
  EXPECT_TRUE(linear.probabilities(theta).isApprox(tabular.probabilities(theta), 1e-15));
}

TEST(Softmax, RefusesWrongSizes) {
  expect_invalid([] { TabularSoftmax({.states = 0, .actions = 2}); }, "number of states is 0");
  expect_invalid([] { TabularSoftmax({.states = 2, .actions = 0}); }, "number of actions is 0");
  expect_invalid([] { LogLinearSoftmax(Matrix::Ones(5, 2), 2); }, "features have 5 rows");
  expect_invalid([] { LogLinearSoftmax(Matrix::Ones(4, 0), 2); }, "number of features is 0");
  expect_invalid([] { LogLinearSoftmax(Matrix::Constant(4, 1, NAN), 2); }, "features[0, 0] is nan");
  const TabularSoftmax policy({.states = 2, .actions = 2});
  expect_invalid([&] { policy.probabilities(Vector::Zero(3)); }, "theta has 3 entries");
  expect_invalid(
      [&] { policy.score(Vector::Zero(4), Matrix::Constant(2, 2, 0.5), Matrix::Zero(2, 3)); },
      "weight is 2 x 3, must be 2 x 2");
}

TEST(CheckPolicy, NamesTheBadRow) {
  Matrix pi = Matrix::Constant(2, 2, 0.5);
  EXPECT_NO_THROW(check_policy(pi, 2, 2));
  pi(1, 0) = 0.4;
  expect_invalid([&] { check_policy(pi, 2, 2); }, "policy row s=1 sums to 0.9");
  pi.row(1) << -0.5, 1.5;
  expect_invalid([&] { check_policy(pi, 2, 2); }, "policy row s=1 holds -0.5");
  pi.row(1) << 0.5, NAN;
  expect_invalid([&] { check_policy(pi, 2, 2); }, "policy row s=1 sums to nan");
}

}  // namespace
}  // namespace rgu
