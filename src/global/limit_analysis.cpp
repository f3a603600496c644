#include "rgu/global/limit_analysis.hpp"

#include <algorithm>
#include <vector>

#include "rgu/ambiguity/simplex.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/global/program_methods.hpp"
#include "rgu/utility/reward_robust.hpp"

namespace rgu {
namespace {

constexpr double kAccuracy = 1e-9;
constexpr double kMostRounding = 1e-8;  // of limits that are what some policy costs

// min over Lambda of the largest mean excess, each in units of its own size, is a problem of reward
// models on the simplex: lambda sums to 1, so that the threshold goes into the cost.
struct Excesses {
  std::vector<Matrix> rewards;
  Vector size;  // (K)
};

Excesses excesses(const FiniteMdp& mdp, const Limits& limits) {
  const Index count = limits.thresholds.size();
  Excesses out{.rewards = {}, .size = Vector(count)};
  for (Index k = 0; k < count; ++k) {
    Vector cost = limits.costs.col(k).array() - limits.thresholds(k);
    const double size = cost.cwiseAbs().maxCoeff();
    out.size(k) = size > 0 ? size : 1;
    cost /= -out.size(k);
    out.rewards.emplace_back(as_matrix(cost, mdp.states(), mdp.actions()));
  }
  return out;
}

}  // namespace

std::optional<Infeasibility> prove_infeasible(const FiniteMdp& mdp, const Limits& limits) {
  const Excesses scaled = excesses(mdp, limits);
  const FeatureRewardRobust utility(scaled.rewards);
  const ProbabilitySimplex weights(limits.thresholds.size());
  const GlobalSolution least = envelope_minimum(mdp, utility, weights, {.tolerance = kAccuracy});
  const double rounding = std::min(kMostRounding, rounding_share(mdp.discount()));
  if (!(least.lower_bound > rounding) || least.witness.pieces.empty()) return std::nullopt;
  Infeasibility proof;
  proof.combination = Vector::Zero(limits.thresholds.size());
  for (const WitnessPiece& piece : least.witness.pieces) {
    proof.combination += piece.weight * piece.at->nature.cwiseQuotient(scaled.size);
  }
  proof.combination = proof.combination.cwiseMax(0.0);
  proof.combination /= proof.combination.sum();
  const Vector cost = limits.costs * proof.combination;
  PlannedBound bound = planned_bound(mdp, as_matrix(cost, mdp.states(), mdp.actions()),
                                     -limits.thresholds.dot(proof.combination));
  if (!(bound.bound > 0)) return std::nullopt;
  proof.excess = bound.bound;
  proof.potential = std::move(bound.value);
  return proof;
}

std::optional<Vector> unbounded_multipliers(const EnvelopeProblem& problem) {
  const auto program = EnvelopeProgram::of(problem, {.hard_limits = true});
  if (!program) return std::nullopt;
  const Index states = problem.mdp.states(), actions = problem.mdp.actions();
  const Matrix even =
      Matrix::Constant(states, actions, 1.0 / static_cast<double>(states * actions));
  const auto point = solve(*program, even, kAccuracy);
  if (!point) return std::nullopt;
  const AdversaryMixture mixture = program->adversary(*point).front();
  Vector mean = Vector::Zero(problem.utility.nature_dimension());
  for (std::size_t i = 0; i < mixture.weights.size(); ++i) {
    mean += mixture.weights[i] * mixture.members[i];
  }
  return mean;
}

}  // namespace rgu
