// Random members of a set, to see what a policy does away from the worst case.
#pragma once

#include "rgu/base/convex_set.hpp"
#include "rgu/base/rng.hpp"

namespace rgu {

// support_point(0): the centre of a set that has one, else some member (sets say which).
Vector centre_of(const ConvexSet& set);

// A random member. Not uniform on the set. In a product each part is drawn by itself. Otherwise,
// with c = centre_of(set):
//   a  the projection of c + t diameter z, z uniform on the unit sphere, t uniform in [0, 1):
//      inside for small t, on the boundary for large t
//   b  the support point of a normal direction: an extreme point
// and the member is a (probability 1/2), b (1/4), or uniform on the segment between them (1/4).
Vector random_member(const ConvexSet& set, Rng& rng);

}  // namespace rgu
