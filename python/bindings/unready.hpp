// Objects whose __init__ never ran.
#pragma once

#include <pybind11/pybind11.h>

namespace rgu::python {

// World.__new__(World) is a Python object without anything behind it. Where such an object is used,
// pybind11 makes room for a C++ object and takes what is in there for one. After this call every
// class of the module refuses instead: TypeError, "World.__init__ was not called".
void refuse_unready_objects(const pybind11::module_& m);

}  // namespace rgu::python
