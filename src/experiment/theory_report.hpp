// All that theory says about a problem, as plain data: constants, conditions, steps, schedules and
// guarantees.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"
#include "rgu/theory/assumptions.hpp"
#include "rgu/theory/proximal.hpp"

namespace rgu {

// One number in both scales (constants.hpp).
struct TheoryNumber {
  std::string symbol;   // "L_thth"
  std::string meaning;  // "grad_theta f in theta"
  double derivative = 0;
  double paper = 0;
  std::string reason;  // why there is no such number; else empty
};

struct TheoremReport {
  Theorem theorem = Theorem::kPgda;
  std::string name;  // "PGDA"
  std::vector<AssumptionCheck> assumptions;
  std::vector<AssumptionCheck> steps;  // of the configured method, where it names its steps

  // kFails if one of them fails; kUnknown if none fails but one is unknown.
  AssumptionState state() const;
};

// The counts of one outer iteration.
struct PlanRow {
  double iteration = 0;            // k
  double inner_steps = 0;          // T_k
  double trajectories = 0;         // m_k
  double horizon = 0;              // H_k
  double policy_trajectories = 0;  // m'_k
  double policy_horizon = 0;       // H'_k
};

// What the prox-extragradient theorem asks for.
struct PlanReport {
  ProximalSettings settings;
  ProximalPlan plan;
  std::vector<PlanRow> rows;  // some k, the last of the plan included
};

struct TheoryReport {
  ConstantScale scale = ConstantScale::kDerivative;  // of the configured policy gradient
  std::vector<TheoryNumber> constants;               // infinite: none
  std::vector<TheoremReport> theorems;               // in the order of Theorem
  std::vector<TheoryNumber> steps;                   // the largest; 0: none, infinite: any
  std::vector<TheoryNumber> bounds;                  // after `iterations`; infinite: none
  std::optional<PlanReport> plan;                    // in `scale`; empty: none
  std::string no_plan;                               // why
};

struct TheoryQuestion {
  double iterations = 1;   // K of the bounds and of the steps over occupancies
  double accuracy = 0.01;  // of E[R_GM], for the plan
};

// Bounds of PGDA are for worst cases without error (delta_k = 0), of all methods at the largest
// steps, and with E_theta where gradients are sampled. Throws InvalidInput unless K is a whole
// number >= 1 and the accuracy is finite and > 0.
TheoryReport theory_report(const ProblemConfig& config, const Instance& instance,
                           const TheoryQuestion& question);

}  // namespace rgu
