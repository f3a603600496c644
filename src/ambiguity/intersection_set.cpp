#include "rgu/ambiguity/intersection_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "rgu/ambiguity/arguments.hpp"
#include "rgu/ambiguity/common_polyhedron.hpp"
#include "rgu/ambiguity/ellipsoid_cut.hpp"
#include "rgu/ambiguity/halfspaces.hpp"

namespace rgu {
namespace {

constexpr std::size_t kMostBalls = 2;
// Of support points by projections.
constexpr double kSettled = 1e-9;      // a gap, relative to |direction| diameter
constexpr int kStepCycles = 10000;     // of a step
constexpr int kSupportCycles = 30000;  // of all steps
constexpr int kPatience = 10;          // steps without a smaller gap
// Of projections by tangents.
constexpr int kMostTangentRounds = 300;
constexpr double kTouching = 1000;  // times the tolerance: accepted where parts only just touch

// Checks the parts and returns their dimension: the base class needs it first.
Index common_dimension(const SetParts& parts) {
  check_count("number of parts of the intersection", static_cast<Index>(parts.size()));
  for (std::size_t k = 0; k < parts.size(); ++k) {
    check(parts[k] != nullptr, "part {} of the intersection is null, must be a set", k);
    check(parts[k]->dimension() == parts[0]->dimension(),
          "part {} of the intersection has dimension {}, must have {} as part 0", k,
          parts[k]->dimension(), parts[0]->dimension());
  }
  return parts[0]->dimension();
}

bool is_power_of_two(int k) { return (k & (k - 1)) == 0; }

[[noreturn]] void refuse_empty(std::size_t parts) {
  throw InvalidInput(
      fmt::format("intersection is empty: its {} parts have no common point", parts));
}

}  // namespace

SetParts IntersectionSet::leaves_of(const SetParts& parts) {
  SetParts leaves;
  for (const auto& part : parts) {
    if (const auto* inner = dynamic_cast<const IntersectionSet*>(part.get())) {
      leaves.insert(leaves.end(), inner->leaves_.begin(), inner->leaves_.end());
    } else {
      leaves.push_back(part);
    }
  }
  return leaves;
}

IntersectionSet::IntersectionSet(SetParts parts, IntersectionOptions options)
    : ConvexSet(common_dimension(parts)),
      parts_(std::move(parts)),
      leaves_(leaves_of(parts_)),
      options_(options) {
  check_positive("tolerance of the intersection", options_.tolerance);
  check_count("max_cycles of the intersection", options_.max_cycles);
  find_exact_form();
  centre_ = common_point();
}

void IntersectionSet::find_exact_form() {
  SetParts others;
  std::vector<EuclideanBall> balls;
  for (const auto& leaf : leaves_) {
    std::optional<EuclideanBall> ball = as_euclidean_ball(*leaf);
    if (ball) {
      balls.push_back(*std::move(ball));
    } else {
      others.push_back(leaf);
    }
  }
  if (others.empty()) {  // all are balls: the first is the core
    others.push_back(leaves_.front());
    balls.erase(balls.begin());
  }
  if (balls.size() > kMostBalls) return;
  if (std::shared_ptr<const ConvexSet> core = core_of(others)) {
    exact_.emplace(std::move(core), std::move(balls));
  }
}

// The common points of these as one set whose projection is exact; empty if there is no such form.
std::shared_ptr<const ConvexSet> IntersectionSet::core_of(const SetParts& others) const {
  if (others.size() == 1) return others[0];
  SetParts polyhedra;
  std::shared_ptr<const Ellipsoid> ellipsoid;
  for (const auto& other : others) {
    auto found = std::dynamic_pointer_cast<const Ellipsoid>(other);
    const bool round = found != nullptr && found->radius() > 0;
    if (round && ellipsoid != nullptr) return nullptr;
    if (round) {
      ellipsoid = std::move(found);
    } else {
      polyhedra.push_back(other);
    }
  }
  try {
    auto core = CommonPolyhedron::of(polyhedra);
    if (core == nullptr || ellipsoid == nullptr) return core;
    return std::make_shared<EllipsoidCut>(std::move(core), std::move(ellipsoid));
  } catch (const InvalidInput&) {
    refuse_empty(parts_.size());
  } catch (const NotConverged&) {
    return nullptr;
  }
}

Vector IntersectionSet::common_point() const {
  Vector mean = Vector::Zero(dimension());
  for (const auto& part : parts_) {
    mean += part->support_point(Vector::Zero(dimension())) / static_cast<double>(parts_.size());
  }
  if (!exact_) return common_point_by_cycles(mean);
  const double rounding = 1000 * kEps * mean.stableNorm();
  if (exact_->shortfall() > options_.tolerance * diameter() + rounding) {
    refuse_empty(parts_.size());
  }
  return exact_->nearest(mean);
}

Vector IntersectionSet::common_point_by_cycles(const Vector& near) const {
  Dykstra dykstra(leaves_, near);
  const double tolerance = options_.tolerance * diameter();
  for (int k = 1; k <= options_.max_cycles; ++k) {
    dykstra.advance();
    if (dykstra.spread() <= tolerance + dykstra.rounding()) return dykstra.nearest();
    if (is_power_of_two(k) && dykstra.proves_empty()) refuse_empty(parts_.size());
  }
  if (const auto found = nearest_by_tangents(near, tolerance)) return *found;
  throw InvalidInput(fmt::format(
      "intersection may be empty: after {} cycles its parts are still {:.3g} apart, must be at "
      "most {:.3g}, and no separation was found",
      options_.max_cycles, dykstra.spread(), tolerance));
}

// From a far point Dykstra's method needs a number of cycles that grows with the distance: the
// normals are built up by pieces of the size of the set. But they nearly grow in proportion to the
// distance, so those of a near point on the way, scaled, are a good start.
Dykstra IntersectionSet::approached(const Vector& point) const {
  constexpr double kFactor = 4;
  const double size = diameter();
  const Vector offset = point - centre_;
  double share = 1;
  while (size > 0 && share * offset.stableNorm() > kFactor * size) share /= kFactor;
  Dykstra dykstra(leaves_, centre_ + share * offset);
  while (share < 1) {
    for (int k = 0; k < std::min(100, options_.max_cycles); ++k) {
      dykstra.advance();
      if (dykstra.spread() <= 1e-3 * size) break;
    }
    share *= kFactor;
    dykstra.move_to(share < 1 ? centre_ + share * offset : point, kFactor);
  }
  return dykstra;
}

bool IntersectionSet::settle(Dykstra& dykstra, double tolerance, int max_cycles) {
  for (int k = 0; k < max_cycles; ++k) {
    dykstra.advance();
    if (dykstra.spread() <= tolerance + dykstra.rounding()) return true;
  }
  return false;
}

// Half-spaces that touch the parts, and the nearest point of all of them, again and again: where it
// is outside a part, the tangent at its projection onto that part is one more. On curved parts that
// only just touch this halves the distance with every round, where Dykstra's method would take
// millions of cycles. There, however, tangents are nearly parallel, and rounding ends it earlier.
std::optional<Vector> IntersectionSet::nearest_by_tangents(const Vector& point,
                                                           double tolerance) const {
  const Index n = dimension();
  const Index most_rows = 2 * n + 100;
  Halfspaces tangents{.normals = Matrix(0, n), .offsets = Vector(0), .scale = diameter()};
  Vector x = point, best;
  double least = kTouching * tolerance;
  const auto add = [&](const Vector& normal, double offset) {
    const Index row = tangents.offsets.size();
    tangents.normals.conservativeResize(row + 1, n);
    tangents.offsets.conservativeResize(row + 1);
    tangents.normals.row(row) = normal;
    tangents.offsets(row) = offset;
  };
  for (int k = 0; k < std::min(kMostTangentRounds, options_.max_cycles); ++k) {
    double spread = 0;
    for (const auto& leaf : leaves_) {
      const Vector inside = leaf->project(x);
      const double outside = (x - inside).stableNorm();
      spread = std::max(spread, outside);
      const Vector normal = (x - inside) / outside;
      if (outside > 0 && normal.allFinite()) add(normal, normal.dot(inside));
    }
    if (k > 0 && spread <= least) {
      least = spread;
      best = x;
    }
    if (spread <= tolerance + 16 * kEps * x.stableNorm()) return x;
    try {
      const HalfspaceProjection nearest = project_onto_halfspaces(tangents, point);
      x = nearest.nearest;
      if (tangents.offsets.size() > most_rows) {
        const Halfspaces all = std::exchange(
            tangents, {.normals = Matrix(0, n), .offsets = Vector(0), .scale = diameter()});
        for (Index i = 0; i < all.offsets.size(); ++i) {
          if (nearest.multipliers(i) > 0) add(all.normals.row(i), all.offsets(i));
        }
      }
    } catch (const NotConverged&) {
      break;
    }
  }
  if (best.size() == 0) return std::nullopt;
  return best;
}

Vector IntersectionSet::nearest(const Vector& point, double tolerance) const {
  if (exact_) {
    try {
      return exact_->nearest(point);
    } catch (const NotConverged&) {  // a quadratic program that rounding keeps from ending
    }
  }
  Dykstra dykstra = approached(point);
  if (settle(dykstra, tolerance, options_.max_cycles)) return dykstra.nearest();
  if (const auto found = nearest_by_tangents(point, tolerance)) return *found;
  throw NotConverged(fmt::format(
      "projection onto the intersection of {} sets: after {} cycles the parts are still {:.3g} "
      "apart, tolerance {:.3g}",
      parts_.size(), options_.max_cycles, dykstra.spread(), tolerance));
}

Vector IntersectionSet::project(const Vector& point) const {
  check_argument("point", point, dimension());
  return nearest(point, options_.tolerance * diameter());
}

Vector IntersectionSet::support_point(const Vector& direction) const {
  return certified_support(direction).point;
}

CertifiedSupport IntersectionSet::certified_support(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  const double length = direction.stableNorm();
  if (length == 0.0 || diameter() == 0.0) return {.point = centre_, .gap = 0};
  const Vector unit = direction / length;
  CertifiedSupport best;
  try {
    best = exact_ ? exact_->support(unit) : support_by_projections(unit);
  } catch (const NotConverged&) {  // a program that rounding keeps from ending
    best = support_by_projections(unit);
  }
  // A gap that is all rounding is none.
  const double rounding = 100 * kEps * (diameter() + best.point.stableNorm());
  best.gap = best.gap <= rounding ? 0 : length * std::min(best.gap, diameter());
  return best;
}

// The proximal point method x <- project(x + reach g), |g| = 1. Dykstra's normals n_k of a step add
// up to x + reach g - x_new: divided by `reach` they are directions of the parts that nearly add up
// to g, the nearer the less x moves. They prove a bound also where the cycles do not suffice for a
// member; shorter steps need fewer.
CertifiedSupport IntersectionSet::support_by_projections(const Vector& direction) const {
  const double size = diameter();
  int cycles = std::min(kSupportCycles, options_.max_cycles);
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(dimension(), std::ssize(leaves_));
  CertifiedSupport best{.point = centre_, .gap = gap_by_parts(leaves_, none, direction, centre_)};
  double bound = direction.dot(best.point) + best.gap;  // of the maximum
  double least = best.gap;
  double reach = 4 * size;
  double longest = 1024 * size;
  int idle = 0;
  while (cycles > 0 && idle < kPatience && best.gap > kSettled * size) {
    Dykstra dykstra = approached(best.point + reach * direction);
    const bool settled = settle(dykstra, options_.tolerance * size, std::min(cycles, kStepCycles));
    cycles -= std::max(1, dykstra.cycles());
    const Vector& x = dykstra.nearest();
    const Eigen::MatrixXd shares = dykstra.normals() / reach;
    bound = std::min(bound, direction.dot(x) + gap_by_parts(leaves_, shares, direction, x));
    if (settled && direction.dot(x) > direction.dot(best.point)) best.point = x;
    best.gap = std::max(0.0, bound - direction.dot(best.point));
    idle = best.gap < 0.9 * least ? 0 : idle + 1;
    least = std::min(least, best.gap);
    if (!settled) longest = reach / 4;
    reach = std::min(2 * reach, longest);
  }
  return best;
}

double IntersectionSet::diameter() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& part : parts_) least = std::min(least, part->diameter());
  return least;
}

double IntersectionSet::normal_residual(const Vector& point, const Vector& direction) const {
  check_argument("point", point, dimension());
  check_argument("direction", direction, dimension());
  const double length = direction.stableNorm();
  const double size = diameter();
  if (length == 0.0 || size == 0.0) return 0;
  // The tolerance of the projection divided by the step is the error of the quotient.
  const double step = 1e-4 * size;
  const double tolerance = 1e-9 * step;
  const Vector moved = nearest(point + (step / length) * direction, tolerance);
  return (moved - nearest(point, tolerance)).norm() * (length / step);
}

}  // namespace rgu
