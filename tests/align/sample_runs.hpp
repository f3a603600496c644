// Made-up alignment runs, for the tests of their pages.
#pragma once

#include "rgu/align/report.hpp"

namespace rgu::align {

// Five seeds of 60 steps: reward rises, the cost is driven below its threshold 0.
RunRecord sample_run();

// The same without constraint, with a fixed penalty, and the sample itself.
Comparison sample_comparison();

// Two rewards that nature weighs and two constraints; long answers.
RunRecord ensemble_run();

// Texts that are HTML, in every place where a text can be.
RunRecord hostile_run();

// Nothing but one seed without a step.
RunRecord smallest_run();

}  // namespace rgu::align
