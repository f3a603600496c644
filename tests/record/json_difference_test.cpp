#include "rgu/record/json_difference.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rgu {
namespace {

std::optional<JsonDifference> between(std::string_view stored, std::string_view replayed) {
  return first_difference(parse_json(stored), parse_json(replayed));
}

TEST(JsonDifference, EqualValuesHaveNone) {
  EXPECT_FALSE(between(R"({"a": [1, 2.5], "b": "x"})", R"({"b": "x", "a": [1, 2.5]})"));
}

TEST(JsonDifference, TheFirstNumberIsNamedWithBothValuesAndTheirDistance) {
  const auto found = between(R"({"a": 1, "b": {"c": [[1, 2], [3, 4.5]]}, "d": 0})",
                             R"({"a": 1, "b": {"c": [[1, 2], [3, 5]]}, "d": 1})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->field, "b.c[1][1]");
  EXPECT_EQ(found->stored, "4.5");
  EXPECT_EQ(found->replayed, "5");
  EXPECT_EQ(found->distance, 0.5);
}

TEST(JsonDifference, TheSignOfZeroAndTheTypeOfANumberCount) {
  EXPECT_TRUE(between("[0.0]", "[-0.0]"));
  EXPECT_TRUE(between("[1]", "[1.0]"));
}

TEST(JsonDifference, WhatOneSideLacksIsSaid) {
  const auto shorter = between("[1, 2, 3]", "[1, 2]");
  ASSERT_TRUE(shorter);
  EXPECT_EQ(shorter->field, "[2]");
  EXPECT_EQ(shorter->stored, "3");
  EXPECT_EQ(shorter->replayed, "");
  const auto key = between(R"({"a": 1})", R"({"a": 1, "b": "nan"})");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->field, "b");
  EXPECT_EQ(key->stored, "");
  EXPECT_TRUE(std::isnan(key->distance));
}

TEST(JsonDifference, LongTextsAreShortened) {
  const auto found = between('"' + std::string(500, 'x') + '"', "1");
  ASSERT_TRUE(found);
  EXPECT_LT(found->stored.size(), 100u);
}

}  // namespace
}  // namespace rgu
