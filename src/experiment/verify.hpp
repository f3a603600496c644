// Certificates of a run checked against its problem, which is made again from config.toml.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"
#include "rgu/record/run_folder.hpp"
#include "rgu/record/run_record.hpp"

namespace rgu {

struct CertificateCheck {
  double bound = 0;                        // what the witness proves; -infinity: nothing
  double rounding = 0;                     // of that, taken off
  std::vector<std::string> failures = {};  // claims that do not hold, one sentence each
};

// Recomputes all that a certificate claims: weights are >= 0 and sum to 1, every xi is a member of
// the ambiguity set, the shortfall and the lower bound are not better than those that follow from
// the witness, and no policy is said to be better than the bound.
CertificateCheck check_certificate(const Instance& instance, const CertificateRecord& certificate);

struct SeedVerification {
  std::uint64_t seed = 0;
  WorstCaseRecord worst_case = {};         // of the policy in policy.json, found again
  double claimed_bound = Metrics::kNone;   // NaN: there is no certificate
  double proven_bound = Metrics::kNone;    // by the witness
  Index pieces = 0;                        // of the witness
  std::vector<std::string> failures = {};  // empty: every claim holds

  bool holds() const { return failures.empty(); }
  // The policy is within this of the optimum, proven: infinite if its worst case is not.
  double gap() const;
};

// Every seed with a policy, in the order of the config: its certificate, its worst case against
// worst_case.json, its status, a proof that no policy meets the constraints, and problem.json, as
// far as it has them. Reads only. Throws InvalidInput
// as read_run_config does, and on files that are not as written.
std::vector<SeedVerification> verify_run(const RunFolder& folder);

}  // namespace rgu
