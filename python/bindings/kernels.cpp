#include "kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "rgu/base/check.hpp"

namespace rgu::python {
namespace {

using Indices = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

// The three arrays of a SciPy matrix, as they are where they fit.
struct Csr {
  Index rows = 0;
  Index columns = 0;
  Indices row_begin;
  Indices column;
  Doubles value;
};

// SciPy does not look again at arrays that were changed after it made the matrix.
void check_arrays(const Csr& csr, const char* name) {
  check(csr.row_begin.size() == csr.rows + 1 && csr.row_begin.data()[0] == 0 &&
            csr.row_begin.data()[csr.rows] == csr.value.size() &&
            csr.column.size() == csr.value.size(),
        "{}: the arrays of the sparse matrix do not fit each other ({} rows, {} row pointers, {} "
        "columns, {} values)",
        name, csr.rows, csr.row_begin.size(), csr.column.size(), csr.value.size());
  for (Index row = 0; row < csr.rows; ++row) {
    const std::int64_t* ends = csr.row_begin.data() + row;
    check(ends[0] <= ends[1] && ends[1] <= csr.value.size(),
          "{}: the row pointers of the sparse matrix do not ascend at row {}", name, row);
    for (std::int64_t j = ends[0]; j < ends[1]; ++j) {
      const std::int64_t column = csr.column.data()[j];
      check(column >= 0 && column < csr.columns,
            "{}: row {} of the sparse matrix has column {}, must be in 0 .. {}", name, row, column,
            csr.columns - 1);
    }
  }
}

Csr csr_from(py::handle value, const char* name) {
  py::object csr = value.attr("tocsr")();
  if (!csr.attr("has_sorted_indices").cast<bool>() ||
      !csr.attr("has_canonical_format").cast<bool>()) {
    csr = csr.attr("copy")();
    csr.attr("sum_duplicates")();
  }
  const auto shape = csr.attr("shape").cast<std::pair<Index, Index>>();
  for (const char* part : {"indptr", "indices", "data"}) {
    check_room(name, py::array(csr.attr(part)));
  }
  Csr made{.rows = shape.first,
           .columns = shape.second,
           .row_begin = Indices(csr.attr("indptr")),
           .column = Indices(csr.attr("indices")),
           .value = doubles(csr.attr("data"), name)};
  check_arrays(made, name);
  return made;
}

// The rows of A matrices (n, S), taken in turns: row i * A + a is row i of matrix a.
SparseMatrix interleaved(const std::vector<Csr>& parts) {
  const auto actions = static_cast<Index>(parts.size());
  const Index rows = parts.front().rows, states = parts.front().columns;
  Index entries = 0;
  for (const Csr& part : parts) entries += part.value.size();
  check(entries <= std::numeric_limits<std::int32_t>::max() &&
            states <= std::numeric_limits<std::int32_t>::max(),
        "transitions have {} entries and {} states, both must be fewer than 2^31", entries, states);
  SparseMatrix kernel(rows * actions, states);
  kernel.resizeNonZeros(entries);
  std::int32_t* begin = kernel.outerIndexPtr();
  std::int32_t* column = kernel.innerIndexPtr();
  double* value = kernel.valuePtr();
  Index at = 0;
  for (Index i = 0; i < rows; ++i) {
    for (Index a = 0; a < actions; ++a) {
      const Csr& part = parts[static_cast<std::size_t>(a)];
      begin[i * actions + a] = static_cast<std::int32_t>(at);
      const std::int64_t* row = part.row_begin.data() + i;
      for (std::int64_t j = row[0]; j < row[1]; ++j, ++at) {
        column[at] = static_cast<std::int32_t>(part.column.data()[j]);
        value[at] = part.value.data()[j];
      }
    }
  }
  begin[rows * actions] = static_cast<std::int32_t>(at);
  return kernel;
}

TransitionKernel dense_kernel(py::handle transitions) {
  const Doubles array = doubles(transitions, "transitions");
  if (array.ndim() == 3) {
    check(array.shape(0) == array.shape(2), "transitions have shape {}, must be (S, A, S)",
          shape_text(array));
    return Matrix(
        Eigen::Map<const Matrix>(array.data(), array.shape(0) * array.shape(1), array.shape(2)));
  }
  check(array.ndim() == 2, "transitions have shape {}, must be (S, A, S) or (S * A, S)",
        shape_text(array));
  return Matrix(Eigen::Map<const Matrix>(array.data(), array.shape(0), array.shape(1)));
}

TransitionKernel kernel_per_action(const py::sequence& matrices) {
  std::vector<Csr> parts;
  for (const py::handle matrix : matrices) {
    check(is_sparse(matrix), "transitions: entry {} of the list is no SciPy sparse matrix",
          parts.size());
    parts.push_back(csr_from(matrix, "transitions"));
    const Csr& part = parts.back();
    check(part.rows == part.columns && part.columns == parts.front().columns,
          "transitions: the matrix of action {} has shape ({}, {}), must be (S, S) with S = {}",
          parts.size() - 1, part.rows, part.columns, parts.front().columns);
  }
  return interleaved(parts);
}

struct Outcome {
  double probability = 0;
  Index next = 0;
  double reward = 0;
  bool terminated = false;
};

// P[s][a], with messages that name s and a.
std::vector<Outcome> outcomes_of(const py::object& entries, Index s, Index a, Index states) {
  std::vector<Outcome> outcomes;
  for (const py::handle entry : entries) {
    const auto tuple = py::reinterpret_borrow<py::sequence>(entry);
    check(py::isinstance<py::sequence>(entry) && tuple.size() == 4,
          "P[{}][{}][{}] is no (probability, next state, reward, terminated)", s, a,
          outcomes.size());
    Outcome outcome;
    try {
      outcome = {.probability = tuple[0].cast<double>(),
                 .next = tuple[1].cast<Index>(),
                 .reward = tuple[2].cast<double>(),
                 .terminated = py::bool_(tuple[3]).cast<bool>()};
    } catch (const py::cast_error&) {
      throw InvalidInput(fmt::format("P[{}][{}][{}] is {}, must be four numbers", s, a,
                                     outcomes.size(), std::string(py::repr(entry))));
    }
    check(outcome.next >= 0 && outcome.next < states,
          "P[{}][{}][{}] leads to state {}, must be in 0 .. {}", s, a, outcomes.size(),
          outcome.next, states - 1);
    outcomes.push_back(outcome);
  }
  return outcomes;
}

// P as rows s * A + a.
struct Table {
  Index states = 0;
  Index actions = 0;
  std::vector<std::vector<Outcome>> rows;
};

py::object entry_of(const py::dict& table, Index key, const std::string& what) {
  const py::int_ index(key);
  check(table.contains(index), "{} is missing: keys must be 0, 1, .. without gaps", what);
  return table[index];
}

Table table_of(const py::dict& dictionary) {
  Table table{.states = gymnasium_states(dictionary), .actions = 0, .rows = {}};
  for (Index s = 0; s < table.states; ++s) {
    const py::object of_state = entry_of(dictionary, s, fmt::format("P[{}]", s));
    check(py::isinstance<py::dict>(of_state), "P[{}] is no dictionary of actions", s);
    const auto actions = py::reinterpret_borrow<py::dict>(of_state);
    if (s == 0) table.actions = static_cast<Index>(actions.size());
    check(static_cast<Index>(actions.size()) == table.actions && table.actions > 0,
          "P[{}] has {} actions, must have the {} of P[0] and at least one", s, actions.size(),
          table.actions);
    for (Index a = 0; a < table.actions; ++a) {
      table.rows.push_back(
          outcomes_of(entry_of(actions, a, fmt::format("P[{}][{}]", s, a)), s, a, table.states));
    }
  }
  return table;
}

// Which states are entered by transitions that end an episode. A loop at a state that is entered so
// is what environments write there, and counts as neither.
std::vector<bool> absorbing_states(const Table& table) {
  std::vector<bool> ending(static_cast<std::size_t>(table.states), false);
  for (const auto& row : table.rows) {
    for (const Outcome& outcome : row) {
      if (outcome.terminated && outcome.probability > 0) {
        ending[static_cast<std::size_t>(outcome.next)] = true;
      }
    }
  }
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const Index from = static_cast<Index>(row) / table.actions;
    for (const Outcome& outcome : table.rows[row]) {
      check(outcome.terminated || outcome.probability == 0 || outcome.next == from ||
                ending[static_cast<std::size_t>(from)] ||
                !ending[static_cast<std::size_t>(outcome.next)],
            "state {} is entered by transitions that end the episode and, from state {}, by one "
            "that does not: use terminal=\"extra\" or \"restart\"",
            outcome.next, from);
    }
  }
  return ending;
}

}  // namespace

