#include "rgu/experiment/policy_facts.hpp"

namespace rgu {

PolicyFacts policy_facts(const Instance& instance, const Vector& theta,
                         const WorstCaseOptions& options) {
  return policy_facts(instance, instance.policy->probabilities(theta), options);
}

PolicyFacts policy_facts(const Instance& instance, Matrix pi, const WorstCaseOptions& options) {
  PolicyEvaluation evaluation(instance.world.mdp, std::move(pi));
  Matrix occupancy = evaluation.occupancy();
  WorstCase worst = worst_case(*instance.utility, *instance.ambiguity, occupancy, options);
  return {.evaluation = std::move(evaluation),
          .occupancy = std::move(occupancy),
          .worst_case = std::move(worst)};
}

double nominal_value(const Instance& instance, const PolicyFacts& facts) {
  return instance.utility->evaluate(facts.occupancy, instance.nominal).value;
}

WorstCaseRecord record_of(const WorstCase& worst_case) {
  return {.value = worst_case.value,
          .kind = worst_case.kind,
          .gap = worst_case.gap,
          .method = worst_case.method,
          .nature = worst_case.nature};
}

const PolicyFacts& PolicyMemory::at(const Vector& theta, const Vector& hint) {
  const bool known = facts_ && theta == theta_ && options_.hint && *options_.hint == hint;
  if (!known) {
    options_.hint = hint;
    facts_ = std::make_unique<PolicyFacts>(policy_facts(instance_, theta, options_));
    theta_ = theta;
  }
  return *facts_;
}

}  // namespace rgu
