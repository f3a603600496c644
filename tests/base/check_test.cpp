#include "rgu/base/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace rgu {
namespace {

std::string complaint_about(std::initializer_list<NamedSize> sizes) {
  try {
    checked_product(sizes);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(CheckedProduct, IsTheProductWhereItFits) {
  constexpr Index kMost = std::numeric_limits<Index>::max() / 8;
  EXPECT_EQ(checked_product({}), 1);
  EXPECT_EQ(checked_product({{"states", 3}, {"actions", 5}}), 15);
  EXPECT_EQ(checked_product({{"states", 0}, {"actions", 5}}), 0);
  EXPECT_EQ(checked_product({{"states", kMost}}), kMost);
  EXPECT_EQ(checked_product({{"states", Index{1} << 40}, {"actions", Index{1} << 19}}),
            Index{1} << 59);
}

TEST(CheckedProduct, NamesEverySizeOfOneThatOverflows) {
  // 2^70 is 0 in 64 bits.
  EXPECT_EQ(complaint_about({{"states", Index{1} << 40}, {"actions", Index{1} << 30}}),
            "states x actions is 1099511627776 x 1073741824, must be at most 1152921504606846975");
  EXPECT_THAT(complaint_about({{"states", Index{1} << 60}}),
              testing::HasSubstr("1152921504606846976"));
  EXPECT_THAT(complaint_about({{"a", Index{1} << 40}, {"b", Index{1} << 40}, {"c", 3}}),
              testing::HasSubstr("a x b x c"));
}

TEST(CheckedProduct, RefusesNegativeSizes) {
  EXPECT_EQ(complaint_about({{"states", -1}, {"actions", 2}}), "states is -1, must be at least 0");
}

}  // namespace
}  // namespace rgu
