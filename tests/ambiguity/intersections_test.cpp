// Intersections that are solved exactly: by hand, where parts only just touch, and at random.
#include <gtest/gtest.h>

#include <cmath>

#include "ambiguity/helpers.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/common_polyhedron.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/linear_form.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/monotone_search.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"

namespace rgu {
namespace {

using SetPointer = std::shared_ptr<const ConvexSet>;

SetPointer ball(const Vector& centre, double radius, double p = 2) {
  return std::make_shared<LpBall>(LpBallShape{.centre = centre, .radius = radius, .p = p});
}
SetPointer box(const Vector& lower, const Vector& upper) {
  return std::make_shared<Box>(Bounds{.lower = lower, .upper = upper});
}
SetPointer simplex(Index n) { return std::make_shared<ProbabilitySimplex>(n); }

// ---- by hand

// Within a radius of the uniform distribution that no face cuts, the best distribution moves by the
// whole radius along the direction less its mean.
TEST(IntersectionSet, SupportPointOfASimplexAroundAnExpertIsExact) {
  for (const Index n : {2, 3, 10, 500}) {
    const Vector expert = Vector::Constant(n, 1.0 / static_cast<double>(n));
    const double radius = 0.5 / static_cast<double>(n);
    for (const bool expert_first : {true, false}) {
      SetParts parts = {simplex(n), ball(expert, radius)};
      if (expert_first) std::swap(parts[0], parts[1]);
      const IntersectionSet set(parts);
      for (const double size : {1e-9, 1.0, 1e9}) {
        const Vector direction = size * irregular(n, 3);
        const Vector tangent = direction.array() - direction.mean();
        const CertifiedSupport best = set.certified_support(direction);
        EXPECT_THAT(best.point, IsNear(Vector(expert + radius * tangent.normalized()), 1e-12));
        EXPECT_EQ(best.gap, 0);
      }
    }
  }
}

// A ball around a corner e_0 of the simplex of R^3, radius 1, cut by both edges: the direction
// (0, 2, 1) leads along the edge to e_1, to (1 - t, t, 0) with 2 t^2 = 1.
TEST(IntersectionSet, SupportPointOfASimplexAroundACornerLiesOnAnEdge) {
  const IntersectionSet set({simplex(3), ball(vec({1, 0, 0}), 1)});
  const double t = std::sqrt(0.5);
  const CertifiedSupport best = set.certified_support(vec({0, 2, 1}));
  EXPECT_THAT(best.point, IsNear(vec({1 - t, t, 0}), 1e-12));
  EXPECT_EQ(best.gap, 0);
  EXPECT_THAT(set.project(vec({-7, 9, -2})), IsNear(vec({1 - t, t, 0}), 1e-12));
}

// The direction is normal to an edge: all of the edge inside the ball is best.
TEST(IntersectionSet, SupportPointOnAFaceIsExact) {
  const IntersectionSet set({box(vec({0, 0}), vec({1, 9})), ball(vec({1, 4}), 0.5)});
  const CertifiedSupport best = set.certified_support(vec({1, 0}));
  EXPECT_NEAR(best.point(0), 1, 1e-15);
  EXPECT_NEAR(best.point(1), 4, 0.5);
  EXPECT_EQ(best.gap, 0);
}

// |x_1| + .. + |x_8| <= 1 in the box |x_i| <= 1/4: four coordinates at their bounds.
TEST(IntersectionSet, OfAnL1BallAndABoxIsExactInManyDimensions) {
  const Index n = 8;
  const IntersectionSet set(
      {ball(Vector::Zero(n), 1, 1), box(Vector::Constant(n, -0.25), Vector::Constant(n, 0.25))});
  Vector direction = vec({8, -7, 6, -5, 4, -3, 2, -1});
  const Vector best = vec({0.25, -0.25, 0.25, -0.25, 0, 0, 0, 0});
  EXPECT_THAT(set.support_point(direction), IsNear(best, 1e-10));
  EXPECT_LE(set.certified_support(direction).gap, 1e-9);
  EXPECT_THAT(set.project(100 * direction), IsNear(best, 1e-10));
  // Soft thresholds: |x_i| = 0.3 - t, cut to 1/4: eight times 1/8.
  EXPECT_THAT(set.project(Vector::Constant(n, 0.3)), IsNear(Vector::Constant(n, 0.125), 1e-12));
}

// 4 x^2 + y^2 <= 4 and x + y <= 1, x, y >= -3: on the line the ellipse ends where 5 x^2 - 2 x = 3,
// x = 1 or x = -3/5. (1, 0) and (-3/5, 8/5).
TEST(IntersectionSet, OfAnEllipsoidAndAPolyhedronIsExact) {
  Matrix normals(3, 2);
  normals << 1, 1, -1, 0, 0, -1;
  const IntersectionSet set({std::make_shared<Ellipsoid>(WeightedBall{
                                 .centre = vec({0, 0}), .weights = vec({4, 1}), .radius = 2}),
                             std::make_shared<Polytope>(normals, vec({1, 3, 3}))});
  EXPECT_THAT(set.support_point(vec({1, 2})), IsNear(vec({-0.6, 1.6}), 1e-12));
  EXPECT_THAT(set.support_point(vec({2, 1})), IsNear(vec({1, 0}), 1e-12));
  EXPECT_EQ(set.certified_support(vec({1, 2})).gap, 0);
  // Below, the ellipse alone: gradient (4 x, y) along (0, -1).
  EXPECT_THAT(set.support_point(vec({0, -1})), IsNear(vec({0, -2}), 1e-8));
  // The nearest point to (0, 3) on the line is (-1, 2), outside: the corner.
  EXPECT_THAT(set.project(vec({0, 3})), IsNear(vec({-0.6, 1.6}), 1e-12));
  EXPECT_THAT(set.project(vec({0.2, 0.9})), IsNear(vec({0.15, 0.85}), 1e-12));
  EXPECT_THAT(set.project(vec({0, -7})), IsNear(vec({0, -2}), 1e-12));
  EXPECT_THAT(set.project(vec({0.1, 0.2})), IsNear(vec({0.1, 0.2}), 0));
}

// Three discs of radius 1 around the corners of a triangle of side 1: a Reuleaux triangle, whose
// corners are those of the triangle.
TEST(IntersectionSet, OfThreeDiscsIsExact) {
  const Vector a = vec({0, 0}), b = vec({1, 0}), c = vec({0.5, std::sqrt(0.75)});
  const IntersectionSet set({ball(a, 1), ball(b, 1), ball(c, 1)});
  const Vector middle = (a + b + c) / 3;
  for (const Vector& corner : {a, b, c}) {
    EXPECT_THAT(set.support_point(corner - middle), IsNear(corner, 1e-12));
    EXPECT_THAT(set.project(middle + 50 * (corner - middle)), IsNear(corner, 1e-12));
    const Vector opposite = corner + (middle - corner).normalized();
    const CertifiedSupport best = set.certified_support(middle - corner);
    EXPECT_THAT(best.point, IsNear(opposite, 1e-7));
    EXPECT_LE(best.gap, 1e-12);
  }
}

TEST(IntersectionSet, OfIntersectionsIsThatOfTheirParts) {
  const auto inner = std::make_shared<IntersectionSet>(
      SetParts{simplex(4), box(Vector::Zero(4), Vector::Constant(4, 0.5))});
  const IntersectionSet nested({inner, ball(Vector::Constant(4, 0.25), 0.3)});
  const IntersectionSet flat({simplex(4), box(Vector::Zero(4), Vector::Constant(4, 0.5)),
                              ball(Vector::Constant(4, 0.25), 0.3)});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Vector point = 3 * irregular(4, seed);
    EXPECT_THAT(nested.project(point), IsNear(flat.project(point), 1e-12));
    EXPECT_THAT(nested.support_point(point), IsNear(flat.support_point(point), 1e-9));
  }
  EXPECT_EQ(nested.parts().size(), 2u);
}

// ---- parts that only just touch

TEST(IntersectionSet, OfSetsThatTouchIsThePointWhereTheyDo) {
  const Vector touching = vec({1, 0});
  for (const double scale : {1e-6, 1.0, 1e6}) {
    const std::vector<SetParts> cases = {
        {ball(vec({0, 0}), scale), box(vec({scale, -scale}), vec({3 * scale, 9 * scale}))},
        {ball(vec({0, 0}), scale), ball(vec({2 * scale, 0}), scale)},
        {ball(vec({0, 0}), scale, 1), ball(vec({2 * scale, 0}), scale, 1)},
        {box(vec({0, 0}), vec({scale, scale})), box(vec({scale, -scale}), vec({2 * scale, 0}))},
        {std::make_shared<Ellipsoid>(
             WeightedBall{.centre = vec({0, 0}), .weights = vec({1, 100}), .radius = scale}),
         box(vec({scale, -scale}), vec({3 * scale, 9 * scale}))}};
    for (std::size_t k = 0; k < cases.size(); ++k) {
      SCOPED_TRACE(testing::Message() << "case " << k << ", scale " << scale);
      const IntersectionSet set(cases[k]);
      EXPECT_THAT(set.centre(), IsNear(Vector(scale * touching), 1e-7 * scale));
      for (const Vector& direction : {vec({1, 0}), vec({0, 1}), vec({-1, -2}), vec({3, -1})}) {
        const CertifiedSupport best = set.certified_support(direction);
        EXPECT_THAT(best.point, IsNear(Vector(scale * touching), 1e-7 * scale));
        EXPECT_LE(best.gap, 1e-4 * scale * direction.norm());  // they have no interior
        EXPECT_THAT(set.project(scale * (touching + 5 * direction)),
                    IsNear(Vector(scale * touching), 1e-7 * scale));
      }
    }
  }
}

// A lens of height 2 sqrt(2 d - d^2), d the depth of the overlap.
TEST(IntersectionSet, OfSetsThatNearlyTouchIsALens) {
  for (const double depth : {1e-3, 1e-6, 1e-9, 1e-12}) {
    const IntersectionSet set({ball(vec({0, 0}), 1), box(vec({1 - depth, -1}), vec({3, 9}))});
    const double height = std::sqrt((2 - depth) * depth);
    const CertifiedSupport best = set.certified_support(vec({0, 1}));
    // A change of the radius in its last digit moves the end by eps / height.
    const double rounding = 8 * kEps / height;
    EXPECT_THAT(best.point, IsNear(vec({1 - depth, height}), rounding));
    EXPECT_LE(best.gap, 1e-12 + rounding);
    EXPECT_THAT(set.project(vec({1, 40})), IsNear(vec({1 - depth, height}), rounding));
  }
}

TEST(IntersectionSet, OfSetsThatMissEachOtherIsRefused) {
  const Vector up = Vector::Constant(8, 1);
  const std::vector<SetParts> cases = {
      {simplex(3), ball(Vector::Zero(3), std::sqrt(1.0 / 3) - 1e-6)},
      {box(vec({0, 0}), vec({1, 1})), box(vec({1.0001, 0}), vec({2, 1}))},
      {ball(Vector::Zero(8), 1, 1), box(0.126 * up, up)},
      {std::make_shared<Ellipsoid>(
           WeightedBall{.centre = vec({0, 0}), .weights = vec({1, 4}), .radius = 1}),
       box(vec({0, 0.5001}), vec({1, 1}))},
      {ball(vec({0, 0}), 1), ball(vec({1, 0}), 1), ball(vec({0.5, 1.9}), 1)}};
  for (const SetParts& parts : cases) {
    EXPECT_THAT([&] { IntersectionSet{parts}; },
                refuses(fmt::format("intersection is empty: its {} parts", parts.size())));
  }
}

// ---- at random

// Every kind around a common member, which is on the boundary of some.
enum class Kind {
  kBall,
  kCross,
  kCube,
  kBox,
  kPolytope,
  kSimplex,
  kOrthant,
  kEllipsoid,
  kTiltedEllipsoid,
  kProduct
};

class Family {
 public:
  Family(Index dimension, double scale, std::uint64_t seed) : rng_(seed), scale_(scale) {
    member_ = Vector::NullaryExpr(dimension, [&] { return rng_.exponential(); });
    if (rng_.uniform() < 0.5) member_(static_cast<Index>(rng_.below(dimension))) = 0;
    member_ = member_.sum() > 0 ? Vector(scale * member_ / member_.sum())
                                : Vector(scale * Vector::Unit(dimension, 0));
  }

