// Philox and the draws made from it, against random_numbers.py: Python's own integers.
#include <gtest/gtest.h>

#include <array>

#include "reference/reference_data.hpp"
#include "rgu/base/philox_lanes.hpp"
#include "rgu/base/rng.hpp"

namespace rgu::reference {
namespace {

const Json& numbers() {
  static const Json content = fixture("random_numbers");
  return content;
}

StreamFamily family(const Json& place) {
  return {.seed = place.at("seed"), .stream = place.at("stream")};
}

Rng start_of(const Json& place) {
  return Rng(Rng::State{
      .seed = place.at("seed"), .stream = place.at("stream"), .position = place.at("position")});
}

TEST(RandomNumbersReference, BlocksAreThoseOfPhiloxWrittenOut) {
  ASSERT_FALSE(numbers().at("blocks").empty());
  for (const Json& place : numbers().at("blocks")) {
    const RandomBlock block = family(place).block(place.at("trajectory"), place.at("counter"));
    EXPECT_EQ(block, place.at("words").get<RandomBlock>()) << place;
  }
}

// Each place is asked for as the first and as the last of the lanes made together.
TEST(RandomNumbersReference, BlocksOfManyTrajectoriesAtOnceAreTheSame) {
  ASSERT_FALSE(numbers().at("blocks").empty());
  for (const Json& place : numbers().at("blocks")) {
    for (const std::uint32_t lane : {0, kPhiloxLanes - 1}) {
      std::array<std::uint64_t, kPhiloxLanes> first{};
      std::array<std::uint64_t, kPhiloxLanes> second{};
      const std::uint32_t trajectory = place.at("trajectory");
      philox_lanes(family(place), trajectory - lane, place.at("counter"), first.data(),
                   second.data());
      const RandomBlock block = {first[lane], second[lane]};
      EXPECT_EQ(block, place.at("words").get<RandomBlock>()) << place << " lane " << lane;
    }
  }
}

TEST(RandomNumbersReference, WordsOfAStreamGoThroughItsBlocks) {
  ASSERT_FALSE(numbers().at("streams").empty());
  for (const Json& stream : numbers().at("streams")) {
    Rng rng = start_of(stream);
    for (const std::uint64_t word : stream.at("bits")) EXPECT_EQ(rng.bits(), word) << stream;
  }
}

TEST(RandomNumbersReference, UniformDrawsAreTheHigh53BitsExactly) {
  for (const Json& stream : numbers().at("streams")) {
    Rng rng = start_of(stream);
    for (const double draw : stream.at("uniform")) EXPECT_EQ(rng.uniform(), draw) << stream;
  }
}

TEST(RandomNumbersReference, BoundedDrawsAreThoseOfWideProductsWithRedraws) {
  for (const Json& stream : numbers().at("streams")) {
    for (const Json& bounded : stream.at("below")) {
      Rng rng = start_of(stream);
      for (const std::uint64_t draw : bounded.at("values")) {
        EXPECT_EQ(rng.below(bounded.at("bound")), draw) << stream;
      }
    }
  }
}

TEST(RandomNumbersReference, NormalAndExponentialDrawsFollowTheirFormulas) {
  for (const Json& stream : numbers().at("streams")) {
    Rng normal = start_of(stream);
    for (const Json& draw : stream.at("normal")) EXPECT_TRUE(agrees(normal.normal(), draw));
    Rng exponential = start_of(stream);
    for (const Json& draw : stream.at("exponential")) {
      EXPECT_TRUE(agrees(exponential.exponential(), draw));
    }
  }
}

}  // namespace
}  // namespace rgu::reference
