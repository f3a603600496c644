// The laws of convex sets, written once for every implementation of ConvexSet.
//
// A test program includes this header from one source file and names its sets:
//   INSTANTIATE_TEST_SUITE_P(Boxes, ConvexSetLaws, testing::Values(SetCase{...}), set_case_name);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rgu/base/convex_set.hpp"
#include "rgu/base/rng.hpp"

namespace rgu {

enum class DiameterKind { kExact, kUpperBound };

// Lengths are relative to the size of the set: max(1, diameter, length of its central member).
struct SetLawOptions {
  double membership = 1e-9;
  double projection = 1e-9;
  double support = 1e-9;
  double zero_residual = 1e-6;  // of the normal residual where it must vanish, per unit direction
  // The normal residual is compared with a step of this length, within this error; on a curved
  // set the step is wrong by about its length times the curvature.
  double residual_step = 1e-6;
  double residual_error = 1e-4;
  // No comparison: for sets so sharply curved that no step is small enough.
  bool compares_residual = true;
  DiameterKind diameter = DiameterKind::kExact;
};

struct SetCase {
  std::string name;
  std::shared_ptr<const ConvexSet> set;
  // By how much a point breaks the definition of the set, recomputed from the raw data: <= 0 for
  // members.
  std::function<double(const Vector&)> violation;
  SetLawOptions law = {};
};

inline std::string set_case_name(const testing::TestParamInfo<SetCase>& info) {
  return info.param.name;
}

inline void PrintTo(const SetCase& set_case, std::ostream* out) { *out << set_case.name; }

class ConvexSetLaws : public testing::TestWithParam<SetCase> {
 protected:
  static constexpr int kMembers = 1000;

  const ConvexSet& set() const { return *GetParam().set; }
  const SetLawOptions& law() const { return GetParam().law; }
  double violation(const Vector& x) const { return GetParam().violation(x); }

  Vector centre() const { return set().support_point(Vector::Zero(set().dimension())); }
  double size() const { return std::max({1.0, set().diameter(), centre().norm()}); }

  Vector random_direction() { return normal_vector(set().dimension(), rng_); }

  // Most lie outside; the spread is measured in diameters.
  Vector random_point(double spread) {
    const double diameter = set().diameter() > 0 ? set().diameter() : 1.0;
    return centre() + spread * diameter * random_direction();
  }

  // Near, far and very far points, by turns.
  std::vector<Vector> random_points(int count) {
    constexpr double kSpreads[] = {0.05, 0.3, 1.0, 10.0, 1e3};
    std::vector<Vector> points;
    for (int i = 0; i < count; ++i) points.push_back(random_point(kSpreads[i % 5]));
    return points;
  }

  std::vector<Vector> support_points(int count) {
    std::vector<Vector> points;
    for (int i = 0; i < count; ++i) points.push_back(set().support_point(random_direction()));
    return points;
  }

  // Projections of random points, support points, and points between them.
  std::vector<Vector> random_members(int count) {
    std::vector<Vector> members = support_points(40);
    const std::size_t corners = members.size();
    while (static_cast<int>(members.size()) < count) {
      const Vector nearest = set().project(random_point(rng_.uniform(0.0, 1.5)));
      members.push_back(nearest);
      const Vector& first = members[rng_.below(corners)];
      const Vector& second = members[rng_.below(members.size())];
      const double share = rng_.uniform();
      members.push_back(share * first + (1 - share) * second);
    }
    members.resize(static_cast<std::size_t>(count));
    return members;
  }

  // Two members far apart: support points in opposite directions, the direction then turned along
  // their difference until the distance no longer grows.
  double distance_climbing_from(Vector direction) const {
    double longest = 0;
    for (int k = 0; k < 200; ++k) {
      const Vector difference = set().support_point(direction) - set().support_point(-direction);
      const double length = difference.norm();
      if (length <= longest * (1 + 1e-12)) break;
      longest = length;
      direction = difference / length;
    }
    return longest;
  }

  // The longest distance found from directions along axes, between axes, along diagonals, and at
  // random.
  double longest_distance_found() {
    const Index n = set().dimension();
    std::vector<Vector> directions = {Vector::Ones(n)};
    for (Index i = 0; i < n; ++i) {
      directions.push_back(Vector::Unit(n, i));
      if (i > 0) directions.push_back(Vector::Unit(n, i) - Vector::Unit(n, i - 1));
    }
    for (int k = 0; k < 8; ++k) directions.push_back(random_direction());
    double longest = 0;
    for (const Vector& direction : directions) {
      longest = std::max(longest, distance_climbing_from(direction));
    }
    return longest;
  }

  // |projection of direction onto the tangent cone|, which by Moreau is the distance of the
  // direction from the normal cone, as a difference quotient of the projection.
  double tangent_length(const Vector& member, const Vector& direction) const {
    const double step = law().residual_step * size();
    const Vector moved = set().project(member + (step / direction.norm()) * direction);
    return (moved - set().project(member)).norm() * direction.norm() / step;
  }

