#include "rgu/ambiguity/halfspaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "rgu/ambiguity/active_normals.hpp"
#include "rgu/base/check.hpp"

namespace rgu {
namespace {

constexpr double kFeasible = 1e-12;  // of the scale of the set
constexpr double kRounding = 1e-14;  // of the numbers in the set
// A normal nearer than this to the span of the active ones counts as inside. Rows that meet at an
// angle fix corners to 1e-16 / angle only; at this angle both errors are alike.
constexpr double kDependent = 1e-8;

// Where the method stands: x solves the problem with the rows in the active set taken as equations
// and all others left out, with nonnegative multipliers.
struct Stage {
  Vector x;
  ActiveNormals factor;
  std::vector<Index> rows;  // active, in the order of the factor's columns
  Vector multipliers;       // theirs

  void drop(Index position) {
    factor.remove(position);
    rows.erase(rows.begin() + position);
    const Index tail = multipliers.size() - position - 1;
    const Vector kept = multipliers.tail(tail);
    multipliers.conservativeResize(multipliers.size() - 1);
    multipliers.tail(tail) = kept;
  }
};

// The first active row whose multiplier reaches zero as the new row's grows, and the growth.
struct Blocking {
  double step = kInfinity;
  Index position = -1;
};

Blocking first_blocking(const Vector& multipliers, const Vector& coefficients) {
  Blocking first;
  const double noise = kRounding * coefficients.lpNorm<Eigen::Infinity>();
  for (Index j = 0; j < coefficients.size(); ++j) {
    if (coefficients(j) <= noise) continue;
    const double step = std::max(0.0, multipliers(j)) / coefficients(j);
    if (step < first.step) first = {step, j};
  }
  return first;
}

// Each round makes the most violated row active; on the way there rows whose multiplier would
// become negative leave. The dual objective grows in every round, so no active set comes back and
// the number of rounds is finite.
class DualActiveSet {
 public:
  DualActiveSet(const Halfspaces& set, const Vector& point)
      : set_(set),
        start_(point),
        stage_{.x = point, .factor = ActiveNormals(point.size()), .rows = {}, .multipliers = {}},
        ignored_(static_cast<std::size_t>(set.offsets.size()), false) {}

  HalfspaceProjection solve() {
    const Index rounds = 1000 + 50 * (set_.normals.rows() + set_.normals.cols());
    for (Index round = 0; round < rounds; ++round) {
      const Index row = most_violated();
      if (row < 0) return result();
      const bool active = make_active(row);
      ignored_[static_cast<std::size_t>(row)] = !active;
    }
    throw NotConverged(fmt::format("projection onto {} half-spaces did not end after {} rounds",
                                   set_.normals.rows(), rounds));
  }

 private:
  double size() const { return set_.scale + stage_.x.stableNorm(); }

  // Corners of rows that meet at small angles are rounded: other rows through the same corner then
  // seem violated, and would come and go without end.
  double tolerance() const {
    return std::max(kFeasible * set_.scale, kRounding * size() / stage_.factor.least_angle());
  }

  double violation(Index row, const Vector& x) const {
    return set_.normals.row(row).dot(x) - set_.offsets(row);
  }

  // The row that is violated most, -1 if none is beyond tolerance.
  Index most_violated() const {
    const Vector violations = set_.normals * stage_.x - set_.offsets;
    double worst = tolerance();
    Index found = -1;
    for (Index i = 0; i < violations.size(); ++i) {
      if (violations(i) > worst && !ignored_[static_cast<std::size_t>(i)]) {
        worst = violations(i);
        found = i;
      }
    }
    return found;
  }

  // Moves to the next stage, with `row` active. Returns false, and stays, if the violation is only
  // rounding: the normal depends on active ones, and either no move along its own part is large
  // enough to matter or it is a negative combination, which a set that is not empty rules out.
  bool make_active(Index row) {
    const Vector normal = set_.normals.row(row);
    Stage next = stage_;
    while (true) {
      const ActiveNormals::Split split = next.factor.split(normal);
      const double own = split.normal_part.norm();
      const double violated = violation(row, next.x);
      const double full = own > kDependent ? violated / (own * own) : kInfinity;
      const Blocking blocking = first_blocking(next.multipliers, split.coefficients);
      if (own <= kDependent && (violated <= 2 * own * size() || blocking.position < 0)) {
        return false;
      }
      const double step = std::max(0.0, std::min(full, blocking.step));
      next.multipliers -= step * split.coefficients;
      if (own > kDependent) next.x -= step * split.normal_part;
      if (full <= blocking.step) {
        add(row, normal, next);
        return true;
      }
      next.drop(blocking.position);
    }
  }

  // Iterate and multipliers are computed anew from the start, not updated: no error builds up. The
  // first solve leaves the rounding of a far start in the equations, each further one 1e-16 of it.
  void add(Index row, const Vector& normal, Stage& next) {
    next.factor.add(normal);
    next.rows.push_back(row);
    next.x = start_;
    next.multipliers = Vector::Zero(next.factor.count());
    for (int k = 0; k < 25; ++k) {
      const ActiveNormals::LeastNorm step = next.factor.least_norm(violations_of(next));
      next.x -= step.vector;
      next.multipliers += step.multipliers;
      const double rounding = 0.1 * kRounding * (set_.scale + next.x.stableNorm());
      if (step.vector.stableNorm() <= rounding) break;
    }
    stage_ = std::move(next);
    std::fill(ignored_.begin(), ignored_.end(), false);
  }

  Vector violations_of(const Stage& stage) const {
    Vector violations(static_cast<Index>(stage.rows.size()));
    for (Index j = 0; j < violations.size(); ++j) {
      violations(j) = violation(stage.rows[static_cast<std::size_t>(j)], stage.x);
    }
    return violations;
  }

  HalfspaceProjection result() const {
    Vector all = Vector::Zero(set_.offsets.size());
    for (Index j = 0; j < stage_.multipliers.size(); ++j) {
      all(stage_.rows[static_cast<std::size_t>(j)]) = std::max(0.0, stage_.multipliers(j));
    }
    return {.nearest = stage_.x, .multipliers = all};
  }

  const Halfspaces& set_;
  const Vector& start_;
  Stage stage_;
  std::vector<bool> ignored_;  // rows found to be violated by rounding only at this stage
};

}  // namespace

HalfspaceProjection project_onto_halfspaces(const Halfspaces& set, const Vector& point) {
  return DualActiveSet(set, point).solve();
}

}  // namespace rgu
