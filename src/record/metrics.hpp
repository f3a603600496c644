// What a run reports of one outer iteration.
#pragma once

#include <array>
#include <limits>
#include <string_view>

#include "rgu/base/answer_kind.hpp"
#include "rgu/base/types.hpp"

namespace rgu {

// NaN: not measured, or it has no meaning for this problem. All but `samples` are computed with
// exact gradients where the model is known, whatever the solver used. z_k is the point before the
// iteration, z_{k+1} the one after it, at which everything is measured; alpha is the solver's step.
struct Metrics {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  Index iteration = 0;                            // k + 1: the number of outer iterations done
  double objective = kNone;                       // f_xi(lambda_theta)
  double envelope = kNone;                        // Gamma(theta)
  AnswerKind envelope_kind = AnswerKind::kExact;  // of `envelope`
  double envelope_gap = kNone;                    // Gamma is at most envelope + this
  double nominal = kNone;                         // f at the nominal xi
  double policy_mapping = kNone;                  // |G_Theta|
  double nature_mapping = kNone;                  // |G_Xi|
  double residual = kNone;                        // R_GM = |G_Theta|^2 + |G_Xi|^2
  double prox_policy_mapping = kNone;             // |G^k_Theta,sigma|
  double prox_nature_mapping = kNone;             // |G^k_Xi,sigma|
  double policy_move = kNone;                     // |theta_{k+1} - theta_k|
  double nature_move = kNone;                     // |xi_{k+1} - xi_k|
  double vi_gap = kNone;                          // Gap_k(z) = max_z' <F_k(z), z - z'>
  double nature_residual = kNone;                 // delta_k: grad_xi f from the normal cone
  double nature_distance = kNone;                 // |xi - nominal xi|
  double violation = kNone;                       // of the constraints, the largest; 0: none
  double policy_step = kNone;                     // eta, or alpha
  double nature_step = kNone;                     // beta, or alpha
  double policy_mapping_bound = kNone;            // the theorem's, on the root mean square so far
  double lower_bound = kNone;                     // no policy has a smaller Gamma
  double optimality_gap = kNone;                  // Gamma, or what it is at most, less that bound
  double saddle_gap = kNone;                      // of the averages, proven
  double saddle_gap_bound = kNone;                // what the theorem says of it
  Index samples = 0;                              // transitions drawn so far
};

// The measured numbers by name, in the order in which they are written and shown.
struct MetricField {
  std::string_view name;    // in files: the name of the member
  std::string_view symbol;  // as people write it, plain text
  std::string_view help;    // one line
  double Metrics::*member;
};

inline constexpr std::array kMetricFields = {
    MetricField{"objective", "f", "utility at the current policy and nature", &Metrics::objective},
    MetricField{"envelope", "Γ", "worst case of the policy over the ambiguity set",
                &Metrics::envelope},
    MetricField{"envelope_gap", "Γ gap", "the worst case is at most this much above Γ",
                &Metrics::envelope_gap},
    MetricField{"nominal", "f₀", "the policy at the nominal utility", &Metrics::nominal},
    MetricField{"policy_mapping", "|G_Θ|", "one-step gradient mapping of the policy",
                &Metrics::policy_mapping},
    MetricField{"nature_mapping", "|G_Ξ|", "one-step gradient mapping of nature",
                &Metrics::nature_mapping},
    MetricField{"residual", "R_GM", "stationarity: |G_Θ|² + |G_Ξ|²", &Metrics::residual},
    MetricField{"prox_policy_mapping", "|Gᵏ_Θ,σ|", "proximal gradient mapping of the policy",
                &Metrics::prox_policy_mapping},
    MetricField{"prox_nature_mapping", "|Gᵏ_Ξ,σ|", "proximal gradient mapping of nature",
                &Metrics::prox_nature_mapping},
    MetricField{"policy_move", "|Δθ|", "how far the policy parameters moved",
                &Metrics::policy_move},
    MetricField{"nature_move", "|Δξ|", "how far nature moved", &Metrics::nature_move},
    MetricField{"vi_gap", "Gap_k", "variational-inequality gap of the proximal subproblem",
                &Metrics::vi_gap},
    MetricField{"nature_residual", "δ_k", "distance of nature's gradient from the normal cone",
                &Metrics::nature_residual},
    MetricField{"nature_distance", "|ξ − ξ₀|", "distance of nature from the nominal utility",
                &Metrics::nature_distance},
    MetricField{"violation", "violation", "largest excess of a constraint over its threshold",
                &Metrics::violation},
    MetricField{"policy_step", "η", "step size of the policy", &Metrics::policy_step},
    MetricField{"nature_step", "β", "step size of nature", &Metrics::nature_step},
    MetricField{"policy_mapping_bound", "|G_Θ| bound",
                "the theorem's bound on the root mean square of |G_Θ| so far",
                &Metrics::policy_mapping_bound},
    MetricField{"lower_bound", "least Γ", "no policy has a smaller worst case (proven)",
                &Metrics::lower_bound},
    MetricField{"optimality_gap", "Γ − least Γ",
                "the worst case is within this of the global optimum (proven)",
                &Metrics::optimality_gap},
    MetricField{"saddle_gap", "saddle gap", "saddle gap of the averages (proven)",
                &Metrics::saddle_gap},
    MetricField{"saddle_gap_bound", "its bound", "what the theorem says of the saddle gap",
                &Metrics::saddle_gap_bound},
};

}  // namespace rgu
