#include "rgu/llm/text/batch.hpp"

#include <gtest/gtest.h>

#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

using Ids = std::vector<TokenId>;
using Mask = std::vector<std::uint8_t>;
const std::vector<Ids> kSequences = {{5, 6}, {7}, {}, {1, 2, 3}};

TEST(Padding, OnTheRight) {
  const PaddedBatch batch = pad(kSequences, {.side = PaddingSide::kRight, .pad = 9});
  EXPECT_EQ(batch.rows, 4);
  EXPECT_EQ(batch.columns, 3);
  EXPECT_EQ(batch.ids, (Ids{5, 6, 9, 7, 9, 9, 9, 9, 9, 1, 2, 3}));
  EXPECT_EQ(batch.mask, (Mask{1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(batch.lengths, (std::vector<std::int64_t>{2, 1, 0, 3}));
}

TEST(Padding, OnTheLeft) {
  const PaddedBatch batch = pad(kSequences, {.side = PaddingSide::kLeft, .pad = 9});
  EXPECT_EQ(batch.ids, (Ids{9, 5, 6, 9, 9, 7, 9, 9, 9, 1, 2, 3}));
  EXPECT_EQ(batch.mask, (Mask{0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1}));
}

TEST(Padding, RoundsTheColumnsUp) {
  const std::vector<Ids> two = {{1, 2, 3}, {4}};
  const PaddedBatch batch = pad(two, {.side = PaddingSide::kLeft, .pad = 0, .multiple = 4});
  EXPECT_EQ(batch.columns, 4);
  EXPECT_EQ(batch.ids, (Ids{0, 1, 2, 3, 0, 0, 0, 4}));
  EXPECT_EQ(pad(two, {.multiple = 3}).columns, 3);
}

TEST(Padding, OfNothingIsEmpty) {
  const PaddedBatch batch = pad({}, {.multiple = 8});
  EXPECT_EQ(batch.rows, 0);
  EXPECT_EQ(batch.columns, 0);
  EXPECT_TRUE(batch.ids.empty());
}

TEST(Padding, RefusesAMultipleBelowOne) {
  EXPECT_THROW(pad(kSequences, {.multiple = 0}), InvalidInput);
}

}  // namespace
}  // namespace rgu::llm
