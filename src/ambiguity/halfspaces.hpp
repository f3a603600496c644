// The nearest point of an intersection of half-spaces: a quadratic program.
#pragma once

#include "rgu/base/types.hpp"

namespace rgu {

// {x : normals x <= offsets}. Every row of `normals` has length 1. The set is not empty.
struct Halfspaces {
  Matrix normals;  // (m, n)
  Vector offsets;  // (m)
  double scale;  // > 0: the size of the set, or of the numbers in it; tolerances are relative to it
};

struct HalfspaceProjection {
  Vector nearest;
  Vector multipliers;  // (m), >= 0, and > 0 only on active rows
};

// min |x - point|^2 / 2 over the set, by the dual active-set method of Goldfarb and Idnani
// [GoldfarbIdnani1983]: ends after finitely many steps. The result satisfies
//   point - nearest = normals' multipliers               up to rounding of `point`,
//   normals nearest <= offsets                           within 1e-12 scale,
//   normals nearest = offsets where a multiplier is > 0  within 1e-12 scale.
// Rows may repeat, be redundant or meet in degenerate corners. Where rows meet at a tiny angle a
// but are not parallel, corners are blurred: these errors grow to 1e-14 / a (a > 1e-8) or a (below)
// times the size. Throws NotConverged if rounding keeps the method from ending.
HalfspaceProjection project_onto_halfspaces(const Halfspaces& set, const Vector& point);

}  // namespace rgu
