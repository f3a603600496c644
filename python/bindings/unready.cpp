#include "unready.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace py = pybind11;

namespace rgu::python {
namespace {

// pybind11 asks the type for the room, by a function that is only told a size. So that each class
// can name itself, each gets a function of its own.
constexpr std::size_t kMostClasses = 64;
using RoomMaker = void* (*)(std::size_t);

std::array<std::string, kMostClasses>& class_names() {
  static std::array<std::string, kMostClasses> names;
  return names;
}

template <std::size_t number>
void* refuse(std::size_t) {
  throw py::type_error(fmt::format("{}.__init__ was not called", class_names()[number]));
}

template <std::size_t... numbers>
constexpr std::array<RoomMaker, kMostClasses> refusals(std::index_sequence<numbers...>) {
  return {&refuse<numbers>...};
}

// Where a function takes a std::shared_ptr, pybind11 notices by itself, but says it in its own
// words.
void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const py::cast_error& error) {
    if (std::string(error.what()).find("from non-held to held") == std::string::npos) throw;
    PyErr_SetString(PyExc_TypeError, "an argument is an object whose __init__ was not called");
  }
}

}  // namespace

void refuse_unready_objects(const py::module_& m) {
  constexpr auto kRefusals = refusals(std::make_index_sequence<kMostClasses>());
  std::size_t count = 0;
  for (const auto& [name, value] : py::dict(m.attr("__dict__"))) {
    if (!PyType_Check(value.ptr())) continue;
    auto* info = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr()));
    if (info == nullptr) continue;
    if (count == kMostClasses) throw std::logic_error("kMostClasses is too small");
    class_names()[count] = py::str(name);
    info->operator_new = kRefusals[count];
    ++count;
  }
  py::register_exception_translator(&translate);
}

}  // namespace rgu::python
