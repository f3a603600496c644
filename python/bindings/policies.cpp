// Families of policies pi_theta.
#include <fmt/format.h>

#include "arrays.hpp"
#include "module.hpp"
#include "rgu/mdp/softmax.hpp"

namespace rgu::python {
namespace {

template <class Policy>
using PolicyBinding = py::class_<Policy, PolicyClass, std::shared_ptr<Policy>>;

}  // namespace

void bind_policies(py::module_& m) {
  py::class_<PolicyClass, std::shared_ptr<PolicyClass>>(m, "PolicyClass",
                                                        "A family of policies pi_theta.")
      .def_property_readonly("dimension", &PolicyClass::dimension, "Length of theta.")
      .def(
          "probabilities",
          [](const PolicyClass& policy, py::object theta) {
            return array_of(policy.probabilities(flat_from(theta, "theta")));
          },
          py::arg("theta"), R"(pi_theta(a|s), (S, A). theta: (dimension,).

>>> rgu.policy.TabularSoftmax(1, 2).probabilities([0.0, 0.0])
array([[0.5, 0.5]])
)")
      .def(
          "score",
          [](const PolicyClass& policy, py::object theta, py::object weight) {
            const Vector parameters = flat_from(theta, "theta");
            return array_of(policy.score(parameters, policy.probabilities(parameters),
                                         matrix_from(weight, "weight")));
          },
          py::arg("theta"), py::arg("weight"),
          R"(sum over (s, a) of weight(s, a) times the gradient of log pi_theta(a|s), (dimension,).

weight: (S, A).

>>> rgu.policy.TabularSoftmax(1, 2).score([0.0, 0.0], [[1.0, 0.0]])
array([ 0.5, -0.5])
)");
  PolicyBinding<TabularSoftmax>(m, "TabularSoftmax",
                                R"(One logit for each state and action; theta has S * A entries.

>>> rgu.policy.TabularSoftmax(10, 5).dimension
50
)")
      .def(py::init([](Index states, Index actions) {
             return std::make_shared<TabularSoftmax>(TabularSoftmax::Sizes{states, actions});
           }),
           py::arg("states"), py::arg("actions"))
      .def("__repr__", [](const TabularSoftmax& policy) {
        return fmt::format("TabularSoftmax(dimension={})", policy.dimension());
      });
  PolicyBinding<LogLinearSoftmax>(
      m, "LogLinearSoftmax",
      R"(Logits linear in features (S, A, k): logit(s, a) = <features(s, a), theta>.

>>> import numpy as np
>>> rgu.policy.LogLinearSoftmax(np.ones((3, 2, 4)))
LogLinearSoftmax(dimension=4, actions=2)
)")
      .def(py::init([](py::object features) {
             Stacked stacked = stacked_from(features, "features");
             return std::make_shared<LogLinearSoftmax>(std::move(stacked.table), stacked.actions);
           }),
           py::arg("features"))
      .def("__repr__", [](const LogLinearSoftmax& policy) {
        return fmt::format("LogLinearSoftmax(dimension={}, actions={})", policy.dimension(),
                           policy.actions());
      });
}

}  // namespace rgu::python
