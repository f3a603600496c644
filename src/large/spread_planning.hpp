// Optimal control of a spread model.
#pragma once

#include "rgu/large/spread_evaluation.hpp"

namespace rgu {

// What must be small at the end: the span of the Bellman residual min_a Q - V over the states, from
// which bounds follow [MacQueen1966], or its largest entry in absolute value.
enum class PlanMeasure { kSpan, kResidual };

struct SpreadPlanOptions {
  PlanMeasure measure = PlanMeasure::kSpan;
  double tolerance = 1e-10;  // > 0: of the measure, relative to the largest |cost|
  double forcing = 0.1;      // in (0, 1): an evaluation is solved to this share of the last measure
  Index iterations = 100000;  // >= 1: the most improvements
  Vector start = {};          // (own): a guess of the values; empty: 0
};

struct SpreadPlan {
  std::vector<Index> action = {};  // (own): greedy for `value`
  Vector value = {};               // (own)
  double lowest = 0;               // least over all states of min_a Q(s,a) - V(s)
  double highest = 0;              // and largest
  Index improvements = 0;
  bool reached = false;  // the tolerance

  double span() const { return highest - lowest; }
  double residual() const { return std::max(std::abs(lowest), std::abs(highest)); }
};

// Inexact policy iteration: the greedy policy is evaluated by a Krylov solver, to a share of the
// last Bellman residual, from the last values. Stops short where twenty improvements do not bring
// the measure down (rounding). cost: (own, A). Throws InvalidInput, on all ranks, where it is not
// finite or the options are out of their ranges.
SpreadPlan spread_policy_iteration(const SpreadModel& model, const Matrix& cost,
                                   const SpreadPlanOptions& options = {});

// V <- min_a Q, again and again: what policy iteration is to be compared with.
SpreadPlan spread_value_iteration(const SpreadModel& model, const Matrix& cost,
                                  const SpreadPlanOptions& options = {});

}  // namespace rgu
