// How far the policy of a run is from the best possible, proven.
#pragma once

#include "rgu/experiment/stored_run.hpp"
#include "rgu/global/certificate.hpp"

namespace rgu {

struct PolicyCertificate {
  PolicyReport policy;       // recomputed from the files of the run
  GlobalSolution global;     // the best policy there is, with its own proof
  CertificateRecord record;  // that proof, for the files of the run
  std::string problem;       // problem.json; empty: the problem is too large for it

  // The policy is within this of the global optimum.
  double gap() const {
    return policy.worst_case.value + policy.worst_case.gap - record.lower_bound;
  }
};

// Throws InvalidInput where the utility is not convex in the occupancy, and where the model is too
// large for the global methods.
PolicyCertificate certify_policy(const ProblemConfig& problem, const RunFolder& folder,
                                 std::uint64_t seed, double tolerance = 1e-6);

}  // namespace rgu
