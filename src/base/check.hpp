// Validation of what enters the library. Every message says the thing, its value and the rule.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <stdexcept>
#include <string_view>

#include "rgu/base/types.hpp"

namespace rgu {

// Input that breaks a documented rule. The message is one line, meant for the person who wrote it.
class InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// A method that could not reach the accuracy it promises. The message says what was reached.
class NotConverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws InvalidInput with the formatted message unless `valid`.
template <class... Args>
void check(bool valid, fmt::format_string<Args...> message, Args&&... args) {
  if (!valid) throw InvalidInput(fmt::format(message, std::forward<Args>(args)...));
}

void check_finite(std::string_view name, double value);
void check_finite(std::string_view name, const Vector& value);
void check_finite(std::string_view name, const Matrix& value);
void check_positive(std::string_view name, double value);     // finite and > 0
void check_nonnegative(std::string_view name, double value);  // finite and >= 0
void check_count(std::string_view name, Index value, Index least = 1);
void check_size(std::string_view name, Index size, Index expected);

struct Shape {
  Index rows = 0;
  Index columns = 0;
};
void check_shape(std::string_view name, const Matrix& value, Shape expected);

// The number of entries of a table with these sizes. Throws InvalidInput, naming all of them, if
// one is negative or if so many doubles have more bytes than an address can count: a product of
// sizes that are each fine may overflow.
struct NamedSize {
  std::string_view name;
  Index value = 0;
};
Index checked_product(std::initializer_list<NamedSize> sizes);

}  // namespace rgu
