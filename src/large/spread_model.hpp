// A finite Markov decision process whose states are divided among the processes of a job: each owns
// a range of them, with their rows of the kernel. Where one process is the job, all are its own.
#pragma once

#include <memory>
#include <vector>

#include "rgu/base/ranks.hpp"
#include "rgu/mdp/world_slice.hpp"

namespace rgu {

// The states of one rank: ranges of nearly equal length, in the order of the ranks.
StateRange own_states(Index states, const Ranks& ranks);

// All ranks make it, and every call on it, together. Matrices over (state, action) and vectors over
// states hold the own states only.
class SpreadModel {
 public:
  // Needs a PetscSession. Throws InvalidInput, on all ranks, unless every slice is a proper one
  // (check_slice), of one world, the start sums to 1, and S * A and the entries of each rank fit
  // PETSc's 32-bit indices. Keeps a reference to the ranks.
  SpreadModel(WorldSlice slice, Ranks& ranks);
  ~SpreadModel();
  SpreadModel(const SpreadModel&) = delete;
  SpreadModel& operator=(const SpreadModel&) = delete;

  Index states() const { return states_; }  // of the whole model
  Index actions() const { return actions_; }
  StateRange own() const { return own_; }
  double discount() const { return discount_; }
  double transitions() const { return transitions_; }                        // of the whole model
  const Vector& start() const { return start_; }                             // (own)
  const std::map<std::string, Matrix>& signals() const { return signals_; }  // each (own, A)
  Ranks& ranks() const { return ranks_; }

  // (own, A): sum_{s'} P(s'|s,a) value(s'). value: (own).
  Matrix expected_next(const Vector& value) const;
  // (own): sum_{s,a} P(s'|s,a) mass(s,a). mass: (own, A).
  Vector push_forward(const Matrix& mass) const;

  struct Kernel;  // petsc_objects' side of it
  const Kernel& kernel() const { return *kernel_; }

 private:
  Index states_;
  Index actions_;
  StateRange own_;
  double discount_;
  double transitions_ = 0;
  Vector start_;
  std::map<std::string, Matrix> signals_;
  Ranks& ranks_;
  std::unique_ptr<Kernel> kernel_;
};

// The signal of this name, (own, A). Throws InvalidInput where there is none, with those there are.
const Matrix& signal_named(const SpreadModel& model, const std::string& name);

}  // namespace rgu
