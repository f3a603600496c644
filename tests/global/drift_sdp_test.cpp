// The global minimum of the drift envelope against drift_sdp.py: the semidefinite program solved by
// CVXOPT at the sizes of the paper's experiment.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/reference_data.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/global/drift_interior_point.hpp"

namespace rgu::reference {
namespace {

class DriftProgramReference : public testing::TestWithParam<Case> {};

TEST_P(DriftProgramReference, HasTheSameOptimumForEveryRadius) {
  const Json& data = GetParam().data;
  Matrix kernel = to_matrix(data.at("weights"));
  for (Index i = 0; i < kernel.rows(); ++i) kernel.row(i) /= kernel.row(i).sum();
  const Index states = data.at("states"), actions = data.at("actions");
  const FiniteMdp mdp(kernel, Vector::Constant(states, 1.0 / static_cast<double>(states)),
                      data.at("discount").get<double>());
  const Drift drift({.actions = actions,
                     .features = to_matrix(data.at("features")),
                     .dimension = data.at("dimension").get<Index>()});
  const Matrix centre = Matrix::Identity(drift.dimension(), drift.feature_dimension());
  const Vector radii = to_vector(data.at("radii")), optima = to_vector(data.at("optima"));
  ASSERT_EQ(radii.size(), optima.size());
  for (Index k = 0; k < radii.size(); ++k) {
    const GlobalSolution found = drift_interior_point(mdp, drift, FrobeniusBall(centre, radii(k)));
    EXPECT_EQ(found.status, GlobalStatus::kCertified) << radii(k);
    EXPECT_LE(found.gap(), 1e-8 * std::abs(found.value)) << radii(k);
    EXPECT_NEAR(found.value, optima(k), 1e-7 * std::abs(optima(k))) << radii(k);
    EXPECT_NEAR(found.lower_bound, optima(k), 1e-7 * std::abs(optima(k))) << radii(k);
    EXPECT_LT(found.iterations, 40) << radii(k);
  }
}

INSTANTIATE_TEST_SUITE_P(Drift, DriftProgramReference,
                         testing::ValuesIn(cases(fixture("drift_sdp"))), case_name);

}  // namespace
}  // namespace rgu::reference
