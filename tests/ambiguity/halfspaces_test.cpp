#include "rgu/ambiguity/halfspaces.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "ambiguity/helpers.hpp"

namespace rgu {
namespace {

struct Kkt {
  double stationarity = 0;
  double feasibility = 0;
  double complementarity = 0;
};

// The optimality conditions of the nearest point, from the raw data.
Kkt kkt_residual(const Halfspaces& set, const Vector& point, const HalfspaceProjection& found) {
  EXPECT_GE(found.multipliers.minCoeff(), 0);
  const Vector slack = set.offsets - set.normals * found.nearest;
  const Vector pull = point - found.nearest - set.normals.transpose() * found.multipliers;
  Kkt kkt{.stationarity = pull.norm() / (1 + (point - found.nearest).norm()),
          .feasibility = std::max(0.0, -slack.minCoeff()) / set.scale};
  for (Index i = 0; i < slack.size(); ++i) {
    if (found.multipliers(i) == 0.0) continue;
    kkt.complementarity = std::max(kkt.complementarity, std::abs(slack(i)) / set.scale);
  }
  return kkt;
}

double small_integer(Rng& rng) { return static_cast<double>(rng.below(3)) - 1; }

// Rows of small integers, many of them repeated or opposite to others, half of them exactly through
// one member: corners where far more rows meet than the dimension needs. `noise` tilts every row.
Halfspaces degenerate_set(Rng& rng, double noise) {
  const Index n = 1 + static_cast<Index>(rng.below(6));
  const Index m = 1 + static_cast<Index>(rng.below(30));
  Halfspaces set{.normals = Matrix(m, n), .offsets = Vector(m), .scale = 1};
  const Vector member = Vector::NullaryExpr(n, [&](Index) { return small_integer(rng); });
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) set.normals(i, j) = small_integer(rng);
    if (i > 0 && rng.below(3) == 0) {
      const double sign = rng.below(2) == 0 ? 1 : -1;
      set.normals.row(i) = sign * set.normals.row(static_cast<Index>(rng.below(i)));
    }
    if (set.normals.row(i).isZero(1e-3)) set.normals(i, 0) = 1;
    set.normals.row(i) += noise * normal_vector(n, rng).transpose();
    set.normals.row(i).normalize();
    const double slack = rng.below(2) == 0 ? 0 : static_cast<double>(rng.below(3));
    set.offsets(i) = set.normals.row(i).dot(member) + slack;
  }
  set.scale = 1 + set.offsets.cwiseAbs().maxCoeff();
  return set;
}

TEST(Halfspaces, OptimalityConditionsHoldOnDegenerateSets) {
  Rng rng(4);
  for (int k = 0; k < 2000; ++k) {
    const Halfspaces set = degenerate_set(rng, 0);
    const double far = std::pow(10.0, rng.uniform(-1, 8));
    const Vector point = far * normal_vector(set.normals.cols(), rng);
    const HalfspaceProjection found = project_onto_halfspaces(set, point);
    const Kkt kkt = kkt_residual(set, point, found);
    EXPECT_LE(kkt.stationarity, 1e-12) << k;
    EXPECT_LE(kkt.feasibility, 1e-12 * (1 + found.nearest.norm())) << k;
    EXPECT_LE(kkt.complementarity, 1e-12 * (1 + found.nearest.norm())) << k;
  }
}

// At angles near 1e-8 a corner is known to 1e-8 only, and so are its multipliers.
TEST(Halfspaces, RowsThatAreAlmostParallelCostAccuracyNotTermination) {
  Rng rng(5);
  for (const double noise : {1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3}) {
    for (int k = 0; k < 300; ++k) {
      const Halfspaces set = degenerate_set(rng, noise);
      const Vector point = 10 * normal_vector(set.normals.cols(), rng);
      const HalfspaceProjection found = project_onto_halfspaces(set, point);
      const Kkt kkt = kkt_residual(set, point, found);
      EXPECT_LE(kkt.stationarity, 1e-4) << noise;
      EXPECT_LE(kkt.feasibility, 1e-6 * (1 + found.nearest.norm())) << noise;
    }
  }
}

// Every choice of at most n rows taken as equations; the nearest that is feasible is the answer.
Vector nearest_by_enumeration(const Halfspaces& set, const Vector& point) {
  const Index m = set.normals.rows();
  Vector best;
  for (unsigned subset = 0; subset < (1u << m); ++subset) {
    std::vector<Index> rows;
    for (Index i = 0; i < m; ++i) {
      if ((subset >> i) % 2 == 1) rows.push_back(i);
    }
    if (static_cast<Index>(rows.size()) > point.size()) continue;
    Vector x = point;
    if (!rows.empty()) {
      const Eigen::MatrixXd equations = set.normals(rows, Eigen::all);
      const Vector right = set.offsets(rows) - equations * point;
      x += equations.completeOrthogonalDecomposition().solve(right);
    }
    const bool feasible = (set.normals * x - set.offsets).maxCoeff() <= 1e-10;
    if (feasible && (best.size() == 0 || (x - point).norm() < (best - point).norm())) best = x;
  }
  return best;
}

TEST(Halfspaces, FindTheSamePointAsTryingEveryActiveSet) {
  Rng rng(6);
  for (int k = 0; k < 100; ++k) {
    Halfspaces set{.normals = Matrix(7, 3), .offsets = Vector(7), .scale = 1};
    for (Index i = 0; i < 7; ++i) {
      set.normals.row(i) = normal_vector(3, rng).normalized().transpose();
      set.offsets(i) = rng.uniform();
    }
    const Vector point = 3 * normal_vector(3, rng);
    EXPECT_THAT(project_onto_halfspaces(set, point).nearest,
                IsNear(nearest_by_enumeration(set, point), 1e-12));
  }
}

// x <= 1 twice, y <= 1: from (3, 2) to the corner, with the pull (2, 1) shared out.
TEST(Halfspaces, MultipliersOfRepeatedRowsShareThePull) {
  const Halfspaces set{
      .normals = matrix(3, 2, {1, 0, 1, 0, 0, 1}), .offsets = vec({1, 1, 1}), .scale = 1};
  const HalfspaceProjection found = project_onto_halfspaces(set, vec({3, 2}));
  EXPECT_THAT(found.nearest, IsNear(vec({1, 1}), 1e-15));
  EXPECT_NEAR(found.multipliers(0) + found.multipliers(1), 2, 1e-15);
  EXPECT_NEAR(found.multipliers(2), 1, 1e-15);
}

}  // namespace
}  // namespace rgu
