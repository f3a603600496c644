// Messages that say which table of a problem file they are about.
#pragma once

#include <string>

#include "rgu/base/check.hpp"

namespace rgu {

// make(); an InvalidInput that it throws gets "table: " in front.
template <class Make>
auto in_table(const std::string& table, const Make& make) {
  try {
    return make();
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", table, error.what()));
  }
}

}  // namespace rgu
