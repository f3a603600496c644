// Value functions for the tests of custom utilities.
#pragma once

#include <cmath>

#include "rgu/utility/custom.hpp"

namespace rgu::testing_functions {

inline UtilityDeclaration declaration(OccupancyShape shape, Index nature_dimension,
                                      NatureShape nature = NatureShape::kNonconcave) {
  return {.shape = shape,
          .nature_dimension = nature_dimension,
          .traits = {.convex_in_occupancy = true, .nature = nature}};
}

// sum_{s,a} lambda^2 exp(xi_s).
struct WeightedSquares {
  template <class T>
  T operator()(const OccupancyView<T>& lambda, const NatureView<T>& xi) const {
    using std::exp;
    T total = 0;
    for (Index s = 0; s < lambda.states(); ++s) {
      for (Index a = 0; a < lambda.actions(); ++a) {
        total += lambda(s, a) * lambda(s, a) * exp(xi(s));
      }
    }
    return total;
  }
};

// Quadratic below the threshold and linear above it, once differentiable: a branch that changes.
struct Huber {
  double threshold = 0.2;

  template <class T>
  T operator()(const OccupancyView<T>& lambda, const NatureView<T>&) const {
    T total = 0;
    for (Index s = 0; s < lambda.states(); ++s) {
      const T& x = lambda(s, 0);
      if (x < threshold) {
        total += 0.5 * x * x;
      } else {
        total += threshold * (x - 0.5 * threshold);
      }
    }
    return total;
  }
};

struct StateEntropy {
  double delta = 0.1;

  template <class T>
  T operator()(const OccupancyView<T>& lambda, const NatureView<T>&) const {
    using std::log;
    T total = 0;
    for (Index s = 0; s < lambda.states(); ++s) {
      T mass = 0;
      for (Index a = 0; a < lambda.actions(); ++a) mass += lambda(s, a);
      total += mass * log(mass + delta);
    }
    return total;
  }
};

}  // namespace rgu::testing_functions