  const Vector& member() const { return member_; }
  Rng& rng() { return rng_; }

  SetPointer of(Kind kind) {
    const Index n = member_.size();
    switch (kind) {
      case Kind::kBall:
        return around(2);
      case Kind::kCross:
        return around(1);
      case Kind::kCube:
        return around(kInfinity);
      case Kind::kSimplex:  // the scale must be 1
        return simplex(n);
      case Kind::kOrthant:
        return std::make_shared<CappedOrthant>(n, member_.sum() * (1 + 1e-14) + slack());
      case Kind::kBox:
        return box(member_ - slacks(n), member_ + slacks(n));
      case Kind::kPolytope:
        return polytope();
      case Kind::kEllipsoid:
        return ellipsoid();
      case Kind::kTiltedEllipsoid:
        return tilted();
      case Kind::kProduct:
        break;
    }
    const Index half = n / 2;
    if (half == 0) return box(member_, member_ + slacks(n));
    return std::make_shared<ProductSet>(
        SetParts{box(member_.head(half) - slacks(half), member_.head(half)),
                 std::make_shared<CappedOrthant>(
                     n - half, member_.tail(n - half).sum() * (1 + 1e-14) + slack())});
  }

 private:
  double slack() { return rng_.uniform() < 0.3 ? 0 : scale_ * rng_.uniform(); }
  Vector slacks(Index n) {
    return Vector::NullaryExpr(n, [&] { return slack(); });
  }
  Vector nearby() {
    return member_ + 0.5 * scale_ * rng_.uniform() * normal_vector(member_.size(), rng_);
  }
  SetPointer around(double p) {
    const Vector centre = nearby();
    return ball(centre, lp_norm(member_ - centre, p) * (1 + 1e-13) + slack(), p);
  }
  SetPointer polytope() {
    const Index n = member_.size();
    Matrix normals(2 * n + 3, n);
    normals << both_signs(Matrix::Identity(n, n)),
        Matrix::NullaryExpr(3, n, [&] { return rng_.normal(); });
    return std::make_shared<Polytope>(normals, normals * member_ + slacks(2 * n + 3));
  }
  SetPointer ellipsoid() {
    const Vector centre = nearby();
    const Vector weights =
        Vector::NullaryExpr(member_.size(), [&] { return std::pow(10.0, rng_.uniform(-2, 2)); });
    const double reach = std::sqrt(weights.dot((member_ - centre).cwiseAbs2()));
    return std::make_shared<Ellipsoid>(WeightedBall{
        .centre = centre, .weights = weights, .radius = reach * (1 + 1e-13) + slack() + 1e-3});
  }
  SetPointer tilted() {
    const Index n = member_.size();
    const Vector centre = nearby();
    const Matrix factor = Matrix::NullaryExpr(n, n, [&] { return rng_.normal(); });
    const Matrix matrix = factor * factor.transpose() + 0.1 * Matrix::Identity(n, n);
    const Vector offset = member_ - centre;
    return std::make_shared<Ellipsoid>(
        QuadraticBall{.centre = centre,
                      .matrix = matrix,
                      .radius = std::sqrt(offset.dot(matrix * offset)) * (1 + 1e-12) + slack()});
  }

