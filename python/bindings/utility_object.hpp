// Utilities that Python owns, held by the library.
#pragma once

#include <memory>

#include "arrays.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu::python {

// Keeps the Python object alive, so that one written in Python keeps its methods. Throws TypeError
// unless it is a utility.
std::shared_ptr<const Utility> utility_from(py::handle object);

// Drops a reference from wherever the last C++ owner goes out of scope, with the interpreter's
// lock; after the interpreter's end there is nothing to drop.
void let_go(PyObject* object);

}  // namespace rgu::python
