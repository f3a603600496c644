// Between NumPy arrays and the library's vectors and matrices. What comes in is copied, since the
// library's objects own their data; results go out moved or viewed. Only what Python code is handed
// on the way, and might keep, is a copy.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <vector>

#include "rgu/base/types.hpp"

namespace rgu::python {

namespace py = pybind11;

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Throw MemoryError where real numbers of this shape take more memory than there is: before
// anything is copied, since a broadcast view may be as large as it likes.
void check_room(const char* name, double entries, const std::string& shape);
void check_room(const char* name, const py::array& array);

// As C-contiguous float64. Throws TypeError unless it is an array of real numbers and MemoryError
// as check_room; `name` says what it is.
Doubles doubles(py::handle value, const char* name);

// "(3, 2)".
std::string shape_text(const py::array& array);

// Throw ValueError on another number of dimensions.
Vector vector_from(py::handle value, const char* name);
Matrix matrix_from(py::handle value, const char* name);
// Of any shape, row by row: a nature that is a matrix may be given as one.
Vector flat_from(py::handle value, const char* name);
// (S, A, k) -> (S * A, k). `actions` is A.
struct Stacked {
  Matrix table;
  Index actions = 0;
};
Stacked stacked_from(py::handle value, const char* name);
// A list of (S, A) arrays, or one (k, S, A).
std::vector<Matrix> matrices_from(py::handle value, const char* name);

// The data moves into the array.
py::array array_of(Matrix matrix);
py::array array_of(Vector vector);
py::array array_of(std::vector<std::int64_t> numbers);

// A read-only view of data that `owner` keeps alive.
py::array view_of(const double* data, std::vector<py::ssize_t> shape, py::handle owner);
py::array view_of(const Matrix& matrix, py::handle owner);
py::array view_of(const Vector& vector, py::handle owner);

}  // namespace rgu::python