  Rng rng_;
  double scale_;
  Vector member_;
};

// Projections and support points are members, and no member is better: certified for the support
// point, and by that of the outward direction for the projection.
void expect_exact(const IntersectionSet& set, const Vector& member, Rng& rng) {
  const Index n = set.dimension();
  const double size = set.diameter() + 1e-9 * member.norm();
  const double rounding = 1e-11 * size + 1e-13 * member.norm();
  const auto outside = [&](const Vector& x) {
    double worst = 0;
    for (const auto& part : set.parts()) worst = std::max(worst, distance(*part, x));
    return worst;
  };
  const double near = 1e-9 * size + kEps * member.norm();  // of degenerate sets, rounding decides
  EXPECT_LE(outside(set.centre()), near);
  for (int k = 0; k < 4; ++k) {
    Vector direction = normal_vector(n, rng);
    if (k == 2) direction = Vector::Unit(n, static_cast<Index>(rng.below(n)));
    if (k == 3) direction = Vector::Ones(n) + 1e-3 * direction;
    direction *= std::pow(10.0, rng.uniform(-6, 6));
    const CertifiedSupport best = set.certified_support(direction);
    EXPECT_LE(outside(best.point), near);
    EXPECT_GE(best.gap, 0);
    EXPECT_LE(best.gap, 1e-9 * size * direction.norm());
    EXPECT_LE(direction.dot(member - best.point), best.gap + rounding * direction.norm());

    const Vector point =
        set.centre() + std::pow(10.0, rng.uniform(-2, 3)) * size * normal_vector(n, rng);
    const Vector nearest = set.project(point);
    EXPECT_LE(outside(nearest), near);
    const Vector outward = point - nearest;
    if (outward.norm() < 1e-6 * size) continue;  // mostly rounding
    const CertifiedSupport highest = set.certified_support(outward);
    EXPECT_LE(outward.dot(highest.point - nearest) + highest.gap,
              (1e-8 * size + rounding) * outward.norm());
  }
}

TEST(IntersectionSet, OfRandomPolyhedraBallsAndAnEllipsoidIsExact) {
  constexpr Kind kPolyhedra[] = {Kind::kCross,   Kind::kCube,    Kind::kBox,    Kind::kPolytope,
                                 Kind::kOrthant, Kind::kSimplex, Kind::kProduct};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed, 1);
    const auto n = static_cast<Index>(1 + rng.below(8));
    std::vector<Kind> kinds;
    for (std::uint64_t k = 1 + rng.below(2); k > 0; --k) {
      kinds.push_back(kPolyhedra[rng.below(std::size(kPolyhedra))]);
    }
    if (rng.uniform() < 0.3) {
      kinds.push_back(rng.uniform() < 0.5 ? Kind::kEllipsoid : Kind::kTiltedEllipsoid);
    }
    for (std::uint64_t k = rng.below(3); k > 0; --k) kinds.push_back(Kind::kBall);
    const bool on_simplex = std::count(kinds.begin(), kinds.end(), Kind::kSimplex) > 0;
    const double scale =
        on_simplex ? 1 : std::pow(10.0, 3.0 * static_cast<double>(rng.below(5)) - 6);
    Family family(n, scale, seed);
    SetParts parts;
    std::string names;
    for (const Kind kind : kinds) {
      parts.push_back(family.of(kind));
      names += fmt::format(" {}", static_cast<int>(kind));
    }
    SCOPED_TRACE(testing::Message()
                 << "seed " << seed << ", R^" << n << ", scale " << scale << ", kinds" << names);
    const IntersectionSet set(parts);
    if (set.diameter() == 0) continue;
    expect_exact(set, family.member(), family.rng());
  }
}