bool is_sparse(py::handle value) {
  return py::hasattr(value, "tocsr") && py::hasattr(value, "shape");
}

TransitionKernel kernel_from(py::handle transitions) {
  if (is_sparse(transitions)) return interleaved({csr_from(transitions, "transitions")});
  const bool is_list =
      py::isinstance<py::list>(transitions) || py::isinstance<py::tuple>(transitions);
  if (is_list && py::len(transitions) > 0 && is_sparse(transitions[py::int_(0)])) {
    return kernel_per_action(py::reinterpret_borrow<py::sequence>(transitions));
  }
  return dense_kernel(transitions);
}

Terminal terminal_named(const std::string& name) {
  if (name == "absorb") return Terminal::kAbsorb;
  if (name == "extra") return Terminal::kExtra;
  check(name == "restart", "terminal is \"{}\", must be \"absorb\", \"extra\" or \"restart\"",
        name);
  return Terminal::kRestart;
}

Index gymnasium_states(const py::dict& table) {
  const auto states = static_cast<Index>(table.size());
  check_count("number of states in P", states);
  return states;
}

GymnasiumModel gymnasium_model(const py::dict& dictionary, const Vector& start, Terminal terminal) {
  const Table table = table_of(dictionary);
  const bool extra = terminal == Terminal::kExtra;
  const Index states = table.states + (extra ? 1 : 0);
  check_size("start distribution", start.size(), table.states);
  std::vector<bool> absorbing(static_cast<std::size_t>(states), false);
  if (terminal == Terminal::kAbsorb) absorbing = absorbing_states(table);
  if (extra) absorbing.back() = true;
  GymnasiumModel model{.kernel = SparseMatrix(states * table.actions, states),
                       .reward = Matrix::Zero(states, table.actions)};
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  const auto put = [&](Index row, Index next, double probability) {
    if (probability != 0) {
      entries.emplace_back(static_cast<std::int32_t>(row), static_cast<std::int32_t>(next),
                           probability);
    }
  };
  for (Index row = 0; row < states * table.actions; ++row) {
    const Index s = row / table.actions;
    if (absorbing[static_cast<std::size_t>(s)]) {
      put(row, s, 1);
      continue;
    }
    for (const Outcome& outcome : table.rows[static_cast<std::size_t>(row)]) {
      model.reward(s, row % table.actions) += outcome.probability * outcome.reward;
      if (!outcome.terminated || terminal == Terminal::kAbsorb) {
        put(row, outcome.next, outcome.probability);
      } else if (extra) {
        put(row, states - 1, outcome.probability);
      } else {
        for (Index next = 0; next < states; ++next) {
          put(row, next, outcome.probability * start(next));
        }
      }
    }
  }
  model.kernel.setFromTriplets(entries.begin(), entries.end());
  return model;
}

}  // namespace rgu::python
