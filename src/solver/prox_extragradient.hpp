// The prox-extragradient method for utilities that nature's choice enters in a nonconcave way
// [RGU, Alg. pe-pgda].
#pragma once

#include <functional>

#include "rgu/solver/loop.hpp"
#include "rgu/solver/schedule.hpp"

namespace rgu {

struct ProxExtragradientOptions {
  StepSize step = {};                          // alpha, of both players
  std::optional<double> proximal_weight = {};  // sigma >= 0; empty: kProximalShare / alpha
  Schedule inner_steps = {.values = {6}, .growing = {}};  // T_k
  // The oracle of outer iteration k, where its budgets (m_k, H_k, m'_k, H'_k) change with k; empty:
  // the problem's own.
  std::function<const GradientOracle&(Index iteration)> oracle_at = {};
};

// The paper's experiment has alpha sigma = 0.03 * 1.5.
inline constexpr double kProximalShare = 0.045;

// Outer iteration k fixes the anchor z_k. Each of its T_k inner steps predicts with the gradients
// at z and corrects with fresh, independent ones at the prediction, both with the pull sigma (z -
// z_k) towards the anchor and both projected. The result holds the last iterate and the uniformly
// drawn one, for which the theorem speaks.
//
// The automatic alpha is measured [Khobotov1987; Marcotte1991]: a prediction z~ is accepted if
// alpha |F(z) - F(z~)| <= 1/2 |z - z~|, otherwise alpha shrinks and the prediction is made again;
// after an accepted step alpha may grow by a tenth. With sampled gradients the two sides of that
// test are estimated from the same random numbers, and only in the first kCalibration outer
// iterations; then alpha stays.
//
// Starts, projects and throws as pgda does.
SolverResult prox_extragradient(const SaddleProblem& problem, SolverState state,
                                const ProxExtragradientOptions& options, const StopRule& stop,
                                const Observer& observe = {});

inline constexpr Index kCalibration = 10;

}  // namespace rgu
