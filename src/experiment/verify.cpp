#include "rgu/experiment/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/experiment/problem_text.hpp"
#include "rgu/experiment/stored_run.hpp"
#include "rgu/experiment/witness_record.hpp"
#include "rgu/record/json_difference.hpp"
#include "rgu/record/named_files.hpp"
#include "rgu/record/run_files.hpp"
#include "rgu/robustness/feasibility.hpp"
#include "rgu/solver/status.hpp"
#include "rgu/utility/reward.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

constexpr double kWeightSum = 1e-9;  // how far from 1 the weights may sum
constexpr double kSameValue = 1e-9;  // between a worst case and the same one found again

void check_weights(const WitnessRecord& witness, std::vector<std::string>& failures) {
  double total = 0;
  for (std::size_t i = 0; i < witness.pieces.size(); ++i) {
    const double weight = witness.pieces[i].weight;
    if (!(weight >= 0)) {
      failures.push_back(fmt::format("weight {} is {}, must be >= 0", i, weight));
    }
    total += weight;
  }
  if (!(std::abs(total - 1) <= kWeightSum)) {
    failures.push_back(fmt::format("the weights sum to {:.17g}, must sum to 1", total));
  }
}

void check_members(const Instance& instance, const WitnessRecord& witness,
                   std::vector<std::string>& failures) {
  for (std::size_t i = 0; i < witness.pieces.size(); ++i) {
    const double excess = relative_excess(*instance.ambiguity, witness.pieces[i].nature);
    if (excess <= kMemberTolerance) continue;
    failures.push_back(
        fmt::format("xi {} is outside the ambiguity set, by {:.2g} of its size", i, excess));
  }
}

// No member of the ambiguity set has more.
double upper_bound(const WorstCaseRecord& worst_case) {
  switch (worst_case.kind) {
    case AnswerKind::kExact:
      return worst_case.value;
    case AnswerKind::kCertified:
      return worst_case.value + worst_case.gap;
    case AnswerKind::kBestFound:
      break;
  }
  return kInfinity;
}

// The size of the numbers that f is made of: what rounding is relative to.
double size_of(const UtilityGradient& f, const Matrix& occupancy, const Vector& nature) {
  return std::max({std::abs(f.value), f.occupancy.cwiseProduct(occupancy).cwiseAbs().sum(),
                   f.nature.cwiseProduct(nature).cwiseAbs().sum()});
}

void check_worst_case(const Instance& instance, const Matrix& occupancy,
                      const WorstCaseRecord& claimed, SeedVerification& seed) {
  const Vector& xi = claimed.nature;
  if (xi.size() != instance.utility->nature_dimension() ||
      relative_excess(*instance.ambiguity, xi) > kSameValue) {
    seed.failures.emplace_back("the worst xi of worst_case.json is not in the ambiguity set");
    return;
  }
  const UtilityGradient attained = instance.utility->evaluate(occupancy, xi);
  const double margin = kSameValue * size_of(attained, occupancy, xi);
  if (!(std::abs(attained.value - claimed.value) <= margin)) {
    seed.failures.push_back(
        fmt::format("worst_case.json says {:.17g}, but f is {:.17g} at its worst xi", claimed.value,
                    attained.value));
  }
  if (upper_bound(seed.worst_case) > upper_bound(claimed) + margin) {
    seed.failures.push_back(
        fmt::format("worst_case.json says at most {:.17g}, but the worst case may be {:.17g}",
                    upper_bound(claimed), upper_bound(seed.worst_case)));
  }
}

// A status that claims optimality must be backed by the gap.
void check_status(const fs::path& folder, const CertificateRecord& certificate,
                  SeedVerification& seed) {
  const std::string status =
      naming(folder / "result.json", [](const Json& json) { return words(json, "status"); });
  if (!status.ends_with(describe(Status::kCertified).text)) return;
  if (seed.gap() <= certificate.gap_asked * (1 + 1e-6)) return;
  seed.failures.push_back(fmt::format("the status says '{}', but the gap is {:.3g}, above {:.3g}",
                                      status, seed.gap(), certificate.gap_asked));
}

