// Projected gradient ascent in xi.
#pragma once

#include "rgu/robustness/rules.hpp"

namespace rgu {

struct Ascent {
  double value = 0;
  Vector nature;
  double bound =
      std::numeric_limits<double>::infinity();  // certified_ascent: max f is at most this
};

// Steps xi <- project(xi + step gradient), each with a step that raises f enough, until they get
// nowhere or `iterations` are done. Any utility; f never falls.
Ascent projected_ascent(const WorstCaseProblem& problem, Vector start, Index iterations);

// The same with momentum, for an f that is concave in xi, until value + Frank-Wolfe gap proves the
// value to the options' tolerance, or the options' iterations are done.
Ascent certified_ascent(const WorstCaseProblem& problem, Vector start);

}  // namespace rgu
