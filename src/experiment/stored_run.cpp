#include "rgu/experiment/stored_run.hpp"

#include <fmt/format.h>

#include "rgu/base/check.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/record/run_files.hpp"
#include "rgu/robustness/members.hpp"

namespace rgu {

ProblemConfig read_run_config(const RunFolder& folder) {
  return read_config({.name = folder.config().string(),
                      .text = read_text(folder.config()),
                      .folder = folder.path()});
}

std::vector<std::uint64_t> seeds_with_policy(const RunFolder& folder, const ProblemConfig& config) {
  std::vector<std::uint64_t> seeds;
  for (const std::uint64_t seed : config.seeds) {
    if (std::filesystem::exists(folder.seed(seed) / "policy.json")) seeds.push_back(seed);
  }
  check(!seeds.empty(), "the run {} has no policy yet; 'rgu resume' goes on with it",
        folder.path().string());
  return seeds;
}

PolicyReport evaluate_policy(const ProblemConfig& problem, const RunFolder& folder,
                             std::uint64_t seed, const EvaluateOptions& options) {
  const Instance instance = make_instance(problem, seed);
  const Vector theta = read_parameters(folder.seed(seed));
  const std::string name = (folder.seed(seed) / "policy.json").string();
  check(theta.size() == instance.policy->dimension(),
        "{}: the policy has {} parameters, that of the problem '{}' must have {}", name,
        theta.size(), problem.name, instance.policy->dimension());
  check_finite(name, theta);
  PolicyFacts facts = policy_facts(instance, theta, {});
  PolicyReport report{
      .seed = seed,
      .nominal = instance.utility->evaluate(facts.occupancy, instance.nominal).value,
      .worst_case = std::move(facts.worst_case),
      .flow_residual = flow_residual(instance.world.mdp, facts.occupancy),
      .worst_distance = 0,
      .at_members = {}};
  report.worst_distance = (report.worst_case.nature - instance.nominal).norm();
  Rng rng(options.member_seed, seed);
  for (Index i = 0; i < options.members; ++i) {
    const Vector member = random_member(*instance.ambiguity, rng);
    report.at_members.push_back(instance.utility->evaluate(facts.occupancy, member).value);
  }
  return report;
}

}  // namespace rgu
