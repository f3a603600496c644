// Random problems for the properties: small ones, and as extreme as the library allows.
//
// RapidCheck draws a plain description, which it can shrink and print; the object follows from it.
#pragma once

#include <gtest/gtest.h>
// After gtest.h.
#include <rapidcheck/gtest.h>

#include <memory>
#include <vector>

#include "rgu/base/convex_set.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/mdp/finite_mdp.hpp"

namespace rgu::drawn {

// A model of few states. Each state is reached from others or not, absorbing or not; rows are
// spread, certain, or certain but for probabilities of 1e-300.
struct Model {
  Index states = 1;
  Index actions = 1;
  double discount = 0.5;
  bool sparse = false;
  bool one_start = false;  // all start mass on one state
  std::uint64_t seed = 0;
};

// Intersections promise less (intersection_set.hpp): far from flat ones they may not converge.
enum class SetKind {
  kLpBall,
  kEllipsoid,
  kBox,
  kCappedOrthant,
  kSimplex,
  kFrobenius,
  kSpectral,
  kPolytope,
  kProduct
};

struct Set {
  SetKind kind = SetKind::kLpBall;
  Index dimension = 1;
  double p = 2;       // of an l_p ball
  double radius = 1;  // of what has one
  double offset = 0;  // the size of the centre
  std::uint64_t seed = 0;
};

inline void showValue(const Model& model, std::ostream& out) {
  out << "model of " << model.states << " states, " << model.actions << " actions, discount 1 - "
      << 1 - model.discount << (model.sparse ? ", sparse" : ", dense")
      << (model.one_start ? ", one start" : "") << ", seed " << model.seed;
}

inline void showValue(const Set& set, std::ostream& out) {
  out << "set of kind " << static_cast<int>(set.kind) << " in R^" << set.dimension << ", p "
      << set.p << ", radius " << set.radius << ", centre of size " << set.offset << ", seed "
      << set.seed;
}

inline rc::Gen<double> discounts() {
  return rc::gen::element(0.5, 0.9, 1e-6, 0.99, 1 - 1e-4, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12);
}

inline rc::Gen<double> radii() { return rc::gen::element(1.0, 0.1, 1e-12, 1e12, 0.0); }

rc::Gen<Model> models();
rc::Gen<Set> sets();

FiniteMdp made(const Model& model);
std::shared_ptr<const ConvexSet> made(const Set& set);

// Some rows may be certain, or nearly.
Matrix policy_of(const FiniteMdp& mdp, Rng& rng);

// Positive numbers that sum to 1.
Vector distribution(Index size, Rng& rng);

}  // namespace rgu::drawn

namespace rc {
template <>
struct Arbitrary<rgu::drawn::Model> {
  static Gen<rgu::drawn::Model> arbitrary() { return rgu::drawn::models(); }
};
template <>
struct Arbitrary<rgu::drawn::Set> {
  static Gen<rgu::drawn::Set> arbitrary() { return rgu::drawn::sets(); }
};
}  // namespace rc
