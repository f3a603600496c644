#include "rgu/mdp/sampler.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/large_array.hpp"
#include "rgu/mdp/policy.hpp"

namespace rgu {
namespace {

constexpr Index kLanes = kPhiloxLanes;

// Sums are taken in so many parts, whatever the number of threads and ranks: in more than kParts
// only where each has kParts groups to walk and all fit kMostSums numbers; with fewer than the
// least there would be too little to share.
constexpr Index kParts = 64;
constexpr Index kFewestParts = 8;
constexpr Index kMostSums = 1 << 24;
constexpr Index kGap = 16;  // two cache lines of doubles

AliasTable kernel_table(const FiniteMdp& mdp, ThreadPool& pool) {
  return std::visit([&](const auto& kernel) { return AliasTable(kernel, pool); }, mdp.kernel());
}

Index group_count(BatchSize batch) { return (batch.trajectories + kLanes - 1) / kLanes; }

// As many partial sums as pay for themselves: together no longer than the trajectories.
Index part_count(BatchSize batch, Index pairs) {
  const Index groups = group_count(batch);
  const Index affordable = std::max<Index>(transitions(batch), 1 << 12) / pairs;
  const Index most = std::max(kParts, std::min(groups / kParts, kMostSums / pairs));
  return std::min({groups, most, affordable});
}

// The pieces of a loop that one rank takes: stretches of nearly equal length, in order. The first
// piece is always rank 0's.
struct Shares {
  Index pieces = 0;
  Index ranks = 1;

  Index begin(Index rank) const { return (rank * pieces + ranks - 1) / ranks; }
  Index end(Index rank) const { return begin(rank + 1); }
  int owner(Index piece) const { return static_cast<int>(piece * ranks / pieces); }
};

// The sums of the parts that this rank takes, in one piece of memory: many small ones would be
// given back to the system and faulted in again in every batch.
class PartialSums {
 public:
  // Not initialised.
  PartialSums(const Shares& shares, Index rank, Index size)
      : first_(shares.begin(rank)),
        size_(size),
        stride_((size + kGap) / kGap * kGap),
        numbers_(static_cast<std::size_t>((shares.end(rank) - first_) * stride_)) {}

  std::span<double> of(Index part) {
    return {numbers_.data() + (part - first_) * stride_, static_cast<std::size_t>(size_)};
  }

 private:
  Index first_;
  Index size_;
  Index stride_;  // keeps two threads from writing to one cache line
  LargeArray<double> numbers_;
};

void add(std::span<const double> part, std::span<double> sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
}

constexpr Index kNumbersPerPiece = 1 << 15;  // of sums that threads add up; about 10 us

// The sum of part 0 becomes that of all, as a balanced tree: its shape, and so every bit, is the
// same whoever holds the parts.
void add_up(PartialSums& sums, Index size, Index parts, ThreadPool& pool) {
  const Index pieces = std::clamp<Index>(size * parts / kNumbersPerPiece, 1, size);
  pool.for_each(pieces, [&](Index piece) {
    const Index begin = piece * size / pieces, count = (piece + 1) * size / pieces - begin;
    for (Index stride = 1; stride < parts; stride *= 2) {
      for (Index i = 0; i + stride < parts; i += 2 * stride) {
        add(sums.of(i + stride).subspan(begin, count), sums.of(i).subspan(begin, count));
      }
    }
  });
}

// The same tree over several ranks.
void add_up(PartialSums& sums, Index size, const Shares& shares, Ranks& ranks) {
  std::vector<double> received(static_cast<std::size_t>(size));
  for (Index stride = 1; stride < shares.pieces; stride *= 2) {
    for (Index i = 0; i + stride < shares.pieces; i += 2 * stride) {
      const int to = shares.owner(i), from = shares.owner(i + stride);
      const bool takes = to == ranks.rank(), gives = from == ranks.rank();
      if (takes && gives) {
        add(sums.of(i + stride), sums.of(i));
      } else if (gives) {
        ranks.send(std::as_bytes(sums.of(i + stride)), to);
      } else if (takes) {
        ranks.receive(std::as_writable_bytes(std::span(received)), from);
        add(received, sums.of(i));
      }
    }
  }
}

// Null: none is better than the plain loop.
Walk walk_in(const AliasTable& kernel, [[maybe_unused]] InstructionSet set) {
  if (!kernel.fits_cache() || kernel.cells().width == 0) return nullptr;
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return walk_avx512;
  if (set == InstructionSet::kAvx2) return walk_avx2;
#endif
  return walk_portable;
}

}  // namespace

struct TrajectorySampler::Lanes {
  Index horizon = 0;
  Index count = 0;                  // lanes in use
  std::uint32_t trajectory = 0;     // of the first lane
  LargeArray<std::uint32_t> pairs;  // (horizon, kLanes): s * A + a at each step
  const double* weights = nullptr;  // (horizon): g^h
};

struct TrajectorySampler::Task {
  enum class Kind { kOccupancy, kScoreWeights, kEnd };

