#include "module.hpp"

#include "interrupt_scope.hpp"
#include "rgu/base/blas_setup.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/base/version.hpp"
#include "unready.hpp"

namespace py = pybind11;

PYBIND11_MODULE(_core, m) {
  m.doc() = "The library itself. Import rgu instead.";
  rgu::prepare_blas();
  // InvalidInput is a std::invalid_argument and becomes a ValueError; NotConverged and what else is
  // a std::runtime_error become a RuntimeError.
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const rgu::FileError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    }
  });
  m.attr("__version__") = rgu::version_text();
  py::module_::import("atexit").attr("register")(py::cpp_function(&rgu::python::stop_all));
  rgu::python::bind_sets(m);
  rgu::python::bind_models(m);
  rgu::python::bind_generators(m);
  rgu::python::bind_policies(m);
  rgu::python::bind_utilities(m);
  rgu::python::bind_records(m);
  rgu::python::bind_problems(m);
  rgu::python::bind_solving(m);
  rgu::python::refuse_unready_objects(m);
}
