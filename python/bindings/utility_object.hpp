// Utilities that Python owns, held by the library.
#pragma once

#include <memory>

#include "arrays.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu::python {

// Keeps the Python object alive, so that one written in Python keeps its methods. Throws TypeError
// unless it is a utility.
std::shared_ptr<const Utility> utility_from(py::handle object);

}  // namespace rgu::python
