#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/files/mapped_file.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

using nlohmann::json;

constexpr std::size_t kSizeBytes = 8;  // of the header's size

struct FileParts {
  std::string_view header;
  std::span<const std::byte> data;
};

FileParts parts_of(std::span<const std::byte> file, const std::string& where) {
  check(file.size() >= kSizeBytes, "{}: has {} bytes, a safetensors file has at least {}", where,
        file.size(), kSizeBytes);
  std::uint64_t size = 0;
  std::memcpy(&size, file.data(), kSizeBytes);
  check(size <= kLargestJson, "{}: its header has {} bytes, must have at most {}", where, size,
        kLargestJson);
  check(size <= file.size() - kSizeBytes, "{}: its header has {} bytes, but only {} follow", where,
        size, file.size() - kSizeBytes);
  const auto rest = file.subspan(kSizeBytes);
  const std::string_view header(reinterpret_cast<const char*>(rest.data()), size);
  check(header.starts_with('{'), "{}: its header must begin with '{{'", where);
  return {.header = header, .data = rest.subspan(size)};
}

// The unsigned integers of a list; a number such as 1.0, -1 or 1e30 is none.
std::vector<std::uint64_t> integers(const json& entry, const char* key, const std::string& where) {
  const auto found = entry.find(key);
  check(found != entry.end() && found->is_array(), "{}: {} must be a list", where, key);
  std::vector<std::uint64_t> values;
  for (const json& value : *found) {
    check(value.is_number_unsigned(), "{}: {} is {}, must hold integers from 0 on", where, key,
          one_line(*found));
    values.push_back(value.get<std::uint64_t>());
  }
  return values;
}

TensorShape shape_of(const json& entry, const std::string& where) {
  TensorShape shape;
  for (const std::uint64_t size : integers(entry, "shape", where)) {
    check(size <= std::uint64_t{INT64_MAX}, "{}: its shape has a size {}, must be below 2^63",
          where, size);
    shape.push_back(static_cast<std::int64_t>(size));
  }
  return shape;
}

DataType type_of(const json& entry, const std::string& where) {
  const auto found = entry.find("dtype");
  check(found != entry.end() && found->is_string(), "{}: dtype must be a string", where);
  try {
    return data_type_named(found->get_ref<const std::string&>());
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", where, error.what()));
  }
}

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string name = {};
};

Range range_of(const json& entry, std::uint64_t size, const std::string& where) {
  const auto offsets = integers(entry, "data_offsets", where);
  check(offsets.size() == 2, "{}: data_offsets has {} values, must have 2", where, offsets.size());
  check(offsets[0] <= offsets[1] && offsets[1] <= size,
        "{}: data_offsets is [{}, {}], must be a range within the {} bytes of data", where,
        offsets[0], offsets[1], size);
  return {.begin = offsets[0], .end = offsets[1]};
}

std::int64_t checked_count(const TensorShape& shape, const std::string& where) {
  try {
    return element_count(shape);
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", where, error.what()));
  }
}

// The tensor that `entry` describes; `range` becomes where it lies.
TensorView tensor_of(const json& entry, std::span<const std::byte> data, const std::string& where,
                     Range& range) {
  check(entry.is_object(), "{}: its entry must be an object", where);
  TensorView view{.type = type_of(entry, where), .shape = shape_of(entry, where), .bytes = {}};
  range = range_of(entry, data.size(), where);
  const auto expected =
      static_cast<Uint128>(checked_count(view.shape, where)) * bytes_of(view.type);
  check(range.end - range.begin == expected,
        "{}: data_offsets [{}, {}] hold {} bytes, which shape {} of {} does not", where,
        range.begin, range.end, range.end - range.begin, text_of(view.shape), name_of(view.type));
  view.bytes = data.subspan(range.begin, range.end - range.begin);
  return view;
}

// The tensors fill the data one after the other: neither overlap nor hole.
void check_cover(std::vector<Range> ranges, std::uint64_t size, const std::string& where) {
  std::ranges::sort(ranges, {},
                    [](const Range& range) { return std::pair(range.begin, range.end); });
  std::uint64_t end = 0;
  for (const Range& range : ranges) {
    check(range.begin == end,
          "{}: tensor {} begins at byte {}, must begin where another ends, at {}", where,
          in_quotes(range.name), range.begin, end);
    end = range.end;
  }
  check(end == size, "{}: its tensors end at byte {} of the data, must end at {}", where, end,
        size);
}

std::map<std::string, std::string> metadata_of(const json& entry, const std::string& where) {
  check(entry.is_object(), "{}: __metadata__ must be an object", where);
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : entry.items()) {
    check(value.is_string(), "{}: __metadata__ {} is {}, must be a string", where, in_quotes(key),
          one_line(value));
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

}  // namespace

Weights read_safetensors(const std::filesystem::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  const std::string where = path.string();
  const auto [header, data] = parts_of(file->bytes(), where);
  const json entries = parse_json(header, where);
  Weights weights;
  weights.owners.push_back(file);
  std::vector<Range> ranges;
  for (const auto& [name, entry] : entries.items()) {
    if (name == "__metadata__") {
      weights.metadata = metadata_of(entry, where);
      continue;
    }
    Range range;
    weights.tensors.emplace(
        name, tensor_of(entry, data, fmt::format("{}: tensor {}", where, in_quotes(name)), range));
    range.name = name;
    ranges.push_back(std::move(range));
  }
  check_cover(std::move(ranges), data.size(), where);
  return weights;
}

}  // namespace rgu::llm
