#include "rgu/mdp/sampler.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/philox_lanes.hpp"
#include "rgu/mdp/policy.hpp"

namespace rgu {
namespace {

constexpr Index kLanes = kPhiloxLanes;

// Sums are taken in this many parts at most, whatever the number of threads; with fewer than the
// least there would be too little to share.
constexpr Index kParts = 64;
constexpr Index kFewestParts = 8;
constexpr Index kGap = 16;  // two cache lines of doubles

AliasTable kernel_table(const FiniteMdp& mdp) {
  return std::visit([](const auto& kernel) { return AliasTable(kernel); }, mdp.kernel());
}

// For this CPU; null: none better than the plain loop.
WalkStep walk_step() {
#if defined(__x86_64__)
  static const bool has_avx512 = __builtin_cpu_supports("avx512f") != 0;
  if (has_avx512) return walk_step_avx512;
#endif
  return nullptr;
}

}  // namespace

struct TrajectorySampler::Lanes {
  Index horizon = 0;
  Index count = 0;                   // lanes in use
  std::uint32_t trajectory = 0;      // of the first lane
  std::vector<std::uint32_t> pairs;  // (horizon, kLanes): s * A + a at each step
  const double* weights = nullptr;   // (horizon): g^h
};

TrajectorySampler::TrajectorySampler(const FiniteMdp& mdp, ThreadPool& pool)
    : mdp_(mdp), pool_(pool), start_(Matrix(mdp.start().transpose())), kernel_(kernel_table(mdp)) {
  check(mdp.states() * mdp.actions() <= std::numeric_limits<std::uint32_t>::max(),
        "model has {} state-action pairs, sampling takes at most {}", mdp.states() * mdp.actions(),
        std::numeric_limits<std::uint32_t>::max());
}

Matrix TrajectorySampler::occupancy(const Matrix& pi, BatchSize batch, StreamFamily streams) const {
  return average(pi, batch, streams, [](const Lanes& lanes, double* sums) {
    for (Index h = 0; h < lanes.horizon; ++h) {
      const std::uint32_t* pairs = &lanes.pairs[h * kLanes];
      for (Index j = 0; j < lanes.count; ++j) sums[pairs[j]] += lanes.weights[h];
    }
  });
}

Matrix TrajectorySampler::score_weights(const Matrix& pi, const Matrix& cost, BatchSize batch,
                                        StreamFamily streams) const {
  check_shape("cost", cost, {mdp_.states(), mdp_.actions()});
  return average(pi, batch, streams, [&](const Lanes& lanes, double* sums) {
    double to_go[kLanes] = {};  // R_h of each lane
    for (Index h = lanes.horizon; h-- > 0;) {
      const std::uint32_t* pairs = &lanes.pairs[h * kLanes];
      for (Index j = 0; j < lanes.count; ++j) {
        to_go[j] += lanes.weights[h] * cost.data()[pairs[j]];
        sums[pairs[j]] += to_go[j];
      }
    }
  });
}

Matrix TrajectorySampler::average(const Matrix& pi, BatchSize batch, StreamFamily streams,
                                  const Accumulate& accumulate) const {
  check_policy(pi, mdp_.states(), mdp_.actions());
  check_count("number of trajectories", batch.trajectories);
  check_count("horizon", batch.horizon);
  check(batch.trajectories <= std::numeric_limits<std::uint32_t>::max() &&
            batch.horizon < std::numeric_limits<std::uint32_t>::max(),
        "batch of {} trajectories of {} steps, each must be below 2^32", batch.trajectories,
        batch.horizon);
  const AliasTable policy(pi);
  std::vector<double> weights(static_cast<std::size_t>(batch.horizon));
  double weight = 1.0;
  for (double& w : weights) w = std::exchange(weight, weight * mdp_.discount());

  const Index pairs = pi.size();
  const Index groups = (batch.trajectories + kLanes - 1) / kLanes;
  // As many partial sums as pay for themselves: together no longer than the trajectories.
  const Index affordable = std::max<Index>(batch.trajectories * batch.horizon, 1 << 12) / pairs;
  const Index parts = std::min(groups, std::min(kParts, affordable));
  const auto lanes_of = [&](Index group, Lanes& lanes) {
    lanes.trajectory = static_cast<std::uint32_t>(group * kLanes);
    lanes.count = std::min(kLanes, batch.trajectories - group * kLanes);
    simulate(policy, streams, lanes);
  };
  const auto fresh_lanes = [&] {
    return Lanes{.horizon = batch.horizon,
                 .pairs = std::vector<std::uint32_t>(batch.horizon * kLanes),
                 .weights = weights.data()};
  };

  Matrix result = Matrix::Zero(pi.rows(), pi.cols());
  if (parts >= std::min(groups, kFewestParts)) {
    // Few pairs: each part has sums of its own, added up in the order of the parts.
    std::vector<Vector> sums(static_cast<std::size_t>(parts));
    pool_.for_each(parts, [&](Index part) {
      // The gap keeps two threads from writing to one cache line.
      sums[part] = Vector::Zero(pairs + kGap);
      Lanes lanes = fresh_lanes();
      for (Index g = part * groups / parts; g < (part + 1) * groups / parts; ++g) {
        lanes_of(g, lanes);
        accumulate(lanes, sums[part].data());
      }
    });
    for (const Vector& sum : sums) Eigen::Map<Vector>(result.data(), pairs) += sum.head(pairs);
  } else {
    // Many pairs: the threads only walk, a few groups at a time; the sums are taken here.
    std::vector<Lanes> walked(static_cast<std::size_t>(std::min(groups, kParts)), fresh_lanes());
    const auto most = static_cast<Index>(walked.size());
    for (Index first = 0; first < groups; first += most) {
      const Index count = std::min(most, groups - first);
      pool_.for_each(count, [&](Index i) { lanes_of(first + i, walked[i]); });
      for (Index i = 0; i < count; ++i) accumulate(walked[i], result.data());
    }
  }
  result *= (1.0 - mdp_.discount()) / static_cast<double>(batch.trajectories);
  return result;
}

void TrajectorySampler::simulate(const AliasTable& policy, StreamFamily streams,
                                 Lanes& lanes) const {
  const auto actions = static_cast<std::uint32_t>(mdp_.actions());
  std::uint64_t first[kLanes], second[kLanes];
  std::uint32_t state[kLanes];
  AliasTable::Cell cell[kLanes];
  philox_lanes(streams, lanes.trajectory, 0, first, second);
  for (Index j = 0; j < kLanes; ++j) state[j] = start_.draw(0, first[j]);
  const WalkTables tables{.policy = policy.cells(), .kernel = kernel_.cells(), .actions = actions};
  const WalkStep step = kernel_.fits_cache() && tables.kernel.width > 0 ? walk_step() : nullptr;
  for (Index h = 0; h < lanes.horizon; ++h) {
    philox_lanes(streams, lanes.trajectory, static_cast<std::uint32_t>(h + 1), first, second);
    std::uint32_t* pairs = &lanes.pairs[h * kLanes];
    if (step != nullptr) {
      step(tables, kLanes, first, second, state, pairs);
      continue;
    }
    for (Index j = 0; j < lanes.count; ++j) {
      pairs[j] = state[j] * actions + policy.draw(state[j], first[j]);
    }
    if (kernel_.fits_cache()) {
      for (Index j = 0; j < lanes.count; ++j) state[j] = kernel_.draw(pairs[j], second[j]);
      continue;
    }
    for (Index j = 0; j < lanes.count; ++j) {
      cell[j] = kernel_.locate(pairs[j], second[j]);
      kernel_.prefetch(cell[j]);
    }
    for (Index j = 0; j < lanes.count; ++j) state[j] = kernel_.outcome(pairs[j], cell[j]);
  }
}

}  // namespace rgu
