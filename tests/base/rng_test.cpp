#include "rgu/base/rng.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rgu {
namespace {

TEST(Rng, EqualSeedAndStreamDrawTheSameNumbers) {
  Rng first(7, 3);
  Rng second(7, 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(first.bits(), second.bits());
}

TEST(Rng, SeedsAndStreamsDiffer) {
  EXPECT_NE(Rng(1, 0).bits(), Rng(2, 0).bits());
  EXPECT_NE(Rng(1, 0).bits(), Rng(1, 1).bits());
}

// Known answer of Philox4x32-10, from the kat_vectors file of Random123:
// counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0
// gives d16cfe09 94fdcceb 5001e420 24126ea1.
TEST(Rng, BlocksAreThePublishedPhilox) {
  const StreamFamily family{0x299f31d0'a4093822, 0x03707344'13198a2e};
  const RandomBlock block = family.block(0x85a308d3, 0x243f6a88);
  EXPECT_EQ(block[0], 0x94fdcceb'd16cfe09);
  EXPECT_EQ(block[1], 0x24126ea1'5001e420);
}

TEST(Rng, ContinuesFromItsStateAtOddAndEvenPositions) {
  for (const int drawn : {4, 5}) {
    Rng original(11);
    for (int i = 0; i < drawn; ++i) original.bits();
    Rng resumed(original.state());
    for (int i = 0; i < 10; ++i) EXPECT_EQ(original.bits(), resumed.bits());
  }
}

TEST(Rng, DrawsHaveTheirMoments) {
  Rng rng(5);
  constexpr int kDraws = 200000;
  double uniform = 0, normal = 0, square = 0, exponential = 0, below = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    uniform += u;
    const double z = rng.normal();
    normal += z;
    square += z * z;
    exponential += rng.exponential();
    const std::uint64_t k = rng.below(7);
    ASSERT_LT(k, 7u);
    below += static_cast<double>(k);
  }
  const double root = std::sqrt(kDraws);
  EXPECT_NEAR(uniform / kDraws, 0.5, 4 * std::sqrt(1.0 / 12) / root);
  EXPECT_NEAR(normal / kDraws, 0.0, 4 / root);
  EXPECT_NEAR(square / kDraws, 1.0, 4 * std::sqrt(2.0) / root);
  EXPECT_NEAR(exponential / kDraws, 1.0, 4 / root);
  EXPECT_NEAR(below / kDraws, 3.0, 4 * 2.0 / root);
}

TEST(Rng, DrawsTheStreamOfOneTrajectoryOfAFamily) {
  const StreamFamily family = Rng(5).fork();
  for (const std::uint32_t trajectory : {0u, 1u, 77u, 0x7fffffffu}) {
    Rng rng(family, trajectory);
    for (std::uint32_t counter = 0; counter < 3; ++counter) {
      const RandomBlock block = family.block(trajectory, counter);
      EXPECT_EQ(rng.bits(), block[0]);
      EXPECT_EQ(rng.bits(), block[1]);
    }
  }
}

TEST(Rng, ForksAreFamiliesOfTheirOwn) {
  Rng rng(5);
  const StreamFamily first = rng.fork();
  const StreamFamily second = rng.fork();
  EXPECT_EQ(first.seed, 5u);
  EXPECT_NE(first.stream, second.stream);
  EXPECT_NE(first.block(0, 0), second.block(0, 0));
}

}  // namespace
}  // namespace rgu
