#include "rgu/experiment/certify.hpp"

#include "rgu/global/envelope.hpp"

namespace rgu {

PolicyCertificate certify_policy(const ProblemConfig& problem, const RunFolder& folder,
                                 std::uint64_t seed, double tolerance) {
  const Instance instance = make_instance(problem, seed);
  return {.policy = evaluate_policy(instance, problem.name, folder, seed, {.members = 0}),
          .global = envelope_minimum(instance.world.mdp, *instance.utility, *instance.ambiguity,
                                     {.tolerance = tolerance})};
}

}  // namespace rgu
