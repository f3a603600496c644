#include "rgu/llm/files/safetensors.hpp"

#include <array>
#include <bit>
#include <nlohmann/json.hpp>

#include "llm/files/file_testing.hpp"

namespace rgu::llm {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Weights sample() {
  Weights weights;
  weights.put("wide", {1, 2, 3, 4, 5, 6}, {2, 3});
  weights.put("scalar", {7}, {});
  weights.put("empty", {}, {0, 4});
  static constexpr std::array<std::uint8_t, 3> kBytes = {1, 0, 255};
  weights.tensors["bytes"] = {
      .type = DataType::kU8, .shape = {3}, .bytes = std::as_bytes(std::span(kBytes))};
  weights.metadata = {{"format", "pt"}, {"note", "\"quoted\" é"}};
  return weights;
}

// What reading says of a file with this header and so many bytes of data.
std::string refused(const std::string& header, std::size_t data_bytes) {
  const TemporaryFolder folder;
  put(folder / "x.safetensors", safetensors_text(header, data_bytes));
  return refusal([&] { read_safetensors(folder / "x.safetensors"); });
}

std::string entry(const std::string& type, const std::string& shape, const std::string& offsets) {
  return fmt::format(R"({{"dtype":"{}","shape":{},"data_offsets":{}}})", type, shape, offsets);
}

TEST(Safetensors, ReadWhatWasWritten) {
  const TemporaryFolder folder;
  write_safetensors(folder / "x.safetensors", sample());
  const Weights read = read_safetensors(folder / "x.safetensors");
  EXPECT_EQ(read.metadata, sample().metadata);
  ASSERT_EQ(read.tensors.size(), 4u);
  EXPECT_EQ(read.at("wide").shape, (TensorShape{2, 3}));
  EXPECT_THAT(floats_of(read.at("wide")), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(read.at("scalar").shape, TensorShape{});
  EXPECT_THAT(floats_of(read.at("scalar")), ElementsAre(7));
  EXPECT_EQ(read.at("empty").shape, (TensorShape{0, 4}));
  EXPECT_EQ(read.at("bytes").type, DataType::kU8);
  EXPECT_THAT(floats_of(read.at("bytes")), ElementsAre(1, 0, 255));
}

TEST(Safetensors, OfAnotherTypeKeepTheIntegersAsTheyAre) {
  const TemporaryFolder folder;
  for (const DataType type : {DataType::kF32, DataType::kF16, DataType::kBF16}) {
    write_safetensors(folder / "x.safetensors", sample(), type);
    const Weights read = read_safetensors(folder / "x.safetensors");
    EXPECT_EQ(read.at("wide").type, type);
    EXPECT_THAT(floats_of(read.at("wide")), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(read.at("bytes").type, DataType::kU8);
  }
  EXPECT_THAT(
      refusal([&] { write_safetensors(folder / "x.safetensors", sample(), DataType::kI8); }),
      HasSubstr("not as I8"));
}

TEST(Safetensors, BeginTheirDataAt64BytesWithTheLargestTypesFirst) {
  const TemporaryFolder folder;
  write_safetensors(folder / "x.safetensors", sample());
  const std::string text = contents(folder / "x.safetensors");
  std::uint64_t size = 0;
  std::memcpy(&size, text.data(), 8);
  EXPECT_EQ((size + 8) % 64, 0u);
  const auto header = nlohmann::json::parse(text.substr(8, size));
  EXPECT_EQ(header["wide"]["data_offsets"], (nlohmann::json{4, 28}));
  EXPECT_EQ(header["bytes"]["data_offsets"], (nlohmann::json{28, 31}));
  EXPECT_EQ(text.size(), 8 + size + 31);
}

TEST(Safetensors, WithNamesThatTheFormatDoesNotHaveAreNotWritten) {
  const TemporaryFolder folder;
  Weights weights;
  weights.put("__metadata__", {1}, {1});
  EXPECT_THAT(refusal([&] { write_safetensors(folder / "x", weights); }),
              HasSubstr("__metadata__"));
  weights.tensors.clear();
  weights.put("\xff", {1}, {1});
  EXPECT_THAT(refusal([&] { write_safetensors(folder / "x", weights); }), HasSubstr("UTF-8"));
  EXPECT_TRUE(folder.names().empty());
}

TEST(Safetensors, AreWrittenTheSameTwice) {
  const TemporaryFolder folder;
  write_safetensors(folder / "a", sample());
  write_safetensors(folder / "b", read_safetensors(folder / "a"));
  EXPECT_EQ(contents(folder / "a"), contents(folder / "b"));
}

TEST(Safetensors, AreMappedNotCopied) {
  const TemporaryFolder folder;
  // 200 MB of zeros, of which the disk holds only the header.
  const std::uint64_t count = 50'000'000;
  const std::string header =
      "{\"big\":" + entry("F32", fmt::format("[{}]", count), fmt::format("[0,{}]", 4 * count)) +
      "}";
  const std::string padded = header + std::string(8 - header.size() % 8, ' ');
  put(folder / "x.safetensors", safetensors_text(padded, 0));
  std::filesystem::resize_file(folder / "x.safetensors", 8 + padded.size() + 4 * count);

  const auto resident_pages = [] {
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    file >> total >> resident;
    return resident;
  };
  const std::uint64_t before = resident_pages();
  const Weights weights = read_safetensors(folder / "x.safetensors");
  const auto values = float_memory(weights.at("big"));
  ASSERT_EQ(values.size(), count);
  EXPECT_EQ(values[count - 1], 0);
  EXPECT_LT(resident_pages() - before, 5000u);  // of 4 KB: 20 MB
  EXPECT_EQ(static_cast<const void*>(values.data()), weights.at("big").bytes.data());
}

TEST(Safetensors, LiveOnWhenTheFileIsReplacedOrRemoved) {
  const TemporaryFolder folder;
  write_safetensors(folder / "x.safetensors", sample());
  const Weights read = read_safetensors(folder / "x.safetensors");
  Weights other = sample();
  other.put("wide", {9, 9, 9, 9, 9, 9}, {2, 3});
  write_safetensors(folder / "x.safetensors", other);
  EXPECT_THAT(floats_of(read.at("wide")), ElementsAre(1, 2, 3, 4, 5, 6));
  std::filesystem::remove(folder / "x.safetensors");
  EXPECT_THAT(floats_of(read.at("wide")), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Safetensors, WithUnalignedDataAreRead) {
  const TemporaryFolder folder;
  std::string header = "{\"a\":" + entry("F32", "[1]", "[0,4]") + "}";
  while (header.size() % 4 != 1) header += ' ';
  put(folder / "x", safetensors_text(header, 4));
  const Weights read = read_safetensors(folder / "x");
  EXPECT_TRUE(float_memory(read.at("a")).empty());
  EXPECT_THAT(floats_of(read.at("a")), ElementsAre(std::bit_cast<float>(0x04030201u)));
}

TEST(Safetensors, WithoutTensorsAreRead) {
  const TemporaryFolder folder;
  put(folder / "x", safetensors_text("{}", 0));
  EXPECT_TRUE(read_safetensors(folder / "x").tensors.empty());
}

TEST(Safetensors, WithABrokenHeaderAreRefused) {
  const TemporaryFolder folder;
  put(folder / "short", "1234567");
  EXPECT_THAT(refusal([&] { read_safetensors(folder / "short"); }),
              AllOf(HasSubstr("short"), HasSubstr("has 7 bytes")));
  put(folder / "empty", "");
  EXPECT_THAT(refusal([&] { read_safetensors(folder / "empty"); }), HasSubstr("has 0 bytes"));
  EXPECT_THAT(refusal([&] { read_safetensors(folder / "none"); }), HasSubstr("No such file"));
  EXPECT_THAT(refusal([&] { read_safetensors(folder.path()); }), HasSubstr("not a regular file"));
  std::string huge = safetensors_text("{}", 0);
  huge[4] = 1;  // 2^32 + 2 bytes
  put(folder / "huge", huge);
  EXPECT_THAT(refusal([&] { read_safetensors(folder / "huge"); }), HasSubstr("at most 100000000"));
  std::string longer = safetensors_text("{}", 0);
  longer[0] = 3;
  put(folder / "longer", longer);
  EXPECT_THAT(refusal([&] { read_safetensors(folder / "longer"); }),
              HasSubstr("has 3 bytes, but only 2 follow"));
  EXPECT_THAT(refused(" {}", 0), HasSubstr("must begin with '{'"));
  EXPECT_THAT(refused("", 0), HasSubstr("must begin with '{'"));
  EXPECT_THAT(refused("{\"a\":", 0), HasSubstr("not JSON"));
  EXPECT_THAT(refused("{\"a\xff\":1}", 0), HasSubstr("not JSON"));
  EXPECT_THAT(refused(std::string("{}\0{}", 5), 0), HasSubstr("NUL"));
  EXPECT_THAT(refused("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}", 0),
              HasSubstr("nested"));
}

TEST(Safetensors, WithRepeatedKeysAreRefused) {
  const std::string one = entry("U8", "[1]", "[0,1]");
  EXPECT_THAT(refused("{\"a\":" + one + ",\"a\":" + one + "}", 1),
              HasSubstr("key \"a\" appears twice"));
  EXPECT_THAT(refused(R"({"a":{"dtype":"U8","shape":[1],"shape":[2],"data_offsets":[0,1]}})", 1),
              HasSubstr("key \"shape\" appears twice"));
  EXPECT_THAT(refused(R"({"__metadata__":{"k":"1","k":"2"}})", 0),
              HasSubstr("key \"k\" appears twice"));
}

TEST(Safetensors, WithWrongEntriesAreRefused) {
  const auto of = [](const std::string& value) { return "{\"a\\nb\":" + value + "}"; };
  EXPECT_THAT(refused(of("1"), 0),
              AllOf(HasSubstr("tensor 'a\\nb'"), HasSubstr("must be an object")));
  EXPECT_THAT(refused(of("{}"), 0), HasSubstr("dtype must be a string"));
  EXPECT_THAT(refused(of(R"({"dtype":"U8"})"), 0), HasSubstr("shape must be a list"));
  EXPECT_THAT(refused(of(R"({"dtype":"U8","shape":[]})"), 0),
              HasSubstr("data_offsets must be a list"));
  EXPECT_THAT(refused(of(entry("F8_E5M2", "[1]", "[0,1]")), 1),
              HasSubstr("'F8_E5M2' is not supported"));
  EXPECT_THAT(refused(of(entry("U9", "[1]", "[0,1]")), 1), HasSubstr("'U9' is not known"));
  EXPECT_THAT(refused(of(entry("U8", "[-1]", "[0,1]")), 1),
              HasSubstr("shape is [-1], must hold integers"));
  EXPECT_THAT(refused(of(entry("U8", "[1.0]", "[0,1]")), 1), HasSubstr("must hold integers"));
  EXPECT_THAT(refused(of(entry("U8", "[1]", "[0]")), 1), HasSubstr("has 1 values, must have 2"));
  EXPECT_THAT(refused(of(entry("U8", "[1]", "[1,0]")), 1), HasSubstr("[1, 0]"));
  EXPECT_THAT(refused(of(entry("U8", "[2]", "[0,2]")), 1), HasSubstr("within the 1 bytes"));
  EXPECT_THAT(refused(of(entry("F32", "[1]", "[0,2]")), 2), HasSubstr("hold 2 bytes"));
  EXPECT_THAT(refused(R"({"__metadata__":{"k":1}})", 0), HasSubstr("must be a string"));
  EXPECT_THAT(refused(R"({"__metadata__":[]})", 0), HasSubstr("must be an object"));
}

TEST(Safetensors, WhoseShapesOverflowAreRefused) {
  const auto of = [](const std::string& shape) {
    return "{\"a\":" + entry("F64", shape, "[0,8]") + "}";
  };
  EXPECT_THAT(refused(of("[4294967296,4294967296]"), 8), HasSubstr("2^63"));
  EXPECT_THAT(refused(of("[2305843009213693953]"), 8),
              HasSubstr("hold 8 bytes"));  // 2^61 + 1: 8 more than 2^64
  EXPECT_THAT(refused(of("[9223372036854775808]"), 8), HasSubstr("below 2^63"));
  EXPECT_THAT(refused(of("[18446744073709551617]"), 8), HasSubstr("must hold integers"));
}

TEST(Safetensors, WithHolesOverlapsOrARestAreRefused) {
  const auto two = [](const std::string& first, const std::string& second) {
    return "{\"a\":" + entry("U8", "[1]", first) + ",\"b\":" + entry("U8", "[1]", second) + "}";
  };
  EXPECT_THAT(refused(two("[0,1]", "[2,3]"), 3),
              HasSubstr("tensor 'b' begins at byte 2, must begin where another ends, at 1"));
  EXPECT_THAT(refused(two("[0,1]", "[0,1]"), 1),
              HasSubstr("begins at byte 0, must begin where another ends, at 1"));
  EXPECT_THAT(refused(two("[1,2]", "[2,3]"), 3), HasSubstr("tensor 'a' begins at byte 1"));
  EXPECT_THAT(refused(two("[0,1]", "[1,2]"), 3),
              HasSubstr("end at byte 2 of the data, must end at 3"));
  EXPECT_THAT(refused("{}", 1), HasSubstr("must end at 1"));
}

TEST(ShardedWeights, ReadWhatWasWritten) {
  const TemporaryFolder folder;
  Weights weights;
  for (int i = 0; i < 5; ++i)
    weights.put(fmt::format("t{}", i), std::vector<float>(10, static_cast<float>(i)), {10});
  write_sharded(folder.path(), "model", weights,
                {.type = {}, .shard_bytes = 100});  // two of 40 in each
  EXPECT_TRUE(std::filesystem::exists(folder / "model-00003-of-00003.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(folder / "model.safetensors"));
  const auto index = nlohmann::json::parse(contents(folder / "model.safetensors.index.json"));
  EXPECT_EQ(index["metadata"]["total_size"], 200);
  EXPECT_EQ(index["weight_map"]["t4"], "model-00003-of-00003.safetensors");
  const Weights read = read_sharded(folder / "model.safetensors.index.json");
  ASSERT_EQ(read.tensors.size(), 5u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(floats_of(read.at(fmt::format("t{}", i))),
              std::vector<float>(10, static_cast<float>(i)));
  }
}

TEST(ShardedWeights, LeaveNoFilesOfTheOtherKind) {
  const TemporaryFolder folder;
  write_sharded(folder.path(), "model", sample(), {.type = {}, .shard_bytes = 1});
  write_sharded(folder.path(), "model", sample(), {.type = {}, .shard_bytes = 1000});
  EXPECT_FALSE(std::filesystem::exists(folder / "model.safetensors.index.json"));
  write_sharded(folder.path(), "model", sample(), {.type = {}, .shard_bytes = 1});
  EXPECT_FALSE(std::filesystem::exists(folder / "model.safetensors"));
}

TEST(ShardedWeights, WithAnIndexThatLeadsElsewhereAreRefused) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "inner");
  write_safetensors(folder / "outside.safetensors", sample());
  const auto refused_index = [&](const std::string& text) {
    put(folder / "inner/index.json", text);
    return refusal([&] { read_sharded(folder / "inner/index.json"); });
  };
  const auto map = [](const std::string& file) {
    return R"({"weight_map":{"wide":")" + file + R"("}})";
  };
  for (const std::string& file :
       {std::string("../outside.safetensors"), (folder / "outside.safetensors").string(),
        std::string(".."), std::string("."), std::string(""), std::string("a/b")}) {
    EXPECT_THAT(refused_index(map(file)), HasSubstr("must be a file of the same folder")) << file;
  }
  EXPECT_THAT(refused_index(R"({"weight_map":{"wide":1}})"), HasSubstr("must be a string"));
  EXPECT_THAT(refused_index(R"({"weight_map":[]})"), HasSubstr("weight_map must be an object"));
  EXPECT_THAT(refused_index("[]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(refused_index(map("none")), HasSubstr("No such file"));
}

TEST(ShardedWeights, WhoseIndexAndFilesDisagreeAreRefused) {
  const TemporaryFolder folder;
  Weights one;
  one.put("a", {1}, {1});
  one.put("b", {2}, {1});
  write_safetensors(folder / "1", one);
  write_safetensors(folder / "2", one);
  const auto refused_index = [&](const std::string& text) {
    put(folder / "index.json", text);
    return refusal([&] { read_sharded(folder / "index.json"); });
  };
  EXPECT_THAT(refused_index(R"({"weight_map":{"a":"1","b":"1","c":"1"}})"),
              HasSubstr("tensor 'c' is not in '1'"));
  EXPECT_THAT(refused_index(R"({"weight_map":{"a":"1"}})"),
              HasSubstr("holds the tensor 'b', which weight_map does not name"));
  EXPECT_THAT(refused_index(R"({"weight_map":{"a":"1","b":"2"}})"),
              HasSubstr("places in another file"));
}

}  // namespace
}  // namespace rgu::llm
