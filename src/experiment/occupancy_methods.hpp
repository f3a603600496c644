// The methods that work on occupancies of a known model, as parts of a run.
#pragma once

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"
#include "rgu/experiment/policy_facts.hpp"
#include "rgu/global/certificate.hpp"
#include "rgu/record/run_record.hpp"
#include "rgu/solver/loop.hpp"

namespace rgu {

// The instance with occupancies as the parameters of its policies (OccupancyPolicies).
Instance over_occupancies(Instance instance);

struct EnvelopeRun {
  GapTolerance tolerance = {};
  StopRule stop = {};
};

// The envelope solver as iterations of a run; what it proves goes into `certificate`. It keeps no
// state but the number of its steps: it is deterministic, so that a resumed run makes them again.
SolverResult minimise_envelope(const Instance& instance, const EnvelopeRun& options,
                               SolverState state, const Observer& observe,
                               CertificateRecord& certificate);

// The metrics after an iteration, at the point `at` that the method stands for, whose policy has
// the given facts. Saddle gaps of occupancy PGDA at iterations 1, 2, 5, 10, 20, 50, .. and the
// last.
Metrics occupancy_metrics(const ProblemConfig& config, const Instance& instance,
                          const PolicyFacts& facts, const SaddlePoint& at,
                          const Iteration& iteration);

}  // namespace rgu
