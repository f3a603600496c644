#include "custom_utility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu::python {
namespace {

std::string entry_text(const Doubles& array, py::ssize_t entry) {
  std::string text;
  for (py::ssize_t i = array.ndim() - 1; i >= 0; --i) {
    text = fmt::format("{}{}{}", entry % array.shape(i), text.empty() ? "" : ", ", text);
    entry /= array.shape(i);
  }
  return text;
}

void check_entries(const Doubles& array, const std::string& name, const char* what) {
  const double* const end = array.data() + array.size();
  const double* const wrong =
      std::find_if(array.data(), end, [](double entry) { return !std::isfinite(entry); });
  if (wrong == end) return;
  throw InvalidInput(fmt::format("{}.evaluate: {}[{}] is {}, must be finite", name, what,
                                 entry_text(array, wrong - array.data()), *wrong));
}

}  // namespace

UtilityGradient CustomUtility::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  const py::gil_scoped_acquire acquire;
  const py::object self = py::cast(this);
  const std::string name = py::str(py::type::of(self).attr("__name__"));
  // Looked up anew each time: in a notebook the method may come later. The library's own is no
  // answer, it would call itself.
  const py::object own = py::type::of<Utility>().attr("evaluate");
  check(!py::object(py::type::of(self).attr("evaluate")).is(own),
        "{} has no method evaluate(self, occupancy, nature)", name);
  return result_from(self.attr("evaluate")(array_of(occupancy), array_of(nature)), name);
}

UtilityGradient CustomUtility::result_from(py::handle result, const std::string& name) const {
  const bool without_nature = nature_dimension() == 0;
  const bool is_tuple = py::isinstance<py::tuple>(result) || py::isinstance<py::list>(result);
  const std::size_t size = is_tuple ? py::len(result) : 0;
  check(
      is_tuple && (size == 3 || (without_nature && size == 2)),
      "{}.evaluate returned {}, must return (value, gradient in the occupancy, gradient in nature)",
      name, is_tuple ? fmt::format("{} things", size) : std::string(py::str(py::type::of(result))));
  const auto parts = py::reinterpret_borrow<py::sequence>(result);
  UtilityGradient gradient;
  try {
    gradient.value = py::float_(parts[0]).cast<double>();
  } catch (py::error_already_set&) {
    throw InvalidInput(fmt::format("{}.evaluate: the value is {}, must be a number", name,
                                   std::string(py::repr(parts[0]))));
  }
  check(std::isfinite(gradient.value), "{}.evaluate: the value is {}, must be finite", name,
        gradient.value);
  const Doubles by_occupancy = doubles(parts[1], "gradient in the occupancy");
  check(by_occupancy.ndim() == 2 && by_occupancy.shape(0) == states() &&
            by_occupancy.shape(1) == actions(),
        "{}.evaluate: the gradient in the occupancy has shape {}, must be ({}, {})", name,
        shape_text(by_occupancy), states(), actions());
  check_entries(by_occupancy, name, "gradient in the occupancy");
  gradient.occupancy = Eigen::Map<const Matrix>(by_occupancy.data(), states(), actions());
  gradient.nature = Vector(nature_dimension());
  if (size == 2) return gradient;
  const Doubles by_nature = doubles(parts[2], "gradient in nature");
  check(by_nature.size() == nature_dimension(),
        "{}.evaluate: the gradient in nature has shape {}, must have {} entries", name,
        shape_text(by_nature), nature_dimension());
  check_entries(by_nature, name, "gradient in nature");
  gradient.nature = Eigen::Map<const Vector>(by_nature.data(), by_nature.size());
  return gradient;
}

}  // namespace rgu::python
