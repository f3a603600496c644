// From the table [gradient] to the sizes of batches.
#pragma once

#include "rgu/experiment/config.hpp"
#include "rgu/gradient/sampled_oracle.hpp"

namespace rgu {

// The batches of outer iteration k.
SampledOracleOptions budgets(const GradientConfig& config, Index k);

// Throws InvalidInput where batches are to change with the iteration and the method takes no
// schedules.
void check_budgets(const ProblemConfig& config);

}  // namespace rgu
