// One problem, one seed: solved and measured, in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "rgu/base/ranks.hpp"
#include "rgu/base/thread_pool.hpp"
#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"
#include "rgu/experiment/policy_facts.hpp"
#include "rgu/record/run_files.hpp"
#include "rgu/solver/loop.hpp"

namespace rgu {

class SeedRun {
 public:
  // Makes the instance. `pool` and `ranks` serve sampling; results do not depend on them. Throws
  // InvalidInput where the parts of the config do not fit each other.
  SeedRun(const ProblemConfig& config, std::uint64_t seed, ThreadPool& pool,
          Ranks& ranks = alone());
  // The same with an instance that is there already: of the config only [gradient], [solver] and
  // [stopping] are looked at.
  SeedRun(const ProblemConfig& config, std::uint64_t seed, Instance instance, ThreadPool& pool,
          Ranks& ranks = alone());
  ~SeedRun();
  SeedRun(const SeedRun&) = delete;
  SeedRun& operator=(const SeedRun&) = delete;

  const Instance& instance() const;
  // The problem with the method chosen and its steps settled (theory_schedule.hpp).
  const ProblemConfig& config() const;

  // What a state has to offer, (S, A): the policy of the averages where the method averages, else
  // of the last iterate.
  Matrix policy_of(const SolverState& state) const;

  // Where a run of this seed begins.
  SolverState start() const;

  // Iterates by the configured method from `state`.
  SolverResult solve(SolverState state, const Observer& observe);

  // The same from the start, with nothing recorded; kInterrupted once `interrupt`, if any, is set.
  SolverResult train(const std::atomic<bool>* interrupt);

  // The metrics after an iteration, by exact gradients.
  Metrics measure(const Iteration& iteration);

  // What stands in the record at the end, with the worst case searched as hard as by default.
  SeedFiles conclude(const SolverResult& result);

  // Adds how the policy pi (S, A), trained without ambiguity, does in this problem.
  void add_baseline(const Matrix& pi, SeedFiles& files) const;

  // Adds how the policy pi (S, A) of the published method does in this problem.
  void add_published(const Matrix& pi, SeedFiles& files) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rgu
