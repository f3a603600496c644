#include "rgu/experiment/certify.hpp"

#include <algorithm>

#include "rgu/base/check.hpp"
#include "rgu/experiment/problem_text.hpp"
#include "rgu/experiment/witness_record.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/record/run_files.hpp"

namespace rgu {
namespace {

// The gap that the run was to reach, which its status speaks of: of the certificate that is there.
double gap_asked(const RunFolder& folder, std::uint64_t seed) {
  try {
    return read_certificate(folder.seed(seed)).gap_asked;
  } catch (const InvalidInput&) {
    return Metrics::kNone;  // damaged, and about to be replaced
  }
}

}  // namespace

PolicyCertificate certify_policy(const ProblemConfig& problem, const RunFolder& folder,
                                 std::uint64_t seed, double tolerance) {
  const Instance instance = make_instance(problem, seed);
  PolicyCertificate certificate{
      .policy = evaluate_policy(instance, problem.name, folder, seed, {.members = 0}),
      .global = envelope_minimum(instance.world.mdp, *instance.utility, *instance.ambiguity,
                                 {.tolerance = tolerance}),
      .record = {},
      .problem = {}};
  CertificateRecord& record = certificate.record;
  record = certificate_of(instance, certificate.global);
  record.gap_asked = gap_asked(folder, seed);
  record.best_known = std::min(record.best_known, certificate.policy.worst_case.value);
  if (record.witness.exists()) certificate.problem = problem_text(instance);
  return certificate;
}

}  // namespace rgu