  Kind kind = Kind::kOccupancy;
  BatchSize batch = {};
  StreamFamily streams = {};
  Matrix pi = {};
  Matrix cost = {};  // of score weights
};

namespace {

// What is told of a task beside its matrices.
template <class Task>
struct TaskHead {
  typename Task::Kind kind;
  BatchSize batch;
  StreamFamily streams;
};

}  // namespace

TrajectorySampler::TrajectorySampler(const FiniteMdp& mdp, ThreadPool& pool, Ranks& ranks,
                                     InstructionSet instructions)
    : mdp_(mdp),
      pool_(pool),
      ranks_(ranks),
      start_(Matrix(mdp.start().transpose())),
      kernel_(kernel_table(mdp, pool)),
      philox_(philox_kernel(instructions)),
      walk_(walk_in(kernel_, instructions)) {
  check(mdp.states() * mdp.actions() <= std::numeric_limits<std::uint32_t>::max(),
        "model has {} state-action pairs, sampling takes at most {}", mdp.states() * mdp.actions(),
        std::numeric_limits<std::uint32_t>::max());
}

Matrix TrajectorySampler::occupancy(const Matrix& pi, BatchSize batch, StreamFamily streams) const {
  return average({.kind = Task::Kind::kOccupancy, .batch = batch, .streams = streams, .pi = pi});
}

Matrix TrajectorySampler::score_weights(const Matrix& pi, const Matrix& cost, BatchSize batch,
                                        StreamFamily streams) const {
  check_shape("cost", cost, {mdp_.states(), mdp_.actions()});
  return average({.kind = Task::Kind::kScoreWeights,
                  .batch = batch,
                  .streams = streams,
                  .pi = pi,
                  .cost = cost});
}

void TrajectorySampler::tell(const Task& task) const {
  if (ranks_.size() == 1 || !ranks_.leads()) return;
  TaskHead<Task> head{.kind = task.kind, .batch = task.batch, .streams = task.streams};
  broadcast(ranks_, head);
  for (const Matrix* matrix : {&task.pi, &task.cost}) {
    // What rank 0 has is only read.
    ranks_.broadcast(std::as_writable_bytes(
        std::span(const_cast<double*>(matrix->data()), static_cast<std::size_t>(matrix->size()))));
  }
}

void TrajectorySampler::serve() const {
  while (true) {
    TaskHead<Task> head{};
    broadcast(ranks_, head);
    if (head.kind == Task::Kind::kEnd) return;
    Task task{.kind = head.kind, .batch = head.batch, .streams = head.streams};
    task.pi.resize(mdp_.states(), mdp_.actions());
    if (task.kind == Task::Kind::kScoreWeights) task.cost.resize(mdp_.states(), mdp_.actions());
    for (Matrix* matrix : {&task.pi, &task.cost}) {
      ranks_.broadcast(std::as_writable_bytes(std::span(matrix->data(), matrix->size())));
    }
    average(task);
  }
}

void end_service(Ranks& ranks) {
  if (ranks.size() > 1) TrajectorySampler::end_service_of(ranks);
}

void TrajectorySampler::end_service_of(Ranks& ranks) {
  TaskHead<Task> head{.kind = Task::Kind::kEnd, .batch = {}, .streams = {}};
  broadcast(ranks, head);
}

Matrix TrajectorySampler::average(const Task& task) const {
  const BatchSize batch = task.batch;
  check_policy(task.pi, mdp_.states(), mdp_.actions());
  check_count("number of trajectories", batch.trajectories);
  check_count("horizon", batch.horizon);
  check(batch.trajectories <= std::numeric_limits<std::uint32_t>::max() &&
            batch.horizon < std::numeric_limits<std::uint32_t>::max(),
        "batch of {} trajectories of {} steps, each must be below 2^32", batch.trajectories,
        batch.horizon);
  tell(task);
  const AliasTable policy(task.pi, pool_);
  const auto add_visits = [](const Lanes& lanes, double* sums) {
    for (Index h = 0; h < lanes.horizon; ++h) {
      const std::uint32_t* pairs = &lanes.pairs[h * kLanes];
      for (Index j = 0; j < lanes.count; ++j) sums[pairs[j]] += lanes.weights[h];
    }
  };
  const auto add_costs_to_go = [&cost = task.cost](const Lanes& lanes, double* sums) {
    double to_go[kLanes] = {};  // R_h of each lane
    for (Index h = lanes.horizon; h-- > 0;) {
      const std::uint32_t* pairs = &lanes.pairs[h * kLanes];
      for (Index j = 0; j < lanes.count; ++j) {
        to_go[j] += lanes.weights[h] * cost.data()[pairs[j]];
        sums[pairs[j]] += to_go[j];
      }
    }
  };
  const Accumulate accumulate =
      task.kind == Task::Kind::kOccupancy ? Accumulate(add_visits) : Accumulate(add_costs_to_go);
  const Index parts = part_count(batch, task.pi.size());
  Matrix result = parts >= std::min(group_count(batch), kFewestParts)
                      ? sum_by_parts(task, policy, accumulate, parts)
                      : sum_in_order(task, policy, accumulate);
  result *= (1.0 - mdp_.discount()) / static_cast<double>(batch.trajectories);
  return result;
}

std::vector<double> TrajectorySampler::step_weights(Index horizon) const {
  std::vector<double> weights(static_cast<std::size_t>(horizon));
  double weight = 1.0;
  for (double& w : weights) w = std::exchange(weight, weight * mdp_.discount());
  return weights;
}

void TrajectorySampler::walk(const Task& task, const AliasTable& policy, Index group,
                             Lanes& lanes) const {
  lanes.trajectory = static_cast<std::uint32_t>(group * kLanes);
  lanes.count = std::min(kLanes, task.batch.trajectories - group * kLanes);
  simulate(policy, task.streams, lanes);
}

// Few pairs: each part has sums of its own.
Matrix TrajectorySampler::sum_by_parts(const Task& task, const AliasTable& policy,
                                       const Accumulate& accumulate, Index parts) const {
  const Index pairs = task.pi.size();
  const Index groups = group_count(task.batch);
  const std::vector<double> weights = step_weights(task.batch.horizon);
  const Shares shares{.pieces = parts, .ranks = ranks_.size()};
  const Index first = shares.begin(ranks_.rank());
  PartialSums sums(shares, ranks_.rank(), pairs);
  pool_.for_each(shares.end(ranks_.rank()) - first, [&](Index i) {
    const Index part = first + i;
    const std::span<double> sum = sums.of(part);
    std::ranges::fill(sum, 0.0);
    Lanes lanes{.horizon = task.batch.horizon,
                .pairs = LargeArray<std::uint32_t>(task.batch.horizon * kLanes),
                .weights = weights.data()};
    for (Index g = part * groups / parts; g < (part + 1) * groups / parts; ++g) {
      walk(task, policy, g, lanes);
      accumulate(lanes, sum.data());
    }
  });
  if (ranks_.size() == 1) {
    add_up(sums, pairs, parts, pool_);
  } else {
    add_up(sums, pairs, shares, ranks_);
  }
  if (!ranks_.leads()) return {};
  return Eigen::Map<const Matrix>(sums.of(0).data(), task.pi.rows(), task.pi.cols());
}

// Many pairs: threads and other ranks only walk, a few groups at a time; rank 0 takes the sums, in
// the order of the groups.
Matrix TrajectorySampler::sum_in_order(const Task& task, const AliasTable& policy,
                                       const Accumulate& accumulate) const {
  const Index groups = group_count(task.batch);
  const std::vector<double> weights = step_weights(task.batch.horizon);
  const Index most = std::min(groups, kParts * ranks_.size());
  const auto held = static_cast<std::size_t>(ranks_.leads() ? most : kParts);
  std::vector<Lanes> walked(held,
                            Lanes{.horizon = task.batch.horizon,
                                  .pairs = LargeArray<std::uint32_t>(task.batch.horizon * kLanes),
                                  .weights = weights.data()});
  Matrix result = Matrix::Zero(task.pi.rows(), task.pi.cols());
  for (Index first = 0; first < groups; first += most) {
    const Shares shares{.pieces = std::min(most, groups - first), .ranks = ranks_.size()};
    const Index begin = shares.begin(ranks_.rank()), end = shares.end(ranks_.rank());
    pool_.for_each(end - begin, [&](Index i) {
      walk(task, policy, first + begin + i, walked[static_cast<std::size_t>(i)]);
    });
    if (!ranks_.leads()) {
      for (Index i = 0; i < end - begin; ++i) {
        ranks_.send(std::as_bytes(std::span(walked[static_cast<std::size_t>(i)].pairs)), 0);
      }
      continue;
    }
    for (Index i = 0; i < shares.pieces; ++i) {
      Lanes& lanes = walked[static_cast<std::size_t>(i)];
      if (const int owner = shares.owner(i); owner != 0) {
        ranks_.receive(std::as_writable_bytes(std::span(lanes.pairs)), owner);
        lanes.count = std::min(kLanes, task.batch.trajectories - (first + i) * kLanes);
      }
      accumulate(lanes, result.data());
    }
  }
  return result;
}

void TrajectorySampler::simulate(const AliasTable& policy, StreamFamily streams,
                                 Lanes& lanes) const {
  const auto actions = static_cast<std::uint32_t>(mdp_.actions());
  std::uint64_t first[kLanes], second[kLanes];
  std::uint32_t state[kLanes];
  AliasTable::Cell cell[kLanes];
  philox::Request request{streams.seed, streams.stream, lanes.trajectory, 0};
  philox_(request, first, second);
  for (Index j = 0; j < kLanes; ++j) state[j] = start_.draw(0, first[j]);
  if (walk_ != nullptr) {
    request.counter = 1;
    walk_({.policy = policy.cells(), .kernel = kernel_.cells()}, request, lanes.horizon, state,
          lanes.pairs.data());
    return;
  }
  for (Index h = 0; h < lanes.horizon; ++h) {
    request.counter = static_cast<std::uint32_t>(h + 1);
    philox_(request, first, second);
    std::uint32_t* pairs = &lanes.pairs[h * kLanes];
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