// Two curved parts of other kinds: no closed form, but the bound holds and nothing is thrown.
TEST(IntersectionSet, SupportPointsOfOtherPartsAreCertified) {
  int settled = 0;
  constexpr int kCases = 200;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Family family(4, 1.0, 1000 + seed);
    const Vector centre = family.member() + 0.3 * irregular(4, seed);
    const double radius = lp_norm(family.member() - centre, 3) * (1 + 1e-13) + (seed % 2) * 0.2;
    const IntersectionSet set({ball(centre, radius, 3), family.of(Kind::kEllipsoid),
                               family.of(seed % 3 == 0 ? Kind::kSimplex : Kind::kBox)});
    if (set.diameter() == 0) continue;
    const Vector direction = normal_vector(4, family.rng());
    const CertifiedSupport best = set.certified_support(direction);
    for (const auto& part : set.parts()) EXPECT_LE(distance(*part, best.point), 1e-9);
    EXPECT_GE(best.gap, 0);
    EXPECT_LE(direction.dot(family.member() - best.point), best.gap + 1e-9);
    settled += best.gap <= 1e-8 * set.diameter() * direction.norm() ? 1 : 0;
  }
  EXPECT_GE(settled, kCases / 2);
}

TEST(IntersectionSet, SupportPointsAreCertifiedHoweverFewTheCycles) {
  const IntersectionSet set({ball(vec({0, 0}), 1, 3), ball(vec({0.5, 0}), 1, 3)},
                            {.max_cycles = 2});
  const Vector direction = vec({0.01, 1});
  const CertifiedSupport best = set.certified_support(direction);
  EXPECT_GT(best.gap, 1e-6);
  const IntersectionSet patient({ball(vec({0, 0}), 1, 3), ball(vec({0.5, 0}), 1, 3)});
  const double maximum = direction.dot(patient.support_point(direction));
  EXPECT_LE(direction.dot(best.point), maximum + 1e-8);
  EXPECT_GE(direction.dot(best.point) + best.gap, maximum - 1e-8);
}

