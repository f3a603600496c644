// Transition kernels from what Python people have: dense arrays, SciPy matrices, Gymnasium's
// dictionaries.
#pragma once

#include <string>

#include "arrays.hpp"
#include "rgu/mdp/finite_mdp.hpp"

namespace rgu::python {

// (S, A, S) or (S * A, S) dense; one SciPy sparse matrix (S * A, S); a list of A of them, (S, S)
// each. A sparse one is never made dense.
TransitionKernel kernel_from(py::handle transitions);

// Is it a SciPy sparse matrix? Some of those are dictionaries too.
bool is_sparse(py::handle value);

// What happens at a transition that ends an episode.
enum class Terminal {
  kAbsorb,   // the state it enters holds for ever, without reward
  kExtra,    // it enters a state more, number S, which holds for ever, without reward
  kRestart,  // it begins anew by the start distribution
};
Terminal terminal_named(const std::string& name);

struct GymnasiumModel {
  SparseMatrix kernel;  // (S * A, S)
  Matrix reward;        // (S, A): expected
};

// P[s][a] = [(probability, next state, reward, terminated), ..]. start: (S), for kRestart. With
// kAbsorb throws InvalidInput where a state is entered by both kinds of transitions: what it does
// next would depend on the way it was reached.
GymnasiumModel gymnasium_model(const py::dict& table, const Vector& start, Terminal terminal);
Index gymnasium_states(const py::dict& table);

}  // namespace rgu::python
