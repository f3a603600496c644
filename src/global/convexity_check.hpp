// Is a utility that was declared convex in the occupancy convex? Tried on a few chords.
#pragma once

#include <cstdint>
#include <optional>

#include "rgu/base/convex_set.hpp"
#include "rgu/mdp/finite_mdp.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// f_xi at a point of a chord lies above the chord.
struct ConvexityViolation {
  Matrix first = {};   // (S, A): one end
  Matrix second = {};  // (S, A): the other end
  double share = 0;    // of `second` in the point between them
  Vector nature = {};  // xi
  double at_first = 0;
  double at_second = 0;
  double at_point = 0;

  double chord() const { return (1 - share) * at_first + share * at_second; }
};

// Looks for one with a fixed seed: between the occupancies of the uniform policy, two random ones
// and three random deterministic ones, in the middle of each chord and a quarter from its first
// end, at the centre of the ambiguity set and two random members. 48 evaluations of f, six of
// policies. Only a violation beyond rounding counts: above 1e-7 of the numbers that f is made of
// (its values, and gradients times what they are gradients of) and 1e-6 of what f changes by along
// the chord, so the scale of f does not matter. Chords on which f is not finite are left out. Empty
// if there is none: that proves nothing. Throws InvalidInput unless model, utility and set fit
// together.
std::optional<ConvexityViolation> find_convexity_violation(const FiniteMdp& mdp,
                                                           const Utility& utility,
                                                           const ConvexSet& ambiguity,
                                                           std::uint64_t seed = 0);

// Does a part of it have its shape by declaration (function.hpp)? The utilities of the library are
// convex where they say so.
bool is_declared(const Utility& utility);

// Throws InvalidInput, with both ends, xi and the values, if the search above finds a violation.
void check_convexity(const FiniteMdp& mdp, const Utility& utility, const ConvexSet& ambiguity);

// A convex f lies above its tangents. Throws InvalidInput, naming both occupancies, if f_xi at
// `other` is below its tangent at `touching` by more than rounding: what to ask when a lower bound
// that was made from that tangent exceeds a value.
void check_above_tangent(const Utility& utility, const Vector& nature, const Matrix& touching,
                         const Matrix& other);

}  // namespace rgu