TEST(ProductSet, GapsOfSupportPointsAddUp) {
  const auto rough = std::make_shared<IntersectionSet>(
      SetParts{ball(vec({0, 0}), 1, 3), ball(vec({0.5, 0}), 1, 3)},
      IntersectionOptions{.max_cycles = 2});
  const Vector direction = vec({0.01, 1});
  const double gap = rough->certified_support(direction).gap;
  const ProductSet product({rough, box(vec({0}), vec({1})), rough});
  EXPECT_DOUBLE_EQ(product.certified_support(vec({0.01, 1, 7, 0.01, 1})).gap, 2 * gap);
}

// ---- the pieces

TEST(LastNonpositive, FindsRootsOfEverySize) {
  for (const double root : {1e-15, 1e-6, 0.3, 1.0, 7e5}) {
    int calls = 0;
    const auto bent = [&](double s) {
      ++calls;
      return s < root ? 0.1 * (s - root) : 5 * (s - root) * (s - root) + 3 * (s - root);
    };
    const double found = last_nonpositive(bent, 1.0, 1e6);
    EXPECT_LE(found, root);
    EXPECT_NEAR(found, root, 4 * kEps * root);
    EXPECT_LE(calls, 150);
  }
  EXPECT_EQ(last_nonpositive([](double) { return 1.0; }, 1.0, 2.0), 0);
}

