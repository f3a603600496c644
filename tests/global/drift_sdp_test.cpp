// The global minimum of the drift envelope against drift_sdp.py: the semidefinite program solved by
// CVXOPT at the sizes of the paper's experiment.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/reference_data.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/global/drift_interior_point.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/mdp/generators.hpp"

namespace rgu::reference {
namespace {

FiniteMdp model_of(const Json& data) {
  Matrix kernel = to_matrix(data.at("weights"));
  for (Index i = 0; i < kernel.rows(); ++i) kernel.row(i) /= kernel.row(i).sum();
  const Index states = data.at("states");
  return {kernel, Vector::Constant(states, 1.0 / static_cast<double>(states)),
          data.at("discount").get<double>()};
}

Drift drift_of(const Json& data) {
  return Drift({.actions = data.at("actions").get<Index>(),
                .features = to_matrix(data.at("features")),
                .dimension = data.at("dimension").get<Index>()});
}

// With the centre of the paper's experiment.
FrobeniusBall maps(const Drift& drift, double radius) {
  return {Matrix::Identity(drift.dimension(), drift.feature_dimension()), radius};
}

class DriftProgramReference : public testing::TestWithParam<Case> {
 protected:
  const FiniteMdp mdp_ = model_of(GetParam().data);
  const Drift drift_ = drift_of(GetParam().data);
  const Vector radii_ = to_vector(GetParam().data.at("radii"));
  const Vector optima_ = to_vector(GetParam().data.at("optima"));
};

TEST_P(DriftProgramReference, HasTheSameOptimumForEveryRadius) {
  ASSERT_EQ(radii_.size(), optima_.size());
  for (Index k = 0; k < radii_.size(); ++k) {
    const GlobalSolution found = drift_interior_point(mdp_, drift_, maps(drift_, radii_(k)));
    EXPECT_EQ(found.status, GlobalStatus::kCertified) << radii_(k);
    EXPECT_LE(found.gap(), 1e-8 * std::abs(found.value)) << radii_(k);
    EXPECT_NEAR(found.value, optima_(k), 1e-7 * std::abs(optima_(k))) << radii_(k);
    EXPECT_NEAR(found.lower_bound, optima_(k), 1e-7 * std::abs(optima_(k))) << radii_(k);
    EXPECT_LT(found.iterations, 40) << radii_(k);
  }
}

TEST_P(DriftProgramReference, IsTheMinimumOfTheEnvelopeSolver) {
  for (Index k = 0; k < radii_.size(); ++k) {
    const GlobalSolution found = envelope_minimum(mdp_, drift_, maps(drift_, radii_(k)));
    EXPECT_EQ(found.status, GlobalStatus::kCertified) << radii_(k);
    EXPECT_EQ(found.method, "interior points") << radii_(k);
    EXPECT_NEAR(found.value, optima_(k), 1e-6 * std::abs(optima_(k))) << radii_(k);
    EXPECT_LE(found.lower_bound, optima_(k) + 1e-7 * std::abs(optima_(k))) << radii_(k);
  }
}

INSTANTIATE_TEST_SUITE_P(Drift, DriftProgramReference,
                         testing::ValuesIn(cases(fixture("drift_sdp"))), case_name);

// Too large for CVXOPT.
TEST(DriftProgram, OfTwoHundredStatesIsCertified) {
  Rng rng(200);
  const World world = random_model({.states = 200, .actions = 5, .discount = 0.95}, rng);
  const Drift drift({.actions = 5,
                     .features = Matrix::NullaryExpr(1000, 20, [&] { return rng.normal(); }),
                     .dimension = 10});
  const GlobalSolution found =
      envelope_minimum(world.mdp, drift, maps(drift, 0.5), {.tolerance = 1e-4});
  EXPECT_EQ(found.status, GlobalStatus::kCertified);
  EXPECT_LE(found.gap(), 1e-4 * std::abs(found.value));
  EXPECT_EQ(found.method, "interior points");
}

}  // namespace
}  // namespace rgu::reference
