// Models: FiniteMdp, World, files, and what follows from playing a policy.
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "kernels.hpp"
#include "module.hpp"
#include "rgu/base/check.hpp"
#include "rgu/mdp/io/world_file.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/planning.hpp"
#include "rgu/mdp/world.hpp"

namespace rgu::python {
namespace {

std::string model_text(const FiniteMdp& mdp) {
  return fmt::format("FiniteMdp(states={}, actions={}, transitions={}, discount={}, {})",
                     mdp.states(), mdp.actions(), mdp.transitions(), mdp.discount(),
                     mdp.is_sparse() ? "sparse" : "dense");
}

Vector start_from(py::handle start, Index states) {
  if (start.is_none()) return Vector::Constant(states, 1.0 / static_cast<double>(states));
  return vector_from(start, "start");
}

World gymnasium_world(const py::dict& table, py::handle start, double discount,
                      const std::string& terminal) {
  Vector rho = start_from(start, gymnasium_states(table));
  GymnasiumModel model = gymnasium_model(table, rho, terminal_named(terminal));
  check_finite("expected reward", model.reward);
  const Index states = model.kernel.cols();
  rho.conservativeResizeLike(Vector::Zero(states));
  return {.mdp = FiniteMdp(std::move(model.kernel), std::move(rho), discount),
          .signals = {{"reward", std::move(model.reward)}}};
}

FiniteMdp model_from(py::object transitions, py::object start, double discount,
                     const std::string& terminal) {
  if (py::isinstance<py::dict>(transitions) && !is_sparse(transitions)) {
    return gymnasium_world(transitions, start, discount, terminal).mdp;
  }
  TransitionKernel kernel = kernel_from(transitions);
  const auto [rows, states] =
      std::visit([](const auto& p) { return std::pair(p.rows(), p.cols()); }, kernel);
  // Before anything has the size of `states`, which a sparse matrix may claim for nothing.
  check(states > 0 && rows > 0 && rows % states == 0,
        "kernel has {} rows for {} states, must have S * A rows with A >= 1", rows, states);
  Vector rho = start_from(start, states);
  const py::gil_scoped_release release;
  return FiniteMdp(std::move(kernel), std::move(rho), discount);
}

py::object kernel_of(py::object self) {
  const auto& mdp = self.cast<const FiniteMdp&>();
  if (!mdp.is_sparse()) {
    return view_of(mdp.dense_kernel().data(), {mdp.states(), mdp.actions(), mdp.states()}, self);
  }
  const SparseMatrix& kernel = mdp.sparse_kernel();
  const auto view = [&](const auto* data, Index size) {
    py::array_t<std::remove_cvref_t<decltype(*data)>> array({size}, data, self);
    array.attr("setflags")(py::arg("write") = false);
    return array;
  };
  return py::module_::import("scipy.sparse")
      .attr("csr_matrix")(py::make_tuple(view(kernel.valuePtr(), kernel.nonZeros()),
                                         view(kernel.innerIndexPtr(), kernel.nonZeros()),
                                         view(kernel.outerIndexPtr(), kernel.rows() + 1)),
                          py::arg("shape") = py::make_tuple(kernel.rows(), kernel.cols()),
                          py::arg("copy") = false);
}

World world_from(const FiniteMdp& mdp, const py::dict& signals) {
  World world{.mdp = mdp};
  for (const auto& [name, signal] : signals) {
    if (!py::isinstance<py::str>(name)) throw py::type_error("signals: names must be strings");
    const auto text = name.cast<std::string>();
    Matrix matrix = matrix_from(signal, text.c_str());
    check_shape("signal " + text, matrix, {mdp.states(), mdp.actions()});
    check_finite("signal " + text, matrix);
    world.signals.emplace(text, std::move(matrix));
  }
  return world;
}

template <class Choice>
Choice chosen(const char* what, const std::string& name,
              std::initializer_list<std::pair<const char*, Choice>> choices) {
  std::string known;
  for (const auto& [text, choice] : choices) {
    if (name == text) return choice;
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", text);
  }
  throw InvalidInput(fmt::format("{} is \"{}\", must be one of {}", what, name, known));
}

World world_of_file(const std::filesystem::path& path, std::optional<double> discount,
                    py::object start, const std::string& missing_actions,
                    const std::string& dead_states) {
  ReadOptions options{.discount = discount};
  if (!start.is_none()) options.start = vector_from(start, "start");
  options.missing_actions = chosen<MissingActions>("missing_actions", missing_actions,
                                                   {{"error", MissingActions::kError},
                                                    {"repeat-first", MissingActions::kRepeatFirst},
                                                    {"repeat-last", MissingActions::kRepeatLast}});
  options.dead_states = chosen<DeadStates>(
      "dead_states", dead_states, {{"error", DeadStates::kError}, {"absorb", DeadStates::kAbsorb}});
  const py::gil_scoped_release release;
  return read_world(path, options);
}

void bind_mdp(py::module_& m) {
  py::class_<FiniteMdp, std::shared_ptr<FiniteMdp>>(
      m, "FiniteMdp", R"(A finite Markov decision process without a reward.

transitions: P(s'|s,a) as one of
  a dense array (S, A, S) or (S * A, S), row s * A + a;
  a SciPy sparse matrix (S * A, S), or a list of A of them, each (S, S); never made dense;
  a Gymnasium dictionary P[s][a] = [(probability, next state, reward, terminated), ..]. The
    rewards are left out: World.from_gymnasium keeps them, and says what `terminal` does.
start: (S,), the start distribution; None is uniform.
discount: strictly between 0 and 1.

Every probability must be finite and >= 0 and every row sum to 1 within 1e-9. Nothing is
renormalised.

>>> mdp = rgu.FiniteMdp([[[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]]], [1.0, 0.0], 0.9)
>>> mdp
FiniteMdp(states=2, actions=2, transitions=8, discount=0.9, dense)
)")
      .def(py::init([](py::object transitions, py::object start, double discount,
                       const std::string& terminal) {
             return std::make_shared<FiniteMdp>(model_from(transitions, start, discount, terminal));
           }),
           py::arg("transitions"), py::arg("start"), py::arg("discount"), py::kw_only(),
           py::arg("terminal") = "absorb")
      .def_property_readonly("states", &FiniteMdp::states, "S.")
      .def_property_readonly("actions", &FiniteMdp::actions, "A.")
      .def_property_readonly("discount", &FiniteMdp::discount, "Between 0 and 1.")
      .def_property_readonly("transitions", &FiniteMdp::transitions,
                             "Number of stored entries of the kernel.")
      .def_property_readonly("is_sparse", &FiniteMdp::is_sparse, "Is the kernel sparse?")
      .def_property_readonly(
          "start",
          [](py::object self) { return view_of(self.cast<const FiniteMdp&>().start(), self); },
          "(S,), a read-only view.")
      .def_property_readonly("kernel", &kernel_of,
                             "Read-only view: dense (S, A, S), or a SciPy CSR matrix (S * A, S).")
      .def("__repr__", &model_text);
}

void bind_world(py::module_& m) {
  py::class_<World, std::shared_ptr<World>>(
      m, "World", R"(A model together with named functions of (state, action).

signals: a dictionary of (S, A) arrays, such as {"reward": r}.

>>> world = rgu.generators.river_swim()
>>> sorted(world.signals)
['reward']
)")
      .def(py::init([](const FiniteMdp& mdp, const py::dict& signals) {
             return std::make_shared<World>(world_from(mdp, signals));
           }),
           py::arg("mdp"), py::arg("signals") = py::dict())
      .def_static(
          "from_gymnasium",
          [](const py::dict& table, py::object start, double discount,
             const std::string& terminal) {
            return std::make_shared<World>(gymnasium_world(table, start, discount, terminal));
          },
          py::arg("table"), py::arg("start"), py::arg("discount"), py::kw_only(),
          py::arg("terminal") = "absorb",
          R"(The model of a Gymnasium environment's `env.unwrapped.P`.

table: P[s][a] = [(probability, next state, reward, terminated), ..].
start: (S,), such as env.unwrapped.initial_state_distrib; None is uniform.
terminal: what a transition with terminated = True does.
  "absorb"   the state it enters holds for ever, without reward. Refused where the same state is
             also entered without ending;
  "extra"    it enters one state more, number S, which holds for ever, without reward;
  "restart"  it begins anew by the start distribution.

The signal "reward" is the expected reward, (S, A).

>>> P = {0: {0: [(1.0, 1, 5.0, True)]}, 1: {0: [(1.0, 1, 0.0, True)]}}
>>> world = rgu.World.from_gymnasium(P, [1.0, 0.0], 0.9)
>>> world.signals["reward"].ravel()
array([5., 0.])
)")
      .def_property_readonly(
          "mdp", [](const World& world) { return std::make_shared<FiniteMdp>(world.mdp); },
          "The FiniteMdp.")
      .def_property_readonly(
          "signals",
          [](py::object self) {
            py::dict signals;
            for (const auto& [name, signal] : self.cast<const World&>().signals) {
              signals[py::str(name)] = view_of(signal, self);
            }
            return py::module_::import("types").attr("MappingProxyType")(signals);
          },
          "Names and (S, A) arrays; a mapping that cannot be changed, of read-only views.")
      .def("__repr__", [](const World& world) {
        std::string names;
        for (const auto& [name, signal] : world.signals) {
          names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name);
        }
        return fmt::format("World({}, signals=[{}])", model_text(world.mdp), names);
      });
  m.def(
      "read_world",
      [](const std::filesystem::path& path, std::optional<double> discount, py::object start,
         const std::string& missing_actions, const std::string& dead_states) {
        return std::make_shared<World>(
            world_of_file(path, discount, start, missing_actions, dead_states));
      },
      py::arg("path"), py::arg("discount") = py::none(), py::arg("start") = py::none(),
      py::kw_only(), py::arg("missing_actions") = "error", py::arg("dead_states") = "error",
      R"(A world from a file: .rgum, .json, .csv or .tra (PRISM).

discount, start (S,): used in place of what the file says; .csv and .tra need a discount.
missing_actions: "error", "repeat-first" or "repeat-last"; dead_states: "error" or "absorb".

>>> import tempfile, os
>>> path = os.path.join(tempfile.mkdtemp(), "river.json")
>>> rgu.write_world(path, rgu.generators.river_swim())
>>> rgu.read_world(path).mdp.states
6
)");
  m.def(
      "write_world",
      [](const std::filesystem::path& path, const World& world, const std::string& reward) {
        const py::gil_scoped_release release;
        write_world(path, world, {.reward = reward});
      },
      py::arg("path"), py::arg("world"), py::kw_only(), py::arg("reward") = "reward",
      R"(Writes a world to a file by its ending: .rgum, .json, .csv or .tra (PRISM).

.csv and .tra hold one reward: the signal of that name; "" writes zeros.

>>> import tempfile, os
>>> rgu.write_world(os.path.join(tempfile.mkdtemp(), "river.csv"), rgu.generators.river_swim())
)");
}

void bind_occupancies(py::module_& m) {
  m.def(
      "occupancy",
      [](const FiniteMdp& mdp, py::object policy, std::optional<Index> horizon) {
        const Matrix pi = matrix_from(policy, "policy");
        const py::gil_scoped_release release;
        Matrix lambda = horizon ? truncated_occupancy(mdp, pi, *horizon) : occupancy(mdp, pi);
        const py::gil_scoped_acquire acquire;
        return array_of(std::move(lambda));
      },
      py::arg("mdp"), py::arg("policy"), py::kw_only(), py::arg("horizon") = py::none(),
      R"(Discounted state-action occupancy of a policy, (S, A), exact.

policy: (S, A), rows sum to 1. It sums to 1; with a `horizon` H only the first H steps count, and
it sums to 1 - discount^H.

>>> mdp = rgu.FiniteMdp([[[0.0, 1.0]], [[0.0, 1.0]]], [1.0, 0.0], 0.9)
>>> rgu.occupancy(mdp, [[1.0], [1.0]]).round(3)
array([[0.1],
       [0.9]])
)");
  m.def(
      "policy_from_occupancy",
      [](py::object occupancy) {
        return array_of(policy_from_occupancy(matrix_from(occupancy, "occupancy")));
      },
      py::arg("occupancy"),
      R"(pi(a|s) = lambda(s,a) / sum_a lambda(s,a), (S, A); uniform where a state has no mass.

>>> rgu.policy_from_occupancy([[0.3, 0.1], [0.0, 0.0]])
array([[0.75, 0.25],
       [0.5 , 0.5 ]])
)");
  m.def(
      "flow_residual",
      [](const FiniteMdp& mdp, py::object occupancy) {
        return flow_residual(mdp, matrix_from(occupancy, "occupancy"));
      },
      py::arg("mdp"), py::arg("occupancy"),
      R"(How far (S, A) is from being an occupancy: 0 exactly on the occupancy polytope.

>>> mdp = rgu.FiniteMdp([[[0.0, 1.0]], [[0.0, 1.0]]], [1.0, 0.0], 0.9)
>>> rgu.flow_residual(mdp, [[0.1], [0.9]]) < 1e-12
True
)");
  m.def(
      "plan",
      [](const FiniteMdp& mdp, py::object cost) {
        const Matrix c = matrix_from(cost, "cost");
        Plan plan;
        {
          const py::gil_scoped_release release;
          plan = optimal_plan(mdp, c);
        }
        return py::make_tuple(array_of(deterministic_policy(plan.action, mdp.actions())),
                              array_of(std::move(plan.value)));
      },
      py::arg("mdp"), py::arg("cost"),
      R"(The policy of least expected discounted cost, by policy iteration.

cost: (S, A). Returns (policy (S, A), value (S,)): value(s) is the least expected sum of
discount^t cost from s.

>>> mdp = rgu.FiniteMdp([[[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]]], [1.0, 0.0], 0.5)
>>> policy, value = rgu.plan(mdp, [[0.0, 0.0], [-1.0, 0.0]])
>>> value
array([-1., -2.])
)");
}

}  // namespace

void bind_models(py::module_& m) {
  bind_mdp(m);
  bind_world(m);
  bind_occupancies(m);
}

}  // namespace rgu::python
