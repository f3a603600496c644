// Every ambiguity set, in several shapes, against the laws of convex sets. Each case states the
// definition of its set once more, as the violation of a point.
#include "laws/convex_set_laws.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>

#include "ambiguity/helpers.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"

namespace rgu {
namespace {

// ---- singleton, box, simplex, capped orthant

SetCase singleton_case(std::string name, const Vector& point) {
  return {std::move(name), std::make_shared<Singleton>(point),
          [point](const Vector& x) { return (x - point).norm(); }};
}

SetCase box_case(std::string name, const Vector& lower, const Vector& upper) {
  return {std::move(name), std::make_shared<Box>(Bounds{lower, upper}),
          [lower, upper](const Vector& x) {
            return std::max((lower - x).maxCoeff(), (x - upper).maxCoeff());
          }};
}

SetCase simplex_case(Index n) {
  return {fmt::format("Simplex{}", n), std::make_shared<ProbabilitySimplex>(n),
          [](const Vector& x) { return std::max(-x.minCoeff(), std::abs(x.sum() - 1)); }};
}

SetCase orthant_case(Index n, double total) {
  return {fmt::format("CappedOrthant{}Total{}", n, total),
          std::make_shared<CappedOrthant>(n, total),
          [total](const Vector& x) { return std::max(-x.minCoeff(), x.sum() - total); }};
}

INSTANTIATE_TEST_SUITE_P(
    Elementary, ConvexSetLaws,
    testing::Values(singleton_case("Singleton1", vec({-2.5})),
                    singleton_case("Singleton4", vec({1, -2, 0, 3})),
                    box_case("Box1", vec({-1}), vec({3})),
                    box_case("Box4", vec({-1, 0, 2, -7}), vec({3, 0.5, 9, -6})),
                    box_case("BoxFlat", vec({-1, 2, 0}), vec({1, 2, 0.25})),
                    box_case("BoxPoint", vec({4, -2}), vec({4, -2})), simplex_case(1),
                    simplex_case(2), simplex_case(7), orthant_case(1, 3), orthant_case(2, 3),
                    orthant_case(5, 1), orthant_case(3, 0)),
    set_case_name);

// ---- l_p balls

struct BallSize {
  const char* name;
  Vector centre;
  double radius;
};

// The residual law compares with a small step, which is wrong by step * curvature. The curvature
// of an l_p sphere is about p for large p, and infinite at zero coordinates for p < 2, where the
// step sees a normal that is off by about step^(p-1).
double step_error(double p) {
  if (p > 1 && p < 2) return 0.03;
  return p > 7 && std::isfinite(p) ? 1e-3 : 1e-4;
}

SetCase lp_ball_case(double p, const BallSize& ball) {
  std::string name = fmt::format("LpBallP{}{}", p, ball.name);
  std::replace(name.begin(), name.end(), '.', '_');
  const auto raw_norm = [p](const Vector& y) {
    if (std::isinf(p)) return y.cwiseAbs().maxCoeff();
    long double sum = 0;
    for (const double v : y) sum += std::pow(std::abs(static_cast<long double>(v)), p);
    return static_cast<double>(std::pow(sum, 1.0L / p));
  };
  return {name,
          std::make_shared<LpBall>(LpBallShape{ball.centre, ball.radius, p}),
          [=](const Vector& x) { return raw_norm(x - ball.centre) - ball.radius; },
          {.residual_error = step_error(p),
           .compares_residual = p != 1.01 || ball.radius == 0 || ball.centre.size() == 1}};
}

std::vector<SetCase> lp_ball_cases() {
  const BallSize sizes[] = {{"Dim1", vec({-0.4}), 0.7},
                            {"Dim2", vec({0, 0}), 1},
                            {"Dim6", irregular(6, 1), 0.7},
                            {"Large", 100 * irregular(3, 2), 50},
                            {"RadiusZero", irregular(4, 3), 0}};
  std::vector<SetCase> cases;
  for (const double p : {1.0, 1.01, 1.5, 2.0, 3.0, 7.0, 50.0, kInfinity}) {
    for (const BallSize& size : sizes) cases.push_back(lp_ball_case(p, size));
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(LpBalls, ConvexSetLaws, testing::ValuesIn(lp_ball_cases()), set_case_name);

// ---- ellipsoids and balls of matrices

SetCase weighted_case(std::string name, const WeightedBall& ball, const SetLawOptions& law = {}) {
  return {std::move(name), std::make_shared<Ellipsoid>(ball),
          [ball](const Vector& x) {
            const Vector y = x - ball.centre;
            return std::sqrt(ball.weights.dot(y.cwiseAbs2())) - ball.radius;
          },
          law};
}

SetCase quadratic_case(std::string name, const QuadraticBall& ball) {
  return {std::move(name), std::make_shared<Ellipsoid>(ball), [ball](const Vector& x) {
            const Vector y = x - ball.centre;
            return std::sqrt(y.dot(ball.matrix * y)) - ball.radius;
          }};
}

Matrix positive_definite(Index n, std::uint64_t seed) {
  const Matrix root = irregular_matrix(n, n, seed);
  return root * root.transpose() + 0.1 * Matrix::Identity(n, n);
}

INSTANTIATE_TEST_SUITE_P(
    Ellipsoids, ConvexSetLaws,
    testing::Values(weighted_case("Weighted1", {vec({2}), vec({4}), 1}),
                    weighted_case("Weighted3", {vec({1, -1, 0}), vec({1, 4, 0.25}), 0.8}),
                    // Curvature up to 3e4: half-axes 32, 1 and 0.03.
                    weighted_case("WeightsFarApart", {vec({1, 0, 2}), vec({1e-3, 1, 1e3}), 1},
                                  {.residual_step = 1e-9, .residual_error = 0.01}),
                    weighted_case("WeightedPoint", {vec({1, 2}), vec({1, 3}), 0}),
                    quadratic_case("Quadratic1", {vec({-1}), Matrix::Constant(1, 1, 9), 2}),
                    quadratic_case("Quadratic4", {irregular(4, 5), positive_definite(4, 6), 1.5}),
                    quadratic_case("QuadraticPoint",
                                   {irregular(3, 7), positive_definite(3, 8), 0})),
    set_case_name);

SetCase frobenius_case(std::string name, const Matrix& centre, double radius) {
  return {std::move(name), std::make_shared<FrobeniusBall>(centre, radius), [=](const Vector& x) {
            return (as_matrix(x, centre.rows(), centre.cols()) - centre).norm() - radius;
          }};
}

// The largest singular value, by another decomposition than the library's.
SetCase spectral_case(std::string name, const Matrix& centre, double radius) {
  return {std::move(name), std::make_shared<SpectralBall>(centre, radius), [=](const Vector& x) {
            const Eigen::MatrixXd y = as_matrix(x, centre.rows(), centre.cols()) - centre;
            return Eigen::JacobiSVD<Eigen::MatrixXd>(y).singularValues()(0) - radius;
          }};
}

INSTANTIATE_TEST_SUITE_P(
    MatrixBalls, ConvexSetLaws,
    testing::Values(frobenius_case("Frobenius1x1", irregular_matrix(1, 1, 1), 0.5),
                    frobenius_case("Frobenius2x3", irregular_matrix(2, 3, 2), 1.5),
                    frobenius_case("FrobeniusPoint", irregular_matrix(2, 2, 3), 0),
                    spectral_case("Spectral1x1", irregular_matrix(1, 1, 4), 0.5),
                    spectral_case("Spectral2x3", irregular_matrix(2, 3, 5), 1.5),
                    spectral_case("Spectral4x2", irregular_matrix(4, 2, 6), 0.3),
                    spectral_case("Spectral3x3", Matrix::Identity(3, 3), 1),
                    spectral_case("SpectralPoint", irregular_matrix(2, 2, 7), 0)),
    set_case_name);

// ---- polytopes

SetCase polytope_case(std::string name, const Matrix& normals, const Vector& offsets,
                      DiameterKind diameter = DiameterKind::kUpperBound) {
  return {std::move(name),
          std::make_shared<Polytope>(normals, offsets),
          [=](const Vector& x) { return (normals * x - offsets).maxCoeff(); },
          {.diameter = diameter}};
}

// Opposite corners are (+-1, +-1, +-1); rows repeat, one scaled; one row is redundant, one zero.
SetCase cube_with_needless_rows() {
  Matrix normals(10, 3);
  normals << both_signs(Matrix::Identity(3, 3)), Matrix::Identity(3, 3).topRows(2),
      Matrix::Constant(1, 3, 1), Matrix::Zero(1, 3);
  normals.row(7) *= 5;
  return polytope_case("CubeWithNeedlessRows", normals, vec({1, 1, 1, 1, 1, 1, 1, 5, 4, 0}),
                       DiameterKind::kExact);
}

// |x_1| + .. + |x_4| <= 1: eight facets meet in every corner.
SetCase cross_polytope() {
  Matrix normals(16, 4);
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 4; ++j) normals(i, j) = (i >> j) % 2 == 0 ? 1 : -1;
  }
  return polytope_case("CrossPolytope", normals, Vector::Ones(16));
}

// The probability simplex of R^4: an equation as two rows.
SetCase flat_polytope() {
  Matrix normals(6, 4);
  normals << -Matrix::Identity(4, 4), both_signs(Matrix::Ones(1, 4));
  return polytope_case("FlatPolytope", normals, vec({0, 0, 0, 0, 1, -1}));
}

SetCase random_polytope(std::string name, const Vector& centre) {
  const Index n = centre.size();
  Matrix normals(6 * n, n);
  normals << irregular_matrix(4 * n, n, 11), both_signs(Matrix::Identity(n, n));
  const Vector slack = irregular(6 * n, 12).cwiseAbs().array() + 0.05;
  return polytope_case(std::move(name), normals, normals * centre + slack);
}

INSTANTIATE_TEST_SUITE_P(
    Polytopes, ConvexSetLaws,
    testing::Values(polytope_case("Interval", both_signs(Matrix::Ones(1, 1)), vec({3, 1}),
                                  DiameterKind::kExact),
                    polytope_case("Point", both_signs(Matrix::Identity(2, 2)), vec({1, 2, -1, -2}),
                                  DiameterKind::kExact),
                    polytope_case("Origin", both_signs(Matrix::Identity(2, 2)), Vector::Zero(4),
                                  DiameterKind::kExact),
                    cube_with_needless_rows(), cross_polytope(), flat_polytope(),
                    random_polytope("Random5", Vector::Zero(5)),
                    random_polytope("FarFromTheOrigin", vec({1000, -500, 200}))),
    set_case_name);

// ---- products and intersections

SetCase product_case(std::string name, const std::vector<SetCase>& factors,
                     const SetLawOptions& law = {}) {
  SetParts parts;
  for (const SetCase& factor : factors) parts.push_back(factor.set);
  return {std::move(name), std::make_shared<ProductSet>(parts),
          [factors](const Vector& x) {
            double worst = -kInfinity;
            Index start = 0;
            for (const SetCase& factor : factors) {
              const Index size = factor.set->dimension();
              worst = std::max(worst, factor.violation(x.segment(start, size)));
              start += size;
            }
            return worst;
          },
          law};
}

SetCase intersection_case(std::string name, const std::vector<SetCase>& factors) {
  SetParts parts;
  for (const SetCase& factor : factors) parts.push_back(factor.set);
  return {std::move(name),
          std::make_shared<IntersectionSet>(parts),
          [factors](const Vector& x) {
            double worst = -kInfinity;
            for (const SetCase& factor : factors) worst = std::max(worst, factor.violation(x));
            return worst;
          },
          {.residual_step = 1e-5, .residual_error = 1e-3, .diameter = DiameterKind::kUpperBound}};
}

std::vector<SetCase> composite_cases() {
  const SetCase ball = lp_ball_case(2, {"", vec({0, 0, 0}), 1});
  const SetCase moved_ball = lp_ball_case(2, {"", vec({0.8, 0.3, -0.2}), 0.7});
  const SetCase diamond = lp_ball_case(1, {"", vec({0, 0, 0}), 1.3});
  const SetCase box = box_case("", vec({-0.2, -0.2, -0.9}), vec({0.6, 0.6, 0.6}));
  const SetCase flat = box_case("", vec({-1, 0.25, -1}), vec({1, 0.25, 1}));
  const SetCase wide = weighted_case("", {vec({0, 0, 0}), vec({0.5, 4, 1}), 1});
  return {
      product_case("ProductOfOne", {simplex_case(3)}),
      product_case("ProductOfFour", {box_case("", vec({-1}), vec({2})), diamond, simplex_case(2),
                                     spectral_case("", irregular_matrix(2, 2, 9), 0.5)}),
      product_case("ProductWithPolytope", {singleton_case("", vec({7})), cross_polytope()},
                   {.diameter = DiameterKind::kUpperBound}),
      intersection_case("IntersectionOfOne", {diamond}),
      intersection_case("Intervals",
                        {box_case("", vec({-1}), vec({2})), box_case("", vec({0}), vec({5}))}),
      intersection_case("BallAndBox", {ball, box}),
      intersection_case("Lens", {ball, moved_ball}),
      intersection_case("BallAndPlane", {ball, flat}),
      intersection_case("SimplexAndBall", {simplex_case(3), moved_ball}),
      intersection_case("DiamondBoxAndEllipsoid", {diamond, box, wide}),
      intersection_case("PointAndBall", {singleton_case("", vec({0.5, 0, 0})), ball}),
      intersection_case("BallAndSimplex", {moved_ball, simplex_case(3)}),
      intersection_case("BallAndOrthant", {moved_ball, orthant_case(3, 1.2)}),
      intersection_case("ThreeBalls", {ball, moved_ball, lp_ball_case(2, {"", vec({0, 1, 0}), 1})}),
      intersection_case("TwoBallsAndBox", {ball, box, moved_ball}),
      intersection_case("DiamondAndBox", {diamond, box}),
      intersection_case("DiamondAndSimplex", {diamond, simplex_case(3)}),
      intersection_case("WideDiamondAndSimplex",
                        {lp_ball_case(1, {"", Vector::Constant(7, 0.2), 0.9}), simplex_case(7)}),
      intersection_case("EllipsoidAndSimplex", {wide, simplex_case(3)}),
      intersection_case("EllipsoidBoxAndBall", {wide, box, moved_ball}),
      intersection_case("EllipsoidAndBall", {wide, moved_ball}),
      intersection_case("RoundSquareAndBall", {lp_ball_case(3, {"", vec({0, 0, 0}), 1}), ball}),
      intersection_case("CornerOfABox", {box_case("", vec({-3, -3, -3}), vec({1, 1, 1})),
                                         box_case("", vec({1, 1, 0}), vec({3, 3, 3}))}),
  };
}

INSTANTIATE_TEST_SUITE_P(Composites, ConvexSetLaws, testing::ValuesIn(composite_cases()),
                         set_case_name);

// ---- what every set of this folder refuses

TEST_P(ConvexSetLaws, WrongLengthsAreRefused) {
  const Index n = set().dimension();
  const Vector good = Vector::Zero(n);
  const Vector bad = Vector::Zero(n + 1);
  const auto refused = testing::Throws<InvalidInput>(
      testing::Property(&InvalidInput::what,
                        testing::HasSubstr(fmt::format("has {} entries, must have {}", n + 1, n))));
  EXPECT_THAT([&] { set().project(bad); }, refused);
  EXPECT_THAT([&] { set().support_point(bad); }, refused);
  EXPECT_THAT([&] { set().normal_residual(bad, good); }, refused);
  EXPECT_THAT([&] { set().normal_residual(good, bad); }, refused);
}

TEST_P(ConvexSetLaws, NumbersThatAreNotFiniteAreRefused) {
  const Index n = set().dimension();
  const Vector good = Vector::Zero(n);
  for (const double value : {std::nan(""), kInfinity, -kInfinity}) {
    Vector bad = good;
    bad(n - 1) = value;
    const auto refused = [&](const char* name) {
      return refuses(fmt::format("{}[{}] is {}, must be finite", name, n - 1, value));
    };
    EXPECT_THAT([&] { set().project(bad); }, refused("point"));
    EXPECT_THAT([&] { set().support_point(bad); }, refused("direction"));
    EXPECT_THAT([&] { set().normal_residual(bad, good); }, refused("point"));
    EXPECT_THAT([&] { set().normal_residual(good, bad); }, refused("direction"));
    EXPECT_FALSE(contains(set(), bad));
  }
}

}  // namespace
}  // namespace rgu
