// Occupancies, values and plans against occupancies.py: rational arithmetic, no rounding.
#include "rgu/mdp/occupancy.hpp"

#include <gtest/gtest.h>

#include "reference/reference_data.hpp"
#include "rgu/mdp/planning.hpp"
#include "rgu/mdp/policy_evaluation.hpp"

namespace rgu::reference {
namespace {

// Each model as a dense and as a sparse kernel: different code, the same numbers.
class OccupancyReference : public testing::TestWithParam<Case> {
 protected:
  const Json& data() const { return GetParam().data; }
  Matrix policy() const { return to_matrix(data().at("policy")); }
  Matrix cost() const { return to_matrix(data().at("cost")); }

  template <class Expectation>
  void for_each_storage(Expectation expect) const {
    for (const Storage storage : {Storage::kDense, Storage::kSparse}) {
      SCOPED_TRACE(storage == Storage::kDense ? "dense kernel" : "sparse kernel");
      expect(to_model(data().at("model"), storage));
    }
  }
};

TEST_P(OccupancyReference, OccupanciesAreTheExactOnes) {
  for_each_storage([&](const FiniteMdp& mdp) {
    const PolicyEvaluation evaluation(mdp, policy());
    EXPECT_TRUE(agrees(evaluation.state_occupancy(), data().at("state_occupancy")));
    EXPECT_TRUE(agrees(evaluation.occupancy(), data().at("occupancy")));
    EXPECT_TRUE(agrees(occupancy(mdp, policy()), data().at("occupancy")));
  });
}

TEST_P(OccupancyReference, TruncatedOccupanciesAreTheFirstTermsOfTheSeries) {
  ASSERT_FALSE(data().at("truncated").empty());
  for_each_storage([&](const FiniteMdp& mdp) {
    for (const Json& sum : data().at("truncated")) {
      EXPECT_TRUE(
          agrees(truncated_occupancy(mdp, policy(), sum.at("horizon")), sum.at("occupancy")))
          << "horizon " << sum.at("horizon");
    }
  });
}

TEST_P(OccupancyReference, ValuesOfACostAreTheExactOnes) {
  for_each_storage([&](const FiniteMdp& mdp) {
    const PolicyEvaluation evaluation(mdp, policy());
    EXPECT_TRUE(agrees(evaluation.value(cost()), data().at("value")));
    EXPECT_TRUE(agrees(evaluation.action_value(cost()), data().at("action_value")));
  });
}

// The optimum is unique, so the actions are compared too.
TEST_P(OccupancyReference, ThePlanIsTheBestOfAllDeterministicPolicies) {
  const Json& expected = data().at("plan");
  for_each_storage([&](const FiniteMdp& mdp) {
    const Plan plan = optimal_plan(mdp, cost());
    EXPECT_EQ(plan.action, expected.at("action").get<std::vector<Index>>());
    EXPECT_TRUE(agrees(plan.value, expected.at("value")));
  });
}

TEST_P(OccupancyReference, FlowResidualIsTheLargestViolation) {
  const Json& stray = data().at("stray");
  for_each_storage([&](const FiniteMdp& mdp) {
    EXPECT_TRUE(
        agrees(flow_residual(mdp, to_matrix(stray.at("occupancy"))), stray.at("flow_residual")));
  });
}

// The given occupancy has a state without mass, where the policy is uniform.
TEST_P(OccupancyReference, PoliciesAreTheConditionalDistributionsOfOccupancies) {
  const Json& recovered = data().at("recovered");
  EXPECT_TRUE(
      agrees(policy_from_occupancy(to_matrix(recovered.at("occupancy"))), recovered.at("policy")));
}

INSTANTIATE_TEST_SUITE_P(Models, OccupancyReference,
                         testing::ValuesIn(cases(fixture("occupancies"))), case_name);

}  // namespace
}  // namespace rgu::reference
