#include "rgu/base/characters.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rgu {
namespace {

TEST(Characters, AreReadByTheRulesOfUtf8) {
  EXPECT_EQ(code_point("a", 0).value, 0x61U);
  EXPECT_EQ(code_point("\u00e9", 0).bytes, 2U);
  EXPECT_EQ(code_point("x\u202e", 1).value, 0x202EU);
  EXPECT_EQ(code_point("\U0001F600", 0).value, 0x1F600U);
  for (const std::string text : {"\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                 "\xf4\x90\x80\x80", "\xc3", "\xff", "\x9b"}) {
    EXPECT_EQ(code_point(text, 0).bytes, 0U);
  }
}

TEST(Characters, ThatSteerOrTurnAroundAreNotShown) {
  for (const std::uint32_t c :
       {0x00U, 0x07U, 0x0DU, 0x1BU, 0x7FU, 0x80U, 0x9BU, 0x9FU, 0x061CU, 0x200EU, 0x200FU, 0x202AU,
        0x202EU, 0x2066U, 0x2069U, 0xFFFEU, 0x1FFFFU}) {
    EXPECT_FALSE(is_shown(c)) << c;
  }
  for (const std::uint32_t c :
       {0x09U, 0x0AU, 0x20U, 0x7EU, 0xA0U, 0x5D0U, 0x200DU, 0x393U, 0x1F600U}) {
    EXPECT_TRUE(is_shown(c)) << c;
  }
}

}  // namespace
}  // namespace rgu
