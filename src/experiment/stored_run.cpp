#include "rgu/experiment/stored_run.hpp"

#include <fmt/format.h>

#include "rgu/base/check.hpp"
#include "rgu/experiment/runner.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/record/run_files.hpp"
#include "rgu/robustness/members.hpp"

namespace rgu {

ProblemConfig read_run_config(const RunFolder& folder, const std::vector<std::string>& overrides) {
  const std::string begun_with = read_fingerprint(folder);
  ProblemConfig config = read_config({.name = folder.config().string(),
                                      .text = read_text(folder.config()),
                                      .folder = folder.path()},
                                     overrides);
  check(fingerprint(config) == begun_with,
        "{}: the problem, or the model file it names, was changed after the run began; solve the "
        "changed problem in a folder of its own",
        folder.config().string());
  return config;
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

Matrix read_policy_of(const Instance& instance, const std::string& problem_name,
                      const RunFolder& folder, std::uint64_t seed) {
  Matrix pi = read_policy(folder.seed(seed));
  const FiniteMdp& mdp = instance.world.mdp;
  const std::string name = (folder.seed(seed) / "policy.json").string();
  check(pi.rows() == mdp.states() && pi.cols() == mdp.actions(),
        "{}: the policy has {} states and {} actions, the problem '{}' has {} and {}", name,
        pi.rows(), pi.cols(), problem_name, mdp.states(), mdp.actions());
  return pi;
}

PolicyReport evaluate_policy(const ProblemConfig& problem, const RunFolder& folder,
                             std::uint64_t seed, const EvaluateOptions& options) {
  return evaluate_policy(make_instance(problem, seed), problem.name, folder, seed, options);
}

PolicyReport evaluate_policy(const Instance& instance, const std::string& problem_name,
                             const RunFolder& folder, std::uint64_t seed,
                             const EvaluateOptions& options) {
  PolicyFacts facts =
      policy_facts(instance, read_policy_of(instance, problem_name, folder, seed), {});
  PolicyReport report{.seed = seed,
                      .nominal = nominal_value(instance, facts),
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
