#include "rgu/llm/files/tensor.hpp"

#include <array>
#include <cstring>
#include <limits>

#include "llm/files/file_testing.hpp"

namespace rgu::llm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Value>
TensorView stored(DataType type, std::span<const Value> values) {
  return {.type = type,
          .shape = {static_cast<std::int64_t>(values.size())},
          .bytes = std::as_bytes(values)};
}

template <class Value>
void expect_floats(DataType type, std::array<Value, 3> values, std::array<float, 3> expected) {
  const auto floats = floats_of(stored<Value>(type, values));
  EXPECT_THAT(floats, ElementsAre(expected[0], expected[1], expected[2])) << name_of(type);
}

TEST(DataTypeNames, GoBothWays) {
  for (const char* name : {"F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U8", "BOOL"}) {
    EXPECT_EQ(name_of(data_type_named(name)), name);
  }
  EXPECT_EQ(bytes_of(DataType::kBF16), 2u);
  EXPECT_EQ(bytes_of(DataType::kI64), 8u);
}

TEST(DataTypeNames, OthersAreRefusedByName) {
  EXPECT_THAT(refusal([] { data_type_named("F8_E4M3"); }), HasSubstr("'F8_E4M3' is not supported"));
  EXPECT_THAT(refusal([] { data_type_named("F4"); }), HasSubstr("'F4' is not supported"));
  EXPECT_THAT(refusal([] { data_type_named("float"); }), HasSubstr("'float' is not known"));
}

TEST(TensorShapes, CountTheirElements) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 64}), 192);
  EXPECT_EQ(element_count({std::int64_t{1} << 40, 0, std::int64_t{1} << 40}), 0);
  EXPECT_EQ(text_of({3, 64}), "[3, 64]");
  EXPECT_EQ(text_of({}), "[]");
}

TEST(TensorShapes, ThatOverflowOrAreNegativeAreRefused) {
  EXPECT_THAT(refusal([] {
                element_count({std::int64_t{1} << 32, std::int64_t{1} << 31});
              }),
              HasSubstr("2^63"));
  EXPECT_THAT(refusal([] { element_count({0, -1}); }), HasSubstr("[0, -1]"));
}

TEST(TensorValues, OfEveryTypeBecomeFloats) {
  expect_floats<double>(DataType::kF64, {1.5, -2, 0.1}, {1.5f, -2, 0.1f});
  expect_floats<float>(DataType::kF32, {1.5f, -2, 0.1f}, {1.5f, -2, 0.1f});
  expect_floats<std::uint16_t>(DataType::kF16, {0x3e00, 0xc000, 0x0001}, {1.5f, -2, 0x1p-24f});
  expect_floats<std::uint16_t>(DataType::kBF16, {0x3fc0, 0xc000, 0x0001}, {1.5f, -2, 0x1p-133f});
  expect_floats<std::int64_t>(DataType::kI64, {1, -2, 1 << 24}, {1, -2, 0x1p24f});
  expect_floats<std::int32_t>(DataType::kI32, {1, -2, 3}, {1, -2, 3});
  expect_floats<std::int16_t>(DataType::kI16, {1, -2, 3}, {1, -2, 3});
  expect_floats<std::int8_t>(DataType::kI8, {1, -2, 3}, {1, -2, 3});
  expect_floats<std::uint8_t>(DataType::kU8, {1, 254, 3}, {1, 254, 3});
  expect_floats<std::uint8_t>(DataType::kBool, {1, 0, 1}, {1, 0, 1});
}

TEST(TensorValues, ThatAreNotAlignedAreReadAllTheSame) {
  const std::array<float, 2> values = {1.25f, -3};
  std::array<std::byte, 9> bytes{};
  std::memcpy(bytes.data() + 1, values.data(), 8);
  const TensorView tensor{
      .type = DataType::kF32, .shape = {2}, .bytes = std::span(bytes).subspan(1)};
  EXPECT_THAT(floats_of(tensor), ElementsAre(1.25f, -3));
  std::array<std::byte, 12> room{};
  const auto offset =
      5 - reinterpret_cast<std::uintptr_t>(room.data()) % 4;  // one past a multiple of 4
  EXPECT_TRUE(
      float_memory(
          {.type = DataType::kF32, .shape = {1}, .bytes = std::span(room).subspan(offset, 4)})
          .empty());
}

TEST(TensorValues, AreConvertedForWriters) {
  const std::array<float, 2> values = {1.5f, -2};
  const TensorView tensor = view_of(values, {2});
  const auto half = converted(tensor, DataType::kF16);
  EXPECT_THAT(floats_of({.type = DataType::kF16, .shape = {2}, .bytes = half}),
              ElementsAre(1.5f, -2));
  const auto brain = converted(tensor, DataType::kBF16);
  EXPECT_THAT(floats_of({.type = DataType::kBF16, .shape = {2}, .bytes = brain}),
              ElementsAre(1.5f, -2));
  const auto wide =
      converted({.type = DataType::kBF16, .shape = {2}, .bytes = brain}, DataType::kF32);
  EXPECT_EQ(std::memcmp(wide.data(), values.data(), 8), 0);
  EXPECT_THAT(refusal([&] { converted(tensor, DataType::kI8); }), HasSubstr("from F32 to I8"));
}

TEST(TensorValues, WhoseSizesDisagreeAreRefused) {
  const std::array<float, 3> values = {1, 2, 3};
  EXPECT_THAT(refusal([&] { view_of(values, {2, 2}); }), HasSubstr("has 12 bytes, must have 16"));
  std::array<float, 2> room{};
  EXPECT_THAT(refusal([&] { copy_floats(view_of(values, {3}), room); }),
              HasSubstr("into 2 values"));
}

TEST(NamedWeights, KeepWhatWasPutAndSayWhatIsNotThere) {
  Weights weights;
  weights.put("a", {1, 2}, {2});
  const TensorView before = weights.at("a");
  weights.put("a", {3, 4, 5, 6}, {2, 2});
  EXPECT_THAT(floats_of(weights.at("a")), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(floats_of(before), ElementsAre(1, 2));
  EXPECT_THAT(refusal([&] { weights.at("b"); }), HasSubstr("no tensor 'b'"));
  const Weights copy = weights;  // shares the owners
  weights = {};
  EXPECT_EQ(float_memory(copy.at("a")).size(), 4u);
  EXPECT_EQ(float_memory(copy.at("a"))[3], 6);
}

}  // namespace
}  // namespace rgu::llm