// Infeasibility is a lower bound too: on the combination of the costs, less that of the limits.
void check_infeasibility(const Instance& instance, const LimitRecord& claimed,
                         SeedVerification& seed) {
  if (!claimed.is_infeasible()) return;
  const Vector& y = claimed.combination;
  const Limits limits = limits_of(*instance.utility);
  if (y.size() != limits.thresholds.size() || !(y.minCoeff() >= 0)) {
    seed.failures.push_back(
        fmt::format("the combination of constraints has {} entries, must have {}, all >= 0",
                    y.size(), limits.thresholds.size()));
    return;
  }
  const Vector reward = -(limits.costs * y);
  const LinearReward combined(
      as_matrix(reward, instance.world.mdp.states(), instance.world.mdp.actions()));
  const Witness witness{.pieces = {{.weight = 1, .at = std::make_shared<TangentPoint>()}},
                        .potential = claimed.potential};
  WitnessBound proven{.bound = -kInfinity};
  try {
    proven = witness_bound(instance.world.mdp, combined, witness);
  } catch (const InvalidInput& error) {
    seed.failures.push_back(
        fmt::format("the proof of infeasibility does not fit the problem: {}", error.what()));
    return;
  }
  const double excess = proven.bound - y.dot(limits.thresholds);
  const double rounding =
      proven.rounding + 4 * kEps * y.cwiseProduct(limits.thresholds).cwiseAbs().sum();
  if (excess - rounding > 0 && claimed.excess <= excess + 2 * rounding) return;
  seed.failures.push_back(fmt::format(
      "the constraints are said to be exceeded by {:.17g} whatever the policy, but the potential "
      "proves {:.17g}",
      claimed.excess, excess));
}

void check_problem(const Instance& instance, const fs::path& folder, SeedVerification& seed) {
  if (!fs::exists(folder / "problem.json")) return;
  const std::string made = problem_text(instance, std::numeric_limits<Index>::max());
  const auto difference = naming(folder / "problem.json", [&](const Json& stored) {
    return first_difference(stored, made.empty() ? Json() : parse_json(made));
  });
  if (!difference) return;
  seed.failures.push_back(
      fmt::format("problem.json is not the problem of config.toml: {} is {}, must be {}",
                  difference->field, difference->stored, difference->replayed));
}

CertificateRecord certificate_in(const fs::path& folder) {
  return fs::exists(folder / "certificate.json") ? read_certificate(folder) : CertificateRecord{};
}

SeedVerification verified(const ProblemConfig& config, const RunFolder& run, std::uint64_t number) {
  const fs::path folder = run.seed(number);
  const Instance instance = make_instance(config, number);
  SeedVerification seed{.seed = number};
  Matrix policy = read_policy_of(instance, config.name, run, number);
  const WorstCaseRecord claimed = read_worst_case(folder);
  WorstCaseOptions options;
  if (claimed.nature.size() == instance.utility->nature_dimension()) options.hint = claimed.nature;
  const PolicyFacts facts = policy_facts(instance, std::move(policy), options);
  seed.worst_case = record_of(facts.worst_case);
  check_worst_case(instance, facts.occupancy, claimed, seed);
  check_problem(instance, folder, seed);
  check_infeasibility(instance, read_limits(folder), seed);
  const CertificateRecord certificate = certificate_in(folder);
  seed.claimed_bound = certificate.lower_bound;
  seed.pieces = std::ssize(certificate.witness.pieces);
  if (!certificate.exists()) {
    seed.failures.emplace_back("there is no certificate; 'rgu certify' makes one");
    return seed;
  }
  const CertificateCheck check = check_certificate(instance, certificate);
  seed.proven_bound = check.bound;
  seed.failures.insert(seed.failures.end(), check.failures.begin(), check.failures.end());
  check_status(folder, certificate, seed);
  return seed;
}

}  // namespace

double SeedVerification::gap() const { return upper_bound(worst_case) - proven_bound; }

CertificateCheck check_certificate(const Instance& instance, const CertificateRecord& certificate) {
  CertificateCheck result{.bound = -kInfinity};
  const WitnessRecord& witness = certificate.witness;
  if (!witness.exists()) {
    result.failures.emplace_back("the certificate has no witness, so its bound cannot be checked");
    return result;
  }
  try {
    check_weights(witness, result.failures);
    check_members(instance, witness, result.failures);
    const WitnessBound proven =
        witness_bound(instance.world.mdp, *instance.utility, witness_of(witness));
    result.bound = proven.bound;
    result.rounding = proven.rounding;
    if (!(certificate.lower_bound <= proven.bound)) {
      result.failures.push_back(
          fmt::format("the lower bound is {:.17g}, but the witness proves {:.17g}",
                      certificate.lower_bound, proven.bound));
    }
    if (!(witness.shortfall >= proven.shortfall - 2 * proven.rounding)) {
      result.failures.push_back(
          fmt::format("the shortfall is {:.17g}, but that of the potential is {:.17g}",
                      witness.shortfall, proven.shortfall));
    }
    if (!(certificate.best_known >= proven.bound - 2 * proven.rounding)) {
      result.failures.push_back(
          fmt::format("the best known worst case is {:.17g}, below the bound {:.17g}",
                      certificate.best_known, proven.bound));
    }
  } catch (const InvalidInput& error) {
    result.failures.push_back(
        fmt::format("the witness does not fit the problem: {}", error.what()));
  }
  return result;
}

std::vector<SeedVerification> verify_run(const RunFolder& folder) {
  const ProblemConfig config = read_run_config(folder);
  std::vector<SeedVerification> seeds;
  for (const std::uint64_t seed : seeds_with_policy(folder, config)) {
    seeds.push_back(verified(config, folder, seed));
  }
  return seeds;
}

}  // namespace rgu
