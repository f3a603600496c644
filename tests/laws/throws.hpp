// Expectations about error messages.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "rgu/base/check.hpp"

namespace rgu {

// Matches a call that throws InvalidInput with this part in its message.
inline auto refuses(const std::string& part) {
  return testing::ThrowsMessage<InvalidInput>(testing::HasSubstr(part));
}

template <class Call>
void expect_invalid(const Call& call, const std::string& part) {
  EXPECT_THAT(call, refuses(part));
}

}  // namespace rgu
