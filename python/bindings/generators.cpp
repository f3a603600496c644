// Models made by rule or by chance.
#include "rgu/mdp/generators.hpp"

#include <pybind11/stl.h>

#include "module.hpp"
#include "rgu/base/check.hpp"
#include "rgu/experiment/instance.hpp"

namespace py = pybind11;

namespace rgu::python {
namespace {

// The stream that problem files draw their models from: the same seed, the same model.
Rng model_rng(std::uint64_t seed) { return Rng(seed, kModelStream); }

std::shared_ptr<World> shared(World world) { return std::make_shared<World>(std::move(world)); }

GoalCells goals_named(const std::string& name) {
  if (name == "absorbing") return GoalCells::kAbsorbing;
  check(name == "open", "goals is \"{}\", must be \"absorbing\" or \"open\"", name);
  return GoalCells::kOpen;
}

void bind_random(py::module_& m) {
  m.def(
      "random_model",
      [](Index states, Index actions, double discount, std::uint64_t seed) {
        Rng rng = model_rng(seed);
        return shared(
            random_model({.states = states, .actions = actions, .discount = discount}, rng));
      },
      py::arg("states") = 10, py::arg("actions") = 5, py::arg("discount") = 0.95, py::kw_only(),
      py::arg("seed") = 0,
      R"(The random dense model of the paper's experiment; uniform start, no signals.

>>> rgu.generators.random_model(4, 2).mdp
FiniteMdp(states=4, actions=2, transitions=32, discount=0.95, dense)
)");
  m.def(
      "garnet",
      [](Index states, Index actions, Index branching, double discount, std::uint64_t seed) {
        Rng rng = model_rng(seed);
        const py::gil_scoped_release release;
        return shared(garnet(
            {.states = states, .actions = actions, .branching = branching, .discount = discount},
            rng));
      },
      py::arg("states") = 100, py::arg("actions") = 4, py::arg("branching") = 5,
      py::arg("discount") = 0.95, py::kw_only(), py::arg("seed") = 0,
      R"(A sparse random model with `branching` successors of each pair, and a normal "reward".

>>> rgu.generators.garnet(50, 3, 4).mdp
FiniteMdp(states=50, actions=3, transitions=600, discount=0.95, sparse)
)");
}

void bind_worlds(py::module_& m) {
  m.def(
      "grid_world",
      [](const std::string& map, double slip, double discount, const std::string& goals) {
        return shared(
            grid_world(map, {.slip = slip, .discount = discount, .goals = goals_named(goals)}));
      },
      py::arg("map"), py::kw_only(), py::arg("slip") = 0.1, py::arg("discount") = 0.95,
      py::arg("goals") = "absorbing",
      R"(A grid world from lines of # wall, . free, S start, G goal, H hazard, a-z marks.

Actions 0 north, 1 east, 2 south, 3 west; with probability slip / 2 each, a step to one of the
sides. goals: "absorbing" or "open". Signals: "goal", "hazard", "reward" (as "goal"), one a letter.

>>> world = rgu.generators.grid_world("S.G\n.#.", slip=0.0)
>>> world.mdp.states, sorted(world.signals)
(5, ['goal', 'hazard', 'reward'])
)");
  m.def(
      "random_grid_map",
      [](Index rows, Index columns, double walls, double hazards, std::uint64_t seed) {
        Rng rng = model_rng(seed);
        return random_grid_map({.rows = rows,
                                .columns = columns,
                                .wall_probability = walls,
                                .hazard_probability = hazards},
                               rng);
      },
      py::arg("rows") = 10, py::arg("columns") = 10, py::kw_only(),
      py::arg("wall_probability") = 0.2, py::arg("hazard_probability") = 0.1, py::arg("seed") = 0,
      R"(A random map for grid_world, with a way from S to G.

>>> len(rgu.generators.random_grid_map(4, 4).split())
4
)");
  m.def(
      "river_swim",
      [](Index states, double small_reward, double large_reward, double discount) {
        return shared(river_swim({.states = states,
                                  .small_reward = small_reward,
                                  .large_reward = large_reward,
                                  .discount = discount}));
      },
      py::arg("states") = 6, py::kw_only(), py::arg("small_reward") = 5.0,
      py::arg("large_reward") = 10000.0, py::arg("discount") = 0.95,
      R"(A chain where the large reward lies against the current. Signal "reward".

>>> rgu.generators.river_swim().mdp.states
6
)");
  m.def(
      "inventory",
      [](Index capacity, std::optional<Index> largest_order, double mean_demand,
         Index largest_demand, double price, double unit_cost, double holding_cost,
         double discount) {
        return shared(inventory({.capacity = capacity,
                                 .largest_order = largest_order,
                                 .mean_demand = mean_demand,
                                 .largest_demand = largest_demand,
                                 .price = price,
                                 .unit_cost = unit_cost,
                                 .holding_cost = holding_cost,
                                 .discount = discount}));
      },
      py::kw_only(), py::arg("capacity") = 10, py::arg("largest_order") = py::none(),
      py::arg("mean_demand") = 4.0, py::arg("largest_demand") = 20, py::arg("price") = 8.0,
      py::arg("unit_cost") = 4.0, py::arg("holding_cost") = 1.0, py::arg("discount") = 0.95,
      R"(A shop with one product. Signals "revenue", "ordering", "holding", "lost_sales", "reward".

State: the stock 0 .. capacity; action: the order 0 .. largest_order; Poisson demand, lost if unmet.

>>> rgu.generators.inventory(capacity=5).mdp.states
6
)");
}

}  // namespace

void bind_generators(py::module_& m) {
  bind_random(m);
  bind_worlds(m);
}

}  // namespace rgu::python
