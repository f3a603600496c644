#include "rgu/mdp/io/file_options.hpp"

#include "rgu/base/check.hpp"

namespace rgu {

double required_discount(std::string_view file, const ReadOptions& options) {
  check(options.discount.has_value(),
        "{}: the format holds no discount, must be set in the read options", file);
  return *options.discount;
}

}  // namespace rgu
