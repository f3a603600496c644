// Every utility on dense and sparse models with tabular and log-linear policies: what the laws of
// the oracles run over.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "laws/models.hpp"
#include "rgu/mdp/softmax.hpp"
#include "rgu/saddle/saddle_problem.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/target.hpp"
#include "rgu/utility/variance.hpp"

namespace rgu {

struct ProblemCase {
  std::string name;
  std::shared_ptr<const FiniteMdp> mdp;
  std::shared_ptr<const PolicyClass> policy;
  std::shared_ptr<const Utility> utility;
};

inline void PrintTo(const ProblemCase& problem, std::ostream* out) { *out << problem.name; }

// theta of spread 1; xi positive, so that it may also be a target.
inline SaddlePoint random_point(const ProblemCase& problem, Rng& rng) {
  return {
      normal_vector(problem.policy->dimension(), rng),
      (normal_vector(problem.utility->nature_dimension(), rng).cwiseAbs().array() + 0.1).matrix()};
}

struct NamedUtility {
  std::string name;
  std::shared_ptr<const Utility> utility;
};

// Each utility of the library on S x A.
inline std::vector<NamedUtility> every_utility(Index states, Index actions, std::uint64_t seed) {
  Rng rng(seed);
  const auto random = [&](Index rows, Index columns) -> Matrix {
    return Matrix::NullaryExpr(rows, columns, [&] { return rng.normal(); });
  };
  const auto cost = [&] { return random(states, actions); };
  const OccupancyShape shape{.states = states, .actions = actions};
  const auto robust = std::make_shared<RewardRobust>(shape);
  const auto entropy = std::make_shared<Entropy>(EntropyOptions{.shape = shape});
  const auto drift = [&](double smoothing) {
    return std::make_shared<Drift>(DriftOptions{.actions = actions,
                                                .features = random(states * actions, 4),
                                                .dimension = 2,
                                                .smoothing = smoothing});
  };
  return {
      {"Reward", std::make_shared<LinearReward>(cost())},
      {"RewardRobust", robust},
      {"FeatureRewardRobust",
       std::make_shared<FeatureRewardRobust>(std::vector<Matrix>{cost(), cost(), cost()})},
      {"Constrained", std::make_shared<Constrained>(
                          ConstrainedCosts{cost(), {cost(), cost()}, Vector{{0.1, -0.2}}})},
      {"EntropyOfStates", entropy},
      {"EntropyOfPairs",
       std::make_shared<Entropy>(EntropyOptions{.shape = shape, .over = Marginal::kStateActions})},
      {"KlTarget", std::make_shared<KlTarget>(KlTargetOptions{.shape = shape})},
      {"QuadraticTarget", std::make_shared<QuadraticTarget>(shape)},
      {"Drift", drift(0)},
      {"DriftSmoothed", drift(20)},
      {"Variance", std::make_shared<Variance>(VarianceOptions{{cost(), cost()}, 0.7})},
      {"Sum", std::make_shared<Sum>(std::vector<WeightedUtility>{{0.5, robust}, {2.0, entropy}})},
      {"Regularized", std::make_shared<NatureRegularized>(
                          robust, NatureRegularization{0.3, Vector::Zero(states * actions)})}};
}

inline std::vector<ProblemCase> problem_cases() {
  const auto dense = std::make_shared<FiniteMdp>(testing_models::random_dense(5, 3, 0.95, 41));
  const auto sparse = std::make_shared<FiniteMdp>(testing_models::random_sparse(6, 2, 0.9, 42));
  const auto tabular = std::make_shared<TabularSoftmax>(TabularSoftmax::Sizes{5, 3});
  Rng rng(43);
  const auto linear = std::make_shared<LogLinearSoftmax>(
      Matrix(Matrix::NullaryExpr(12, 4, [&] { return rng.normal(); })), 2);
  std::vector<ProblemCase> cases;
  for (const auto& [name, utility] : every_utility(5, 3, 44)) {
    cases.push_back({name + "OnDenseTabular", dense, tabular, utility});
  }
  for (const auto& [name, utility] : every_utility(6, 2, 45)) {
    cases.push_back({name + "OnSparseLogLinear", sparse, linear, utility});
  }
  return cases;
}

}  // namespace rgu