  Rng rng_{20240607};
};

TEST_P(ConvexSetLaws, ProjectionLandsInside) {
  for (const Vector& x : random_points(100)) {
    const Vector nearest = set().project(x);
    ASSERT_EQ(nearest.size(), set().dimension());
    EXPECT_LE(violation(nearest), law().membership * size());
    EXPECT_TRUE(contains(set(), nearest, law().membership * size()));
  }
}

TEST_P(ConvexSetLaws, ProjectionLeavesMembersWhereTheyAre) {
  for (const Vector& member : random_members(200)) {
    ASSERT_LE(violation(member), law().membership * size());
    EXPECT_LE((set().project(member) - member).norm(), law().projection * size());
  }
}

TEST_P(ConvexSetLaws, ProjectionDoesNotExpandDistances) {
  const std::vector<Vector> points = random_points(50);
  for (std::size_t i = 0; i < points.size(); ++i) {
    // A pair at random distance, and a pair that is close together.
    for (const Vector& other : {points[(i + 1) % points.size()],
                                Vector(points[i] + 1e-3 * size() * random_direction())}) {
      const double before = (points[i] - other).norm();
      const double after = (set().project(points[i]) - set().project(other)).norm();
      EXPECT_LE(after, before * (1 + 1e-12) + law().projection * size());
    }
  }
}

// <x - P(x), y - P(x)> <= 0 for every member y, which makes P(x) the nearest member. Tried on
// random members and on the member where it is largest.
TEST_P(ConvexSetLaws, ProjectionObeysTheVariationalInequality) {
  const std::vector<Vector> members = random_members(kMembers);
  for (const Vector& x : random_points(15)) {
    const Vector nearest = set().project(x);
    const Vector outward = x - nearest;
    const double tolerance = law().projection * size() * (size() + outward.norm());
    for (const Vector& y : members) EXPECT_LE(outward.dot(y - nearest), tolerance);
    EXPECT_LE(outward.dot(set().support_point(outward) - nearest), tolerance);
  }
}

TEST_P(ConvexSetLaws, SupportPointIsAMemberAndBeatsEveryMember) {
  const std::vector<Vector> members = random_members(kMembers);
  for (int k = 0; k < 15; ++k) {
    const Vector direction = std::pow(10.0, k - 7) * random_direction();
    const Vector best = set().support_point(direction);
    ASSERT_EQ(best.size(), set().dimension());
    EXPECT_LE(violation(best), law().membership * size());
    EXPECT_TRUE(contains(set(), best, law().membership * size()));
    for (const Vector& y : members) {
      EXPECT_LE(direction.dot(y - best), law().support * size() * direction.norm());
    }
  }
}

TEST_P(ConvexSetLaws, SupportPointOfTheZeroDirectionIsAMember) {
  EXPECT_LE(violation(centre()), law().membership * size());
}

TEST_P(ConvexSetLaws, DiameterIsNotExceeded) {
  const std::vector<Vector> members = random_members(100);
  const double bound = set().diameter() + law().membership * size();
  for (const Vector& x : members) {
    for (const Vector& y : members) EXPECT_LE((x - y).norm(), bound);
  }
  const double longest = longest_distance_found();
  EXPECT_LE(longest, bound);
  if (law().diameter == DiameterKind::kExact) {
    EXPECT_GE(longest, set().diameter() - 1e-6 * size());
  }
}

TEST_P(ConvexSetLaws, NormalResidualVanishesAtSupportPoints) {
  for (int k = 0; k < 20; ++k) {
    const Vector direction = random_direction();
    const double residual = set().normal_residual(set().support_point(direction), direction);
    EXPECT_GE(residual, 0.0);
    EXPECT_LE(residual, law().zero_residual * direction.norm());
  }
}

TEST_P(ConvexSetLaws, NormalResidualVanishesAlongThePullOfAProjection) {
  for (const Vector& x : random_points(20)) {
    const Vector nearest = set().project(x);
    const Vector outward = x - nearest;
    if (outward.norm() < 1e-3 * size()) continue;  // the direction would be mostly rounding
    EXPECT_LE(set().normal_residual(nearest, outward), law().zero_residual * outward.norm());
  }
}

TEST_P(ConvexSetLaws, NormalResidualIsTheLengthOfTheTangentPart) {
  if (!law().compares_residual) GTEST_SKIP() << "too sharply curved for any step";
  for (const Vector& x : random_points(30)) {
    const Vector boundary = set().project(x);
    const Vector inner = 0.5 * boundary + 0.5 * centre();
    const Vector outward = (x - boundary) / std::max(1e-300, (x - boundary).norm());
    for (const Vector& direction : {random_direction(), Vector(random_direction() + 3 * outward)}) {
      for (const Vector& member : {boundary, inner, set().support_point(random_direction())}) {
        EXPECT_NEAR(set().normal_residual(member, direction), tangent_length(member, direction),
                    law().residual_error * direction.norm());
      }
    }
  }
}

}  // namespace rgu
