// Least worst cases of robust rewards and of constraints against envelope.py: linear and cone
// programs solved by HiGHS and CVXOPT.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/reference_data.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/global/cutting_planes.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/reward_robust.hpp"

namespace rgu::reference {
namespace {

// Integer weights over their sums.
FiniteMdp garnet_of(const Json& data, Storage storage) {
  const Index states = data.at("states");
  const Matrix successors = to_matrix(data.at("successors"));
  const Matrix weights = to_matrix(data.at("weights"));
  Matrix kernel = Matrix::Zero(weights.rows(), states);
  for (Index i = 0; i < weights.rows(); ++i) {
    for (Index j = 0; j < weights.cols(); ++j) {
      kernel(i, static_cast<Index>(successors(i, j))) = weights(i, j) / weights.row(i).sum();
    }
  }
  const Vector start = to_vector(data.at("start"));
  const double discount = data.at("discount");
  if (storage == Storage::kDense) return {kernel, start / start.sum(), discount};
  return {SparseMatrix(kernel.sparseView()), start / start.sum(), discount};
}

// Functions of (s, a) lie flat in the file.
Matrix table(const Json& numbers, const FiniteMdp& mdp) {
  return as_matrix(to_vector(numbers), mdp.states(), mdp.actions());
}

Constrained constrained_of(const Json& data, const FiniteMdp& mdp) {
  ConstrainedCosts costs{.objective = table(data.at("objective"), mdp),
                         .constraints = {},
                         .thresholds = to_vector(data.at("thresholds"))};
  for (const Json& cost : data.at("constraints")) costs.constraints.push_back(table(cost, mdp));
  return Constrained(std::move(costs));
}

Box multipliers_of(const Json& data) {
  return uniform_box(std::ssize(data.at("thresholds")), {0, data.at("price").get<double>()});
}

// The reference is the value of a policy and at most 1e-9 above the minimum.
void expect_minimum(const GlobalSolution& found, double reference) {
  EXPECT_EQ(found.status, GlobalStatus::kCertified) << found.method << ", gap " << found.gap();
  EXPECT_NEAR(found.value, reference, 1e-6 * std::max(std::abs(reference), 1e-3)) << found.method;
  EXPECT_LE(found.lower_bound, reference + 1e-9) << found.method;
  EXPECT_GE(found.value, reference - 2e-9) << found.method;
}

class EnvelopeReference : public testing::TestWithParam<Case> {
 protected:
  const Json& data() const { return GetParam().data; }
  const Json& rewards() const { return data().at("rewards"); }

  LpBall ball(const std::string& norm) const {
    const double p = norm == "inf" ? std::numeric_limits<double>::infinity()
                                   : static_cast<double>(norm[0] - '0');
    return LpBall({.centre = to_vector(rewards().at("centre")),
                   .radius = rewards().at("radius_" + norm),
                   .p = p});
  }

  const FiniteMdp dense_ = garnet_of(data(), Storage::kDense);
  const FiniteMdp sparse_ = garnet_of(data(), Storage::kSparse);
  const RewardRobust utility_{{.states = dense_.states(), .actions = dense_.actions()}};
  const EnvelopeOptions options_{.tolerance = 1e-7};
};

TEST_P(EnvelopeReference, HasTheSameMinimumForRewardsInABox) {
  const Box box(
      {.lower = to_vector(rewards().at("lower")), .upper = to_vector(rewards().at("upper"))});
  for (const FiniteMdp* mdp : {&dense_, &sparse_}) {
    expect_minimum(envelope_minimum(*mdp, utility_, box, options_), rewards().at("minimum_box"));
  }
}

TEST_P(EnvelopeReference, HasTheSameMinimumForRewardsInBalls) {
  for (const std::string norm : {"1", "2", "inf"}) {
    SCOPED_TRACE("norm " + norm);
    expect_minimum(envelope_minimum(dense_, utility_, ball(norm), options_),
                   rewards().at("minimum_" + norm));
  }
}

TEST_P(EnvelopeReference, HasTheSameMinimumForConstraints) {
  const Json& costs = data().at("constrained");
  const Constrained utility = constrained_of(costs, dense_);
  for (const FiniteMdp* mdp : {&dense_, &sparse_}) {
    expect_minimum(envelope_minimum(*mdp, utility, multipliers_of(costs), options_),
                   costs.at("minimum"));
  }
}

INSTANTIATE_TEST_SUITE_P(Garnet, EnvelopeReference, testing::ValuesIn(cases(fixture("envelope"))),
                         case_name);

// By cutting planes alone, the first few models.
TEST(CuttingPlaneReference, IsWhatCuttingPlanesFind) {
  const std::vector<Case> all = cases(fixture("envelope"));
  for (std::size_t k = 0; k < 5; ++k) {
    SCOPED_TRACE(all[k].name);
    const FiniteMdp mdp = garnet_of(all[k].data, Storage::kDense);
    const Json& costs = all[k].data.at("constrained");
    expect_minimum(cutting_plane_minimum(mdp, constrained_of(costs, mdp), multipliers_of(costs),
                                         {.tolerance = 1e-7}),
                   costs.at("minimum"));
    const Json& rewards = all[k].data.at("rewards");
    const RewardRobust utility({.states = mdp.states(), .actions = mdp.actions()});
    const LpBall ball(
        {.centre = to_vector(rewards.at("centre")), .radius = rewards.at("radius_1"), .p = 1});
    expect_minimum(cutting_plane_minimum(mdp, utility, ball, {.tolerance = 1e-7}),
                   rewards.at("minimum_1"));
  }
}

}  // namespace
}  // namespace rgu::reference
