// Utilities: costs of the occupancy.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "custom_utility.hpp"
#include "module.hpp"
#include "rgu/base/check.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/target.hpp"
#include "rgu/utility/variance.hpp"
#include "utility_object.hpp"

namespace rgu::python {

void let_go(PyObject* object) {
  if (Py_IsInitialized() == 0) return;
  const py::gil_scoped_acquire acquire;
  Py_DECREF(object);
}

std::shared_ptr<const Utility> utility_from(py::handle object) {
  if (!py::isinstance<Utility>(object)) {
    throw py::type_error(
        fmt::format("{} is no rgu.utility.Utility", std::string(py::repr(object))));
  }
  const auto* utility = object.cast<const Utility*>();
  return {utility, [kept = object.inc_ref().ptr()](const Utility*) { let_go(kept); }};
}

namespace {

template <class U>
using UtilityClass = py::class_<U, Utility, std::shared_ptr<U>>;

constexpr std::array kShapes = {
    std::pair{"none", NatureShape::kNone}, std::pair{"linear", NatureShape::kLinear},
    std::pair{"strongly concave", NatureShape::kStronglyConcave},
    std::pair{"concave", NatureShape::kConcave}, std::pair{"nonconcave", NatureShape::kNonconcave}};

std::string name_of(NatureShape shape) {
  for (const auto& [name, value] : kShapes) {
    if (value == shape) return name;
  }
  return "";
}

NatureShape shape_named(const std::string& text) {
  for (const auto& [name, value] : kShapes) {
    if (text == name) return value;
  }
  throw InvalidInput(fmt::format(
      "nature_shape is \"{}\", must be \"none\", \"linear\", \"strongly concave\", \"concave\" or "
      "\"nonconcave\"",
      text));
}

Marginal marginal_named(const std::string& name) {
  if (name == "states") return Marginal::kStates;
  check(name == "state-actions", "over is \"{}\", must be \"states\" or \"state-actions\"", name);
  return Marginal::kStateActions;
}

std::string sizes_text(const char* name, const Utility& utility) {
  return fmt::format("{}(states={}, actions={}, nature={})", name, utility.states(),
                     utility.actions(), utility.nature_dimension());
}

Vector nature_from(py::object nature) {
  return nature.is_none() ? Vector() : flat_from(nature, "nature");
}

void bind_utility_base(py::module_& m) {
  py::class_<Utility, std::shared_ptr<Utility>>(m, "Utility",
                                                "A cost f_xi(lambda) of the occupancy lambda and "
                                                "of nature's choice xi.")
      .def_property_readonly("states", &Utility::states, "S.")
      .def_property_readonly("actions", &Utility::actions, "A.")
      .def_property_readonly("nature_dimension", &Utility::nature_dimension,
                             "Length of xi; 0: f has none.")
      .def_property_readonly(
          "convex_in_occupancy", [](const Utility& u) { return u.traits().convex_in_occupancy; },
          "Is f convex in lambda, for every xi?")
      .def_property_readonly(
          "nature_shape", [](const Utility& u) { return name_of(u.traits().nature); },
          "Of f in xi: \"none\", \"linear\", \"strongly concave\", \"concave\", \"nonconcave\".")
      .def_property_readonly(
          "strong_concavity", [](const Utility& u) { return u.traits().strong_concavity; },
          "mu, where f is strongly concave in xi.")
      .def(
          "evaluate",
          [](const Utility& utility, py::object occupancy, py::object nature) {
            UtilityGradient f = utility.evaluate(matrix_from(occupancy, "occupancy"),
                                                 nature_from(std::move(nature)));
            return py::make_tuple(f.value, array_of(std::move(f.occupancy)),
                                  array_of(std::move(f.nature)));
          },
          py::arg("occupancy"), py::arg("nature") = py::none(),
          R"(f and its gradients: (value, (S, A), (n,)).

occupancy: (S, A); nature: (n,), or any shape, taken row by row.

>>> f = rgu.utility.RewardRobust(1, 2)
>>> f.evaluate([[0.25, 0.75]], [1.0, 2.0])
(-1.75, array([[-1., -2.]]), array([-0.25, -0.75]))
)")
      .def(
          "constants",
          [](const Utility& utility, double nature_norm) {
            const UtilityConstants c = utility.constants(nature_norm);
            py::dict constants;
            constants["occupancy_gradient"] = c.occupancy_gradient;
            constants["occupancy_lipschitz"] = c.occupancy_lipschitz;
            constants["nature_gradient"] = c.nature_gradient;
            constants["nature_lipschitz"] = c.nature_lipschitz;
            constants["cross_lipschitz"] = c.cross_lipschitz;
            return constants;
          },
          py::arg("nature_norm"),
          R"(Bounds on the gradients and their Lipschitz constants for |xi| <= nature_norm.

Infinite where there is none.

>>> rgu.utility.RewardRobust(1, 2).constants(2.0)["occupancy_gradient"]
2.0
)");
}

void bind_linear(py::module_& m) {
  UtilityClass<LinearReward>(m, "LinearReward",
                             R"(Minus the expected discounted reward: -<reward, lambda>. No xi.

reward: (S, A).

>>> rgu.utility.LinearReward([[1.0, 0.0]]).evaluate([[0.5, 0.5]])[0]
-0.5
)")
      .def(py::init([](py::object reward) {
             return std::make_shared<LinearReward>(matrix_from(reward, "reward"));
           }),
           py::arg("reward"))
      .def("__repr__", [](const LinearReward& u) { return sizes_text("LinearReward", u); });
  UtilityClass<RewardRobust>(m, "RewardRobust",
                             R"(-<xi, lambda>: nature chooses the reward, S * A entries.

>>> rgu.utility.RewardRobust(3, 2)
RewardRobust(states=3, actions=2, nature=6)
)")
      .def(py::init([](Index states, Index actions) {
             return std::make_shared<RewardRobust>(OccupancyShape{states, actions});
           }),
           py::arg("states"), py::arg("actions"))
      .def("__repr__", [](const RewardRobust& u) { return sizes_text("RewardRobust", u); });
  UtilityClass<FeatureRewardRobust>(
      m, "FeatureRewardRobust",
      R"(-<sum_i xi_i phi_i, lambda>: nature chooses the weights of features.

features: (k, S, A), or a list of k arrays (S, A).

>>> import numpy as np
>>> rgu.utility.FeatureRewardRobust(np.ones((2, 3, 4)))
FeatureRewardRobust(states=3, actions=4, nature=2)
)")
      .def(py::init([](py::object features) {
             return std::make_shared<FeatureRewardRobust>(matrices_from(features, "features"));
           }),
           py::arg("features"))
      .def("__repr__",
           [](const FeatureRewardRobust& u) { return sizes_text("FeatureRewardRobust", u); });
  UtilityClass<Constrained>(
      m, "Constrained",
      R"(The Lagrangian of: minimise <objective, lambda> subject to <c_k, lambda> <= tau_k.

<objective + sum_k xi_k c_k, lambda> - sum_k xi_k tau_k; nature chooses the multipliers.
objective: (S, A), a cost; constraints: (K, S, A), or a list of K arrays (S, A); thresholds: (K,).

>>> rgu.utility.Constrained([[0.0, -1.0]], [[[0.0, 1.0]]], [0.5])
Constrained(states=1, actions=2, nature=1)
)")
      .def(py::init([](py::object objective, py::object constraints, py::object thresholds) {
             return std::make_shared<Constrained>(
                 ConstrainedCosts{.objective = matrix_from(objective, "objective"),
                                  .constraints = matrices_from(constraints, "constraints"),
                                  .thresholds = vector_from(thresholds, "thresholds")});
           }),
           py::arg("objective"), py::arg("constraints"), py::arg("thresholds"))
      .def("__repr__", [](const Constrained& u) { return sizes_text("Constrained", u); });
}

void bind_curved(py::module_& m) {
  UtilityClass<Entropy>(
      m, "Entropy",
      R"(Negative entropy: sum_i p_i log(p_i + delta), p the masses of "states" or "state-actions".

>>> rgu.utility.Entropy(3, 2, over="state-actions")
Entropy(states=3, actions=2, nature=0)
)")
      .def(py::init([](Index states, Index actions, const std::string& over, double delta) {
             return std::make_shared<Entropy>(EntropyOptions{
                 .shape = {states, actions}, .over = marginal_named(over), .delta = delta});
           }),
           py::arg("states"), py::arg("actions"), py::kw_only(), py::arg("over") = "states",
           py::arg("delta") = 1e-6)
      .def("__repr__", [](const Entropy& u) { return sizes_text("Entropy", u); });
  UtilityClass<KlTarget>(
      m, "KlTarget",
      R"(sum_i p_i log((p_i + delta) / (xi_i + delta)): how far from a target that nature chooses.

p: the masses of "states" or "state-actions".

>>> rgu.utility.KlTarget(3, 2)
KlTarget(states=3, actions=2, nature=3)
)")
      .def(py::init([](Index states, Index actions, const std::string& over, double delta) {
             return std::make_shared<KlTarget>(KlTargetOptions{
                 .shape = {states, actions}, .over = marginal_named(over), .delta = delta});
           }),
           py::arg("states"), py::arg("actions"), py::kw_only(), py::arg("over") = "states",
           py::arg("delta") = 1e-6)
      .def("__repr__", [](const KlTarget& u) { return sizes_text("KlTarget", u); });
  UtilityClass<QuadraticTarget>(
      m, "QuadraticTarget",
      R"((1/2) |lambda - xi|^2: how far from a target that nature chooses, S * A entries.

>>> rgu.utility.QuadraticTarget(3, 2)
QuadraticTarget(states=3, actions=2, nature=6)
)")
      .def(py::init([](Index states, Index actions) {
             return std::make_shared<QuadraticTarget>(OccupancyShape{states, actions});
           }),
           py::arg("states"), py::arg("actions"))
      .def("__repr__", [](const QuadraticTarget& u) { return sizes_text("QuadraticTarget", u); });
  UtilityClass<Drift>(
      m, "Drift", R"(-lmin(W M W'), M = sum of lambda(s,a) psi psi': the least-explored direction.

features: psi, (S, A, d'); dimension: d, the rows of W; xi is W (d, d') row by row.
smoothing = b > 0 replaces lmin by -(1/b) log tr exp(-b W M W').

>>> import numpy as np
>>> rgu.utility.Drift(np.ones((3, 2, 5)), dimension=2)
Drift(states=3, actions=2, nature=10)
)")
      .def(py::init([](py::object features, Index dimension, double smoothing) {
             Stacked stacked = stacked_from(features, "features");
             return std::make_shared<Drift>(DriftOptions{.actions = stacked.actions,
                                                         .features = std::move(stacked.table),
                                                         .dimension = dimension,
                                                         .smoothing = smoothing});
           }),
           py::arg("features"), py::arg("dimension"), py::kw_only(), py::arg("smoothing") = 0.0)
      .def_property_readonly(
          "features",
          [](py::object self) {
            const auto& drift = self.cast<const Drift&>();
            return view_of(drift.features().data(),
                           {drift.states(), drift.actions(), drift.feature_dimension()}, self);
          },
          "psi: (S, A, d'), a read-only view.")
      .def_property_readonly("dimension", &Drift::dimension, "d: the rows of W.")
      .def_property_readonly("smoothing", &Drift::smoothing, "b; 0: the plain eigenvalue.")
      .def("__repr__", [](const Drift& u) { return sizes_text("Drift", u); });
  UtilityClass<Variance>(
      m, "Variance",
      R"(-<r, lambda> + aversion (<r^2, lambda> - <r, lambda>^2), r = sum_i xi_i phi_i.

features: (k, S, A), or a list of k arrays (S, A). Not convex in lambda.

>>> rgu.utility.Variance([[[1.0, 2.0]]], aversion=0.5)
Variance(states=1, actions=2, nature=1)
)")
      .def(py::init([](py::object features, double aversion) {
             return std::make_shared<Variance>(VarianceOptions{
                 .features = matrices_from(features, "features"), .aversion = aversion});
           }),
           py::arg("features"), py::kw_only(), py::arg("aversion"))
      .def("__repr__", [](const Variance& u) { return sizes_text("Variance", u); });
}

std::shared_ptr<Sum> sum_of(const py::iterable& parts) {
  std::vector<WeightedUtility> weighted;
  for (const py::handle part : parts) {
    const auto pair = py::reinterpret_borrow<py::sequence>(part);
    check(py::isinstance<py::sequence>(part) && pair.size() == 2,
          "parts: entry {} is no pair (weight, utility)", weighted.size());
    double weight = 0;
    try {
      weight = pair[0].cast<double>();
    } catch (const py::cast_error&) {
      throw py::type_error(fmt::format("parts: the weight of entry {} is {}, must be a number",
                                       weighted.size(), std::string(py::repr(pair[0]))));
    }
    weighted.push_back({.weight = weight, .utility = utility_from(pair[1])});
  }
  return std::make_shared<Sum>(std::move(weighted));
}

void bind_compound(py::module_& m) {
  UtilityClass<Sum>(m, "Sum", R"(sum_k weight_k f_k; xi is that of the parts, one after the other.

parts: a list of pairs (weight, utility).

>>> rgu.utility.Sum([(1.0, rgu.utility.Entropy(3, 2)), (0.5, rgu.utility.RewardRobust(3, 2))])
Sum(states=3, actions=2, nature=6)
)")
      .def(py::init(&sum_of), py::arg("parts"))
      .def("__repr__", [](const Sum& u) { return sizes_text("Sum", u); });
  UtilityClass<NatureRegularized>(
      m, "NatureRegularized",
      R"(f - (modulus / 2) |xi - centre|^2: strongly concave in xi where f is linear or concave.

>>> rgu.utility.NatureRegularized(rgu.utility.RewardRobust(1, 2), modulus=0.1, centre=[0.0, 0.0])
NatureRegularized(states=1, actions=2, nature=2)
)")
      .def(py::init([](py::object utility, double modulus, py::object centre) {
             return std::make_shared<NatureRegularized>(
                 utility_from(utility),
                 NatureRegularization{.modulus = modulus, .centre = flat_from(centre, "centre")});
           }),
           py::arg("utility"), py::kw_only(), py::arg("modulus"), py::arg("centre"))
      .def("__repr__",
           [](const NatureRegularized& u) { return sizes_text("NatureRegularized", u); });
}

void bind_custom(py::module_& m) {
  UtilityClass<CustomUtility>(m, "CustomUtility",
                              R"(A utility of your own: derive a class with a method evaluate.

evaluate(self, occupancy (S, A), nature (n,)) returns (value, gradient in the occupancy (S, A),
gradient in nature (n,)); without nature the last may be left out. What cannot be read off a
function is declared and believed: is it convex in the occupancy, and which shape has it in nature
("none", "linear", "strongly concave" with `strong_concavity`, "concave", "nonconcave")?

>>> class SquaredMass(rgu.utility.CustomUtility):
...     def evaluate(self, occupancy, nature):
...         return 0.5 * (occupancy ** 2).sum(), occupancy
>>> SquaredMass(2, 3, convex_in_occupancy=True)
SquaredMass(states=2, actions=3, nature=0)
)")
      .def(
          py::init([](Index states, Index actions, Index nature_dimension, bool convex_in_occupancy,
                      const std::string& nature_shape, double strong_concavity) {
            return std::make_shared<CustomUtility>(UtilityDeclaration{
                .shape = {states, actions},
                .nature_dimension = nature_dimension,
                .traits = {.convex_in_occupancy = convex_in_occupancy,
                           .nature = nature_dimension == 0 && nature_shape == "nonconcave"
                                         ? NatureShape::kNone
                                         : shape_named(nature_shape),
                           .strong_concavity = strong_concavity}});
          }),
          py::arg("states"), py::arg("actions"), py::arg("nature_dimension") = 0, py::kw_only(),
          py::arg("convex_in_occupancy") = false, py::arg("nature_shape") = "nonconcave",
          py::arg("strong_concavity") = 0.0)
      .def("__repr__", [](py::object self) {
        const std::string name = py::str(py::type::of(self).attr("__name__"));
        return sizes_text(name.c_str(), self.cast<const Utility&>());
      });
}

}  // namespace

void bind_utilities(py::module_& m) {
  bind_utility_base(m);
  bind_linear(m);
  bind_curved(m);
  bind_compound(m);
  bind_custom(m);
}

}  // namespace rgu::python
