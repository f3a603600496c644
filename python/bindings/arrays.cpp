#include "arrays.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "rgu/base/check.hpp"
#include "rgu/base/memory.hpp"

namespace rgu::python {
namespace {

std::string type_name(py::handle value) { return py::str(py::type::of(value).attr("__name__")); }

template <class Data>
py::array owned(Data data, std::vector<py::ssize_t> shape) {
  auto kept = std::make_unique<Data>(std::move(data));
  const auto* begin = kept->data();
  const py::capsule owner(kept.release(), [](void* p) { delete static_cast<Data*>(p); });
  return py::array_t<typename std::remove_cvref_t<decltype(*begin)>>(shape, begin, owner);
}

void check_dimensions(const Doubles& array, py::ssize_t expected, const char* name) {
  check(array.ndim() == expected, "{} has shape {}, must have {} dimension{}", name,
        shape_text(array), expected, expected == 1 ? "" : "s");
}

}  // namespace

std::string shape_text(const py::array& array) {
  std::string text = "(";
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    text += fmt::format("{}{}", i > 0 ? ", " : "", array.shape(i));
  }
  return text + (array.ndim() == 1 ? ",)" : ")");
}

void check_room(const char* name, double entries, const std::string& shape) {
  constexpr double kAlwaysTried = 1 << 28;  // to ask the system takes some time
  const double bytes = 8 * entries;
  if (bytes <= kAlwaysTried) return;
  const auto available = static_cast<double>(available_memory());
  if (bytes <= available) return;
  PyErr_SetString(PyExc_MemoryError,
                  fmt::format("{} of shape {} takes {:.0f} bytes ({:.3g} GB) as real numbers, and "
                              "{:.3g} GB of memory are available",
                              name, shape, bytes, bytes / 1e9, available / 1e9)
                      .c_str());
  throw py::error_already_set();
}

void check_room(const char* name, const py::array& array) {
  check_room(name, static_cast<double>(array.size()), shape_text(array));
}

Doubles doubles(py::handle value, const char* name) {
  const py::array raw = py::array::ensure(value);
  if (!raw) {
    PyErr_Clear();
    throw py::type_error(
        fmt::format("{} is a {}, must be an array of real numbers", name, type_name(value)));
  }
  if (std::string("fiub").find(raw.dtype().kind()) == std::string::npos) {
    throw py::type_error(fmt::format("{} has dtype {}, must be real numbers", name,
                                     std::string(py::str(raw.dtype()))));
  }
  check_room(name, raw);
  return Doubles(raw);  // throws what NumPy raises
}

Vector vector_from(py::handle value, const char* name) {
  const Doubles array = doubles(value, name);
  check_dimensions(array, 1, name);
  return Eigen::Map<const Vector>(array.data(), array.size());
}

Matrix matrix_from(py::handle value, const char* name) {
  const Doubles array = doubles(value, name);
  check_dimensions(array, 2, name);
  return Eigen::Map<const Matrix>(array.data(), array.shape(0), array.shape(1));
}

Vector flat_from(py::handle value, const char* name) {
  const Doubles array = doubles(value, name);
  return Eigen::Map<const Vector>(array.data(), array.size());
}

Stacked stacked_from(py::handle value, const char* name) {
  const Doubles array = doubles(value, name);
  check(array.ndim() == 3, "{} has shape {}, must be (S, A, k)", name, shape_text(array));
  return {.table = Eigen::Map<const Matrix>(array.data(), array.shape(0) * array.shape(1),
                                            array.shape(2)),
          .actions = array.shape(1)};
}

std::vector<Matrix> matrices_from(py::handle value, const char* name) {
  std::vector<Matrix> matrices;
  if (!py::isinstance<py::iterable>(value)) {
    throw py::type_error(
        fmt::format("{} is a {}, must be a list of (S, A) arrays", name, type_name(value)));
  }
  if (py::isinstance<py::array>(value)) {
    check_room(name, py::reinterpret_borrow<py::array>(value));
  }
  for (const py::handle entry : value) matrices.push_back(matrix_from(entry, name));
  return matrices;
}

py::array array_of(Matrix matrix) {
  std::vector<py::ssize_t> shape = {matrix.rows(), matrix.cols()};
  return owned(std::move(matrix), std::move(shape));
}

py::array array_of(Vector vector) {
  std::vector<py::ssize_t> shape = {vector.size()};
  return owned(std::move(vector), std::move(shape));
}

py::array array_of(std::vector<std::int64_t> numbers) {
  std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(numbers.size())};
  return owned(std::move(numbers), std::move(shape));
}

py::array view_of(const double* data, std::vector<py::ssize_t> shape, py::handle owner) {
  py::array_t<double> view(std::move(shape), data, owner);
  view.attr("setflags")(py::arg("write") = false);
  return view;
}

py::array view_of(const Matrix& matrix, py::handle owner) {
  return view_of(matrix.data(), {matrix.rows(), matrix.cols()}, owner);
}

py::array view_of(const Vector& vector, py::handle owner) {
  return view_of(vector.data(), {vector.size()}, owner);
}

}  // namespace rgu::python
