// The ambiguity sets against sets.py: every active set in rational arithmetic, or bisection with 60
// digits.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <stdexcept>

#include "reference/reference_data.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"

namespace rgu::reference {
namespace {

using SetPointer = std::shared_ptr<const ConvexSet>;

SetPointer to_set(const Json& set);

double exponent(const Json& p) {
  return p == "infinity" ? std::numeric_limits<double>::infinity() : p.get<double>();
}

SetPointer to_ball(const Json& ball) {
  const std::string kind = ball.at("kind");
  const double radius = ball.at("radius");
  if (kind == "frobenius_ball") {
    return std::make_shared<FrobeniusBall>(to_matrix(ball.at("centre")), radius);
  }
  if (kind == "spectral_ball") {
    return std::make_shared<SpectralBall>(to_matrix(ball.at("centre")), radius);
  }
  const Vector centre = to_vector(ball.at("centre"));
  if (kind == "weighted_ball") {
    return std::make_shared<Ellipsoid>(
        WeightedBall{.centre = centre, .weights = to_vector(ball.at("weights")), .radius = radius});
  }
  if (kind == "quadratic_ball") {
    return std::make_shared<Ellipsoid>(
        QuadraticBall{.centre = centre, .matrix = to_matrix(ball.at("matrix")), .radius = radius});
  }
  if (kind != "lp_ball") throw std::runtime_error("no set is called " + kind);
  return std::make_shared<LpBall>(
      LpBallShape{.centre = centre, .radius = radius, .p = exponent(ball.at("p"))});
}

SetParts to_parts(const Json& list) {
  SetParts parts;
  for (const Json& part : list) parts.push_back(to_set(part));
  return parts;
}

SetPointer to_set(const Json& set) {
  const std::string kind = set.at("kind");
  if (kind == "box") {
    return std::make_shared<Box>(
        Bounds{.lower = to_vector(set.at("lower")), .upper = to_vector(set.at("upper"))});
  }
  if (kind == "simplex") return std::make_shared<ProbabilitySimplex>(set.at("dimension"));
  if (kind == "capped_orthant") {
    return std::make_shared<CappedOrthant>(set.at("dimension"), set.at("total"));
  }
  if (kind == "polytope") {
    return std::make_shared<Polytope>(to_matrix(set.at("normals")), to_vector(set.at("offsets")));
  }
  if (kind == "intersection") return std::make_shared<IntersectionSet>(to_parts(set.at("parts")));
  if (kind == "product") return std::make_shared<ProductSet>(to_parts(set.at("parts")));
  return to_ball(set);
}

class SetReference : public testing::TestWithParam<Case> {
 protected:
  const Json& data() const { return GetParam().data; }
};

TEST_P(SetReference, ProjectionsAreTheExactOnes) {
  const SetPointer set = to_set(data().at("set"));
  ASSERT_FALSE(data().at("projections").empty());
  for (const Json& pair : data().at("projections")) {
    EXPECT_TRUE(agrees(set->project(to_vector(pair.at("point"))), pair.at("nearest"))) << pair;
  }
}

TEST_P(SetReference, SupportPointsAreTheExactOnes) {
  const SetPointer set = to_set(data().at("set"));
  ASSERT_FALSE(data().at("supports").empty());
  for (const Json& pair : data().at("supports")) {
    EXPECT_TRUE(agrees(set->support_point(to_vector(pair.at("direction"))), pair.at("member")))
        << pair;
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, SetReference, testing::ValuesIn(cases(fixture("sets"))), case_name);

}  // namespace
}  // namespace rgu::reference
