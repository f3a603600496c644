// A run on disk with its problems made again, so that its policies can be evaluated anew.
#pragma once

#include <cstdint>
#include <vector>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"
#include "rgu/experiment/policy_facts.hpp"
#include "rgu/record/run_folder.hpp"

namespace rgu {

// config.toml of a run, with overrides. Throws InvalidInput if it, or the model file it names, is
// not the one that the run was made from.
ProblemConfig read_run_config(const RunFolder& folder,
                              const std::vector<std::string>& overrides = {});

// The seeds of the config that have a policy. Throws InvalidInput if none has.
std::vector<std::uint64_t> seeds_with_policy(const RunFolder& folder, const ProblemConfig& config);

// pi (S, A) of one seed. Throws InvalidInput if it does not have the sizes of the problem.
Matrix read_policy_of(const Instance& instance, const std::string& problem_name,
                      const RunFolder& folder, std::uint64_t seed);

// How the policy of one seed does, computed from its parameters alone.
struct PolicyReport {
  std::uint64_t seed = 0;
  double nominal = 0;
  WorstCase worst_case;
  double flow_residual = 0;        // of its occupancy
  double worst_distance = 0;       // |worst xi - nominal xi|
  std::vector<double> at_members;  // f at random members of the ambiguity set
};

struct EvaluateOptions {
  Index members = 100;
  std::uint64_t member_seed = 0;
};

// `problem` may be that of another run, as long as its model has the same sizes: the policy is then
// judged by that problem's utility and ambiguity set.
PolicyReport evaluate_policy(const ProblemConfig& problem, const RunFolder& folder,
                             std::uint64_t seed, const EvaluateOptions& options = {});

// The same where the instance of that problem and seed is made already.
PolicyReport evaluate_policy(const Instance& instance, const std::string& problem_name,
                             const RunFolder& folder, std::uint64_t seed,
                             const EvaluateOptions& options = {});

}  // namespace rgu
