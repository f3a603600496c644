// The parts of the module rgu._core.
#pragma once

#include <pybind11/pybind11.h>

namespace rgu::python {

void bind_sets(pybind11::module_& m);
void bind_models(pybind11::module_& m);
void bind_generators(pybind11::module_& m);
void bind_policies(pybind11::module_& m);
void bind_utilities(pybind11::module_& m);
void bind_records(pybind11::module_& m);
void bind_problems(pybind11::module_& m);
void bind_solving(pybind11::module_& m);

}  // namespace rgu::python
