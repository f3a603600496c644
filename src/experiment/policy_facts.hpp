// What is exactly true of a policy, for every metric and every exact worst case.
#pragma once

#include <memory>

#include "rgu/experiment/instance.hpp"
#include "rgu/mdp/policy_evaluation.hpp"
#include "rgu/record/run_record.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {

struct PolicyFacts {
  PolicyEvaluation evaluation;
  Matrix occupancy;      // lambda: (S, A)
  WorstCase worst_case;  // over the ambiguity set of the instance
};

// Of the policy pi (S, A), or of the one with parameters theta.
PolicyFacts policy_facts(const Instance& instance, Matrix pi, const WorstCaseOptions& options);
PolicyFacts policy_facts(const Instance& instance, const Vector& theta,
                         const WorstCaseOptions& options);

// f there at the nominal xi.
double nominal_value(const Instance& instance, const PolicyFacts& facts);

// The worst case as the files of a run hold it.
WorstCaseRecord record_of(const WorstCase& worst_case);

// Remembers the last policy asked for: the one that the solver asks for next is the one that was
// measured last. Equal questions have equal answers, so nothing depends on what is remembered. For
// one thread.
class PolicyMemory {
 public:
  PolicyMemory(const Instance& instance, WorstCaseOptions options)
      : instance_(instance), options_(std::move(options)) {}

  const PolicyFacts& at(const Vector& theta, const Vector& hint);

 private:
  const Instance& instance_;
  WorstCaseOptions options_;
  Vector theta_;
  std::unique_ptr<PolicyFacts> facts_;
};

}  // namespace rgu