TEST(LinearForm, HoldsTheSetsPoints) {
  Rng rng(7);
  for (const Kind kind : {Kind::kCross, Kind::kCube, Kind::kBox, Kind::kPolytope, Kind::kSimplex,
                          Kind::kOrthant, Kind::kProduct}) {
    Family family(4, 1, 3 + static_cast<std::uint64_t>(kind));
    const SetPointer set = family.of(kind);
    const auto form = halfspace_form(*set);
    ASSERT_TRUE(form);
    EXPECT_EQ(form->extra, 0);
    for (int k = 0; k < 50; ++k) {
      const Vector point = family.member() + normal_vector(4, rng);
      const Vector inside = set->project(point);
      EXPECT_LE((form->rows * inside - form->offsets).maxCoeff(), 1e-12);
      if (distance(*set, point) > 1e-9) {
        EXPECT_GT((form->rows * point - form->offsets).maxCoeff(), 1e-12);
      }
    }
  }
  EXPECT_FALSE(linear_form(*ball(Vector::Zero(3), 1, 3)));
  EXPECT_FALSE(halfspace_form(*ball(Vector::Zero(9), 1, 1)));
  EXPECT_EQ(linear_form(*ball(Vector::Zero(9), 1, 1))->extra, 9);
  EXPECT_TRUE(halfspace_form(Singleton(vec({1, 2}))));
}

TEST(CommonPolyhedron, IsNoneForRoundOrLargeParts) {
  EXPECT_EQ(CommonPolyhedron::of({simplex(3), ball(Vector::Zero(3), 1)}), nullptr);
  EXPECT_EQ(CommonPolyhedron::of({simplex(201), simplex(201)}), nullptr);
  EXPECT_NE(CommonPolyhedron::of({simplex(200), simplex(200)}), nullptr);
}

// In the metric diag(4, 1): min 4 (x - 2)^2 + (y - 2)^2 on x + y <= 2, x, y >= 0: x - 2 = -t/4,
// y - 2 = -t with 5 t / 4 = 2: (1.6, 0.4).
TEST(CommonPolyhedron, ProjectsInOtherMetrics) {
  const auto set = CommonPolyhedron::of(
      {std::make_shared<CappedOrthant>(2, 2.0), box(vec({0, 0}), vec({5, 5}))});
  EXPECT_THAT(set->nearest(vec({2, 2}), {.axes = Matrix(), .root = vec({2, 1})}),
              IsNear(vec({1.6, 0.4}), 1e-12));
  EXPECT_THAT(set->project(vec({2, 2})), IsNear(vec({1, 1}), 1e-12));
}

}  // namespace
}  // namespace rgu
