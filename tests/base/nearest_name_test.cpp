#include "rgu/base/nearest_name.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rgu {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsAndSubstitutions) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("radus", "radius"), 1u);
}

TEST(EditDistance, CountsASwapOfNeighboursOnce) {
  EXPECT_EQ(edit_distance("drfit", "drift"), 1u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);  // no letter is touched twice
}

TEST(EditDistance, IsSymmetric) {
  EXPECT_EQ(edit_distance("signal", "sginals"), edit_distance("sginals", "signal"));
}

TEST(NearestName, IsTheClosestOfThoseThatAreClose) {
  const std::vector<std::string> names = {"radius", "centre", "rate"};
  EXPECT_EQ(nearest_name("radus", names), "radius");
  EXPECT_EQ(nearest_name("center", names), "centre");
  EXPECT_EQ(nearest_name("rte", names), "rate");
  EXPECT_EQ(nearest_name("frobnicate", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'r'), names), "");
}

TEST(NearestName, OfEqualsIsTheFirst) {
  const std::vector<std::string> names = {"bat", "cat"};
  EXPECT_EQ(nearest_name("rat", names), "bat");
}

TEST(DidYouMean, SaysNothingWhereNothingIsClose) {
  const std::vector<std::string> names = {"radius"};
  EXPECT_EQ(did_you_mean("radus", names), "; did you mean 'radius'?");
  EXPECT_EQ(did_you_mean("zzz", names), "");
}

}  // namespace
}  // namespace rgu
