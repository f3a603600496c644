// Monte-Carlo estimates from trajectories of a known model.
#pragma once

#include <functional>
#include <vector>

#include "rgu/base/philox_lanes.hpp"
#include "rgu/base/ranks.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/base/thread_pool.hpp"
#include "rgu/mdp/alias_table.hpp"
#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

// Rank 0: the other ranks return from TrajectorySampler::serve.
void end_service(Ranks& ranks);

struct BatchSize {
  Index trajectories = 256;  // m
  Index horizon = 50;        // H
};

// The transitions a batch draws: m H.
inline Index transitions(BatchSize batch) { return batch.trajectories * batch.horizon; }

// Every random number is named by (seed, stream, trajectory, step) and every sum has a fixed order,
// so results are the same to the last bit for any number of threads, and of ranks. Keeps references
// to the model, the pool and the ranks.
class TrajectorySampler {
 public:
  // O(transitions) once, for the alias tables. Throws InvalidInput if S * A does not fit 32 bits.
  // With several ranks, this is rank 0's: the others serve samplers of the same model. Results are
  // the same to the last bit for every set of instructions, which must be one of this CPU.
  TrajectorySampler(const FiniteMdp& mdp, ThreadPool& pool, Ranks& ranks = alone(),
                    InstructionSet instructions = instruction_set());

  const FiniteMdp& mdp() const { return mdp_; }

  // lambda_hat(s,a) = (1-g)/m sum_i sum_{h<H} g^h 1{s_ih = s, a_ih = a}, (S, A)
  // [RGU, Eq. occ_estimate].
  Matrix occupancy(const Matrix& pi, BatchSize batch, StreamFamily streams) const;

  // (1-g)/m sum_i sum_{h<H} R_ih 1{s_ih = s, a_ih = a} with R_ih = sum_{h<=t<H} g^t cost(s_it,
  // a_it), (S, A): the weights whose score, PolicyClass::score(theta, pi, weights), estimates the
  // gradient of <cost, lambda_theta> [RGU, Eq. theta_grad_estimate]. One pass back over each
  // trajectory: no double sum, no score per step.
  Matrix score_weights(const Matrix& pi, const Matrix& cost, BatchSize batch,
                       StreamFamily streams) const;

  // On every rank but 0: does its share of what samplers of rank 0 are asked for, until there
  // end_service is called.
  void serve() const;

 private:
  // A few trajectories that advance side by side, so that the waits for memory of one are filled
  // with the work of the others.
  struct Lanes;
  using Accumulate = std::function<void(const Lanes& lanes, double* sums)>;
  struct Task;  // all that a batch is made from

  // The average over a batch, on rank 0; its share of the sums elsewhere.
  Matrix average(const Task& task) const;
  Matrix sum_by_parts(const Task& task, const AliasTable& policy, const Accumulate& accumulate,
                      Index parts) const;
  Matrix sum_in_order(const Task& task, const AliasTable& policy,
                      const Accumulate& accumulate) const;
  void walk(const Task& task, const AliasTable& policy, Index group, Lanes& lanes) const;
  std::vector<double> step_weights(Index horizon) const;  // g^h
  void tell(const Task& task) const;
  static void end_service_of(Ranks& ranks);
  friend void end_service(Ranks& ranks);
  void simulate(const AliasTable& policy, StreamFamily streams, Lanes& lanes) const;

  const FiniteMdp& mdp_;
  ThreadPool& pool_;
  Ranks& ranks_;
  AliasTable start_;
  AliasTable kernel_;
  PhiloxKernel philox_;
  Walk walk_;  // null: the plain loop
};

}  // namespace rgu
