#include "rgu/robustness/vertices.hpp"

#include <cmath>

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/simplex.hpp"

namespace rgu {

std::optional<Bounds> as_box(const ConvexSet& set) {
  if (const auto* box = dynamic_cast<const Box*>(&set)) return Bounds{box->lower(), box->upper()};
  const auto* ball = dynamic_cast<const LpBall*>(&set);
  if (ball == nullptr || !std::isinf(ball->p())) return std::nullopt;
  return Bounds{ball->centre().array() - ball->radius(), ball->centre().array() + ball->radius()};
}

namespace {

constexpr Index kLargestBox = 16;  // 65536 vertices

using Visit = std::function<void(const Vector&)>;

// centre + length e_i for every i.
void visit_axes(const Vector& centre, double length, const Visit& visit) {
  Vector vertex = centre;
  for (Index i = 0; i < centre.size(); ++i) {
    vertex(i) = centre(i) + length;
    visit(vertex);
    vertex(i) = centre(i);
  }
}

void visit_corners(const Bounds& box, const Visit& visit) {
  const Index n = box.lower.size();
  Vector vertex(n);
  for (Index corner = 0; corner < (Index{1} << n); ++corner) {
    for (Index i = 0; i < n; ++i) vertex(i) = (corner >> i & 1) != 0 ? box.upper(i) : box.lower(i);
    visit(vertex);
  }
}

// False if the set has no few vertices.
bool visit_vertices(const ConvexSet& set, const Visit& visit) {
  const Vector origin = Vector::Zero(set.dimension());
  if (dynamic_cast<const ProbabilitySimplex*>(&set) != nullptr) {
    visit_axes(origin, 1, visit);
    return true;
  }
  if (const auto* orthant = dynamic_cast<const CappedOrthant*>(&set)) {
    visit(origin);
    visit_axes(origin, orthant->total(), visit);
    return true;
  }
  const auto* ball = dynamic_cast<const LpBall*>(&set);
  if (ball != nullptr && ball->p() == 1) {
    visit_axes(ball->centre(), ball->radius(), visit);
    visit_axes(ball->centre(), -ball->radius(), visit);
    return true;
  }
  const std::optional<Bounds> box = as_box(set);
  if (!box || set.dimension() > kLargestBox) return false;
  visit_corners(*box, visit);
  return true;
}

}  // namespace

std::optional<Matrix> few_vertices(const ConvexSet& set, Index most) {
  Index count = 0;
  Matrix rows(0, set.dimension());
  const bool known = visit_vertices(set, [&](const Vector& vertex) {
    if (count++ >= most) return;
    if (count > rows.rows()) rows.conservativeResize(2 * count, Eigen::NoChange);
    rows.row(count - 1) = vertex;
  });
  if (!known || count > most) return std::nullopt;
  rows.conservativeResize(count, Eigen::NoChange);
  return rows;
}

std::optional<Vector> best_vertex(const ConvexSet& set,
                                  const std::function<double(const Vector&)>& value) {
  std::optional<Vector> best;
  double largest = 0;
  const bool few = visit_vertices(set, [&](const Vector& vertex) {
    const double here = value(vertex);
    if (best && here <= largest) return;
    best = vertex;
    largest = here;
  });
  return few ? best : std::nullopt;
}

}  // namespace rgu
