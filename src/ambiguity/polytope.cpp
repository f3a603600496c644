#include "rgu/ambiguity/polytope.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "rgu/ambiguity/arguments.hpp"
#include "rgu/ambiguity/linear_program.hpp"
#include "rgu/ambiguity/normal_cone.hpp"

namespace rgu {
namespace {

constexpr double kConsistent = 1e-12;  // rows contradict each other by more than rounding

// Rows scaled to length 1. A zero row says 0 <= offset: nothing, or a contradiction.
struct UnitRows {
  Matrix normals;
  Vector offsets;
  std::vector<Index> source;  // the row each came from
};

UnitRows unit_rows(const Matrix& normals, const Vector& offsets) {
  UnitRows rows{Matrix(normals.rows(), normals.cols()), Vector(offsets.size()), {}};
  Index count = 0;
  for (Index i = 0; i < normals.rows(); ++i) {
    const double length = normals.row(i).stableNorm();
    if (length == 0.0) {
      check(offsets(i) >= 0, "polytope is infeasible: row {} is zero and its offset {} is below 0",
            i, offsets(i));
      continue;
    }
    rows.normals.row(count) = normals.row(i) / length;
    rows.offsets(count) = offsets(i) / length;
    rows.source.push_back(i);
    ++count;
  }
  rows.normals.conservativeResize(count, Eigen::NoChange);
  rows.offsets.conservativeResize(count);
  return rows;
}

Bounds same_bounds(Index size, double limit) {
  return {.lower = Vector::Constant(size, -limit), .upper = Vector::Constant(size, limit)};
}

// Bounded means that no direction but 0 satisfies normals d <= 0. If one does, scaled to
// max |d_i| = 1 it maximises +d_i or -d_i over such directions for some i, with value 1; otherwise
// all these maxima are 0.
void check_bounded(const UnitRows& rows) {
  const Index n = rows.normals.cols();
  LinearProgram program({.rows = rows.normals,
                         .offsets = Vector::Zero(rows.offsets.size()),
                         .columns = same_bounds(n, 1.0)});
  for (Index i = 0; i < n; ++i) {
    for (const double sign : {1.0, -1.0}) {
      const Vector d = program.maximise(sign * Vector::Unit(n, i)).point;
      check(sign * d(i) < 0.5,
            "polytope is unbounded: coordinate {} goes to {}infinity along the direction [{:.6g}]",
            i, sign > 0 ? "+" : "-", fmt::join(d.begin(), d.end(), ", "));
    }
  }
}

[[noreturn]] void refuse_infeasible(const UnitRows& rows, const Vector& multipliers,
                                    double violation) {
  std::vector<Index> contradictory;
  for (Index i = 0; i < multipliers.size(); ++i) {
    if (multipliers(i) > 1e-9) contradictory.push_back(rows.source[static_cast<std::size_t>(i)]);
  }
  throw InvalidInput(fmt::format(
      "polytope is infeasible: rows {} cannot hold together, every point is at least {:.6g} "
      "outside one of them",
      fmt::join(contradictory, ", "), violation));
}

// The deepest point: max depth subject to normals x + depth <= offsets. Always feasible, so a
// negative depth proves that the rows contradict each other, and the multipliers say which do.
// The tolerances of the linear program are absolute and offsets may differ by many orders of
// magnitude: the first solution is in units of the largest, each further one corrects the last in
// units of the violation it left.
Vector deepest_point(const UnitRows& rows) {
  const Index m = rows.normals.rows();
  const Index n = rows.normals.cols();
  Matrix deepened = Matrix::Ones(m, n + 1);
  deepened.leftCols(n) = rows.normals;
  Bounds columns = same_bounds(n + 1, kInfinity);
  columns.upper(n) = 1;
  Vector x = Vector::Zero(n);
  double unit = rows.offsets.lpNorm<Eigen::Infinity>();  // 0 for a cone
  for (int pass = 0; pass < 10 && unit > 0; ++pass) {
    const Vector slack = rows.offsets - rows.normals * x;
    const LinearProgramSolution deepest =
        LinearProgram({.rows = deepened, .offsets = slack / unit, .columns = columns})
            .maximise(Vector::Unit(n + 1, n));
    x += unit * deepest.point.head(n);
    const Vector rounding = kConsistent * (rows.offsets.array().abs() + x.norm());
    const Vector violation = rows.normals * x - rows.offsets;
    if ((violation - rounding).maxCoeff() <= 0) break;
    if (deepest.point(n) < -1e-9) {
      refuse_infeasible(rows, deepest.multipliers, -unit * deepest.point(n));
    }
    unit = violation.maxCoeff();
  }
  return x;
}

// The vertex of a set around the origin that maximises <direction, x>.
Vector vertex(LinearProgram& program, const Halfspaces& set, const Vector& direction) {
  return set.scale * program.maximise(direction).point;
}

LinearProgram program_for(const Halfspaces& set) {
  return LinearProgram({.rows = set.normals,
                        .offsets = set.offsets / set.scale,
                        .columns = same_bounds(set.normals.cols(), kInfinity)});
}

// The origin is a member.
Bounds bounding_box(const Halfspaces& set) {
  const Index n = set.normals.cols();
  LinearProgram program = program_for(set);
  Bounds box{.lower = Vector(n), .upper = Vector(n)};
  for (Index i = 0; i < n; ++i) {
    box.upper(i) = std::max(0.0, vertex(program, set, Vector::Unit(n, i))(i));
    box.lower(i) = std::min(0.0, vertex(program, set, -Vector::Unit(n, i))(i));
  }
  return box;
}

// Without the rows that no point of the box comes near, such as bounds that stand for infinity.
Halfspaces reachable_rows(const Halfspaces& set, const Bounds& box) {
  const Vector extent = box.upper.cwiseMax(-box.lower);
  const Vector reach = set.normals.cwiseAbs() * extent;
  std::vector<Index> kept;
  for (Index i = 0; i < set.offsets.size(); ++i) {
    if (set.offsets(i) <= 2 * reach(i) + 1e-6 * set.scale) kept.push_back(i);
  }
  return {.normals = set.normals(kept, Eigen::all), .offsets = set.offsets(kept), .scale = 1};
}

// The size of the set, but no less than 1e-3 of the numbers it was computed from: that is where
// a relative 1e-12 meets rounding. All zero means the set {0}.
double scale_of(const Halfspaces& set, const Vector& centre, double size) {
  const double largest = (set.offsets + set.normals * centre).lpNorm<Eigen::Infinity>();
  const double scale = std::max(size, 1e-3 * (largest + centre.norm()));
  return scale > 0 ? scale : 1.0;
}

}  // namespace

Polytope::Polytope(Matrix normals, Vector offsets)
    : ConvexSet(normals.cols()), normals_(std::move(normals)), offsets_(std::move(offsets)) {
  check_count("dimension of the polytope", dimension());
  check_count("number of rows of the polytope", normals_.rows());
  check_finite("normals of the polytope", normals_);
  check_argument("offsets of the polytope", offsets_, normals_.rows());
  const UnitRows rows = unit_rows(normals_, offsets_);
  centre_ = deepest_point(rows);
  check_bounded(rows);

  const Vector depths = rows.offsets - rows.normals * centre_;
  moved_ = {.normals = rows.normals, .offsets = depths, .scale = 1};
  moved_.scale = scale_of(moved_, centre_, depths.lpNorm<Eigen::Infinity>());
  // The first scale can be far too large; linear programs are accurate relative to it only.
  for (double before = kInfinity; moved_.scale < 1e-3 * before;) {
    before = moved_.scale;
    const Bounds box = bounding_box(moved_);
    box_ = {.lower = centre_ + box.lower, .upper = centre_ + box.upper};
    moved_ = reachable_rows(moved_, box);
    moved_.scale = scale_of(moved_, centre_, diameter());
  }
}

Vector Polytope::project(const Vector& point) const {
  check_argument("point", point, dimension());
  if (is_point()) return centre_;
  const HalfspaceProjection projection = project_onto_halfspaces(moved_, point - centre_);
  if (projection.multipliers.isZero(0)) return point;
  return centre_ + projection.nearest;
}

Vector Polytope::support_point(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  const double largest = direction.lpNorm<Eigen::Infinity>();
  if (largest == 0.0 || is_point()) return centre_;
  LinearProgram program = program_for(moved_);
  const Vector best = vertex(program, moved_, direction / largest);
  // The linear program allows a violation of 1e-10; the projection removes it.
  return centre_ + project_onto_halfspaces(moved_, best).nearest;
}

// Within the rounding of the numbers it is made of.
bool Polytope::is_point() const { return diameter() <= kEps * moved_.scale; }

double Polytope::diameter() const { return (upper() - lower()).norm(); }

double Polytope::normal_residual(const Vector& point, const Vector& direction) const {
  check_argument("point", point, dimension());
  check_argument("direction", direction, dimension());
  const double length = direction.stableNorm();
  if (length == 0.0) return 0;
  const Vector slack = moved_.offsets - moved_.normals * (point - centre_);
  std::vector<Index> active;
  for (Index i = 0; i < slack.size(); ++i) {
    if (slack(i) <= kActiveTolerance * moved_.scale) active.push_back(i);
  }
  const Halfspaces tangents{.normals = moved_.normals(active, Eigen::all),
                            .offsets = Vector::Zero(static_cast<Index>(active.size())),
                            .scale = 1.0};
  return length * project_onto_halfspaces(tangents, direction / length).nearest.norm();
}

}  // namespace rgu
