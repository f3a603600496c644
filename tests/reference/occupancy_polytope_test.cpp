// The occupancy polytope against occupancy_polytope.py: an interior-point method and a linear
// program find the zero entries, rational arithmetic the rest.
#include "rgu/mdp/occupancy_polytope.hpp"

#include <gtest/gtest.h>

#include "reference/reference_data.hpp"

namespace rgu::reference {
namespace {

class OccupancyPolytopeReference : public testing::TestWithParam<Case> {
 protected:
  const Json& data() const { return GetParam().data; }
};

TEST_P(OccupancyPolytopeReference, ProjectionsAreTheExactOnes) {
  ASSERT_FALSE(data().at("projections").empty());
  for (const Storage storage : {Storage::kDense, Storage::kSparse}) {
    const FiniteMdp mdp = to_model(data().at("model"), storage);
    const OccupancyPolytope polytope(mdp);
    for (const Json& pair : data().at("projections")) {
      const Vector point = to_vector(pair.at("point"));
      EXPECT_TRUE(agrees(polytope.project(point), pair.at("nearest")))
          << "the point has the norm " << point.norm();
    }
  }
}

TEST_P(OccupancyPolytopeReference, SupportPointsAreTheExactVertices) {
  ASSERT_FALSE(data().at("supports").empty());
  for (const Storage storage : {Storage::kDense, Storage::kSparse}) {
    const FiniteMdp mdp = to_model(data().at("model"), storage);
    const OccupancyPolytope polytope(mdp);
    for (const Json& pair : data().at("supports")) {
      EXPECT_TRUE(
          agrees(polytope.support_point(to_vector(pair.at("direction"))), pair.at("member")));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OccupancyPolytopeReference,
                         testing::ValuesIn(cases(fixture("occupancy_polytope"))), case_name);

}  // namespace
}  // namespace rgu::reference
