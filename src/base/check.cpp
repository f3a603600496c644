#include "rgu/base/check.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace rgu {

void check_finite(std::string_view name, double value) {
  check(std::isfinite(value), "{} is {}, must be finite", name, value);
}

void check_finite(std::string_view name, const Vector& value) {
  for (Index i = 0; i < value.size(); ++i) {
    check(std::isfinite(value(i)), "{}[{}] is {}, must be finite", name, i, value(i));
  }
}

void check_finite(std::string_view name, const Matrix& value) {
  for (Index i = 0; i < value.rows(); ++i) {
    for (Index j = 0; j < value.cols(); ++j) {
      check(std::isfinite(value(i, j)), "{}[{}, {}] is {}, must be finite", name, i, j,
            value(i, j));
    }
  }
}

void check_positive(std::string_view name, double value) {
  check(std::isfinite(value) && value > 0, "{} is {}, must be finite and > 0", name, value);
}

void check_nonnegative(std::string_view name, double value) {
  check(std::isfinite(value) && value >= 0, "{} is {}, must be finite and >= 0", name, value);
}

void check_count(std::string_view name, Index value, Index least) {
  check(value >= least, "{} is {}, must be at least {}", name, value, least);
}

void check_size(std::string_view name, Index size, Index expected) {
  check(size == expected, "{} has {} entries, must have {}", name, size, expected);
}

void check_shape(std::string_view name, const Matrix& value, Shape expected) {
  check(value.rows() == expected.rows && value.cols() == expected.columns,
        "{} is {} x {}, must be {} x {}", name, value.rows(), value.cols(), expected.rows,
        expected.columns);
}

Index checked_product(std::initializer_list<NamedSize> sizes) {
  constexpr Index kMost = std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(double));
  Index product = 1;
  bool fits = true;
  for (const NamedSize& size : sizes) {
    check_count(size.name, size.value, 0);
    if (size.value == 0) return 0;
    fits = fits && product <= kMost / size.value;
    if (fits) product *= size.value;
  }
  if (fits) return product;
  std::string names, values;
  for (const NamedSize& size : sizes) {
    names += (names.empty() ? "" : " x ") + std::string(size.name);
    values += (values.empty() ? "" : " x ") + std::to_string(size.value);
  }
  throw InvalidInput(fmt::format("{} is {}, must be at most {}", names, values, kMost));
}

}  // namespace rgu
