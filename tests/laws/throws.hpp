// Expectations about error messages.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "rgu/base/check.hpp"

namespace rgu {

// `call` throws InvalidInput with a message that contains `part`.
template <class Call>
void expect_invalid(Call call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "expected InvalidInput with \"" << part << "\"";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

}  // namespace rgu
