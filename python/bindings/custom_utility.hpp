// A utility written in Python.
#pragma once

#include <string>

#include "arrays.hpp"
#include "rgu/utility/function.hpp"

namespace rgu::python {

// Calls the method `evaluate` of the Python object it is part of. Throws InvalidInput, naming the
// class and the entry, where what it returns is no (value, (S, A), (n)) of finite numbers.
class CustomUtility : public DeclaredUtility {
 public:
  explicit CustomUtility(UtilityDeclaration declaration)
      : DeclaredUtility(std::move(declaration)) {}

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;

 private:
  UtilityGradient result_from(py::handle result, const std::string& name) const;
};

}  // namespace rgu::python
