// The exact worst case of the drift utility against worst_case.py: golden section on the dual,
// confirmed by a search of the primal from many starts.
#include "rgu/robustness/worst_case.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/reference_data.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/utility/drift.hpp"

namespace rgu::reference {
namespace {

class WorstCaseReference : public testing::TestWithParam<Case> {};

TEST_P(WorstCaseReference, OfTheDriftIsFoundExactly) {
  const Json& data = GetParam().data;
  const Matrix occupancy = to_matrix(data.at("occupancy"));
  const Matrix centre = to_matrix(data.at("centre"));
  const Drift drift({.actions = occupancy.cols(),
                     .features = to_matrix(data.at("features")),
                     .dimension = centre.rows()});
  const FrobeniusBall ball(centre, data.at("radius").get<double>());
  EXPECT_TRUE(agrees(drift.evaluate(occupancy, flatten(centre)).value, data.at("nominal")));
  const WorstCase worst = worst_case(drift, ball, occupancy);
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
  EXPECT_TRUE(agrees(worst.value, data.at("worst")));
  // Stricter than `agrees` where the value is small.
  EXPECT_NEAR(worst.value, data.at("worst").get<double>(),
              kTolerance * std::abs(data.at("nominal").get<double>()));
  EXPECT_TRUE(contains(ball, worst.nature));
}

INSTANTIATE_TEST_SUITE_P(Drift, WorstCaseReference, testing::ValuesIn(cases(fixture("worst_case"))),
                         case_name);

}  // namespace
}  // namespace rgu::reference
