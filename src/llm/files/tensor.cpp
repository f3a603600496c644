#include "rgu/llm/files/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/half_float.hpp"
#include "rgu/llm/files/json_text.hpp"

namespace rgu::llm {

static_assert(std::endian::native == std::endian::little, "tensors lie in files little-endian");

namespace {

struct TypeRow {
  DataType type;
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<TypeRow, 10> kTypes = {{{DataType::kF64, "F64", 8},
                                             {DataType::kF32, "F32", 4},
                                             {DataType::kF16, "F16", 2},
                                             {DataType::kBF16, "BF16", 2},
                                             {DataType::kI64, "I64", 8},
                                             {DataType::kI32, "I32", 4},
                                             {DataType::kI16, "I16", 2},
                                             {DataType::kI8, "I8", 1},
                                             {DataType::kU8, "U8", 1},
                                             {DataType::kBool, "BOOL", 1}}};

const TypeRow& row_of(DataType type) { return kTypes[static_cast<std::size_t>(type)]; }

void check_bytes(const TensorView& tensor) {
  const auto expected = static_cast<Uint128>(element_count(tensor.shape)) * bytes_of(tensor.type);
  check(tensor.bytes.size() == expected,
        "a tensor of shape {} and type {} has {} bytes, must have {}", text_of(tensor.shape),
        name_of(tensor.type), tensor.bytes.size(), static_cast<std::uint64_t>(expected));
}

// The i-th stored value, which need not be aligned.
template <class Stored>
Stored stored_at(std::span<const std::byte> bytes, std::size_t i) {
  Stored value;
  std::memcpy(&value, bytes.data() + i * sizeof(Stored), sizeof(Stored));
  return value;
}

template <class Stored, class Convert>
void convert(std::span<const std::byte> bytes, std::span<float> values, Convert to_float) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = to_float(stored_at<Stored>(bytes, i));
}

template <class Stored>
void convert(std::span<const std::byte> bytes, std::span<float> values) {
  convert<Stored>(bytes, values, [](Stored value) { return static_cast<float>(value); });
}

template <class Narrow>
std::vector<std::byte> narrowed(std::span<const float> values, Narrow narrow) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::uint16_t));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t bits = narrow(values[i]);
    std::memcpy(bytes.data() + i * sizeof(bits), &bits, sizeof(bits));
  }
  return bytes;
}

}  // namespace

std::string_view name_of(DataType type) { return row_of(type).name; }

std::size_t bytes_of(DataType type) { return row_of(type).bytes; }

bool is_floating(DataType type) {
  return type == DataType::kF64 || type == DataType::kF32 || type == DataType::kF16 ||
         type == DataType::kBF16;
}

DataType data_type_named(std::string_view name) {
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.type;
  }
  // The kinds that safetensors has beside them: 8 bits and fewer.
  const bool small = name.starts_with("F8_") || name.starts_with("F6_") || name.starts_with("F4");
  throw InvalidInput(
      fmt::format("type {} is {}, must be F64, F32, F16, BF16, I64, I32, I16, I8, U8 or BOOL",
                  in_quotes(name), small ? "not supported" : "not known"));
}

std::int64_t element_count(const TensorShape& shape) {
  bool negative = false;
  bool empty = false;
  bool fits = true;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    negative = negative || size < 0;
    empty = empty || size == 0;
    fits = fits && !__builtin_mul_overflow(count, size, &count);
  }
  check(!negative, "a tensor's shape is {}, must not have a negative size", text_of(shape));
  check(fits || empty, "a tensor's shape is {}, must have fewer than 2^63 elements",
        text_of(shape));
  return empty ? 0 : count;
}

std::string text_of(const TensorShape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

TensorView view_of(std::span<const float> values, TensorShape shape) {
  TensorView view{
      .type = DataType::kF32, .shape = std::move(shape), .bytes = std::as_bytes(values)};
  check_bytes(view);
  return view;
}

void copy_floats(const TensorView& tensor, std::span<float> values) {
  check_bytes(tensor);
  check(values.size() == static_cast<std::size_t>(element_count(tensor.shape)),
        "a tensor of shape {} is copied into {} values", text_of(tensor.shape), values.size());
  if (values.empty()) return;
  switch (tensor.type) {
    case DataType::kF64:
      return convert<double>(tensor.bytes, values);
    case DataType::kF32:
      std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
      return;
    case DataType::kF16:
      return convert<std::uint16_t>(tensor.bytes, values, float_of_f16);
    case DataType::kBF16:
      return convert<std::uint16_t>(tensor.bytes, values, float_of_bf16);
    case DataType::kI64:
      return convert<std::int64_t>(tensor.bytes, values);
    case DataType::kI32:
      return convert<std::int32_t>(tensor.bytes, values);
    case DataType::kI16:
      return convert<std::int16_t>(tensor.bytes, values);
    case DataType::kI8:
      return convert<std::int8_t>(tensor.bytes, values);
    case DataType::kU8:
      return convert<std::uint8_t>(tensor.bytes, values);
    case DataType::kBool:
      return convert<std::uint8_t>(tensor.bytes, values,
                                   [](std::uint8_t value) { return value == 0 ? 0.0f : 1.0f; });
  }
}

std::vector<float> floats_of(const TensorView& tensor) {
  check_bytes(tensor);
  std::vector<float> values(static_cast<std::size_t>(element_count(tensor.shape)));
  copy_floats(tensor, values);
  return values;
}

std::vector<std::byte> converted(const TensorView& tensor, DataType type) {
  check_bytes(tensor);
  if (type == tensor.type) return {tensor.bytes.begin(), tensor.bytes.end()};
  check(type == DataType::kF32 || type == DataType::kF16 || type == DataType::kBF16,
        "tensors are converted to F32, F16 or BF16, not from {} to {}", name_of(tensor.type),
        name_of(type));
  const std::vector<float> values = floats_of(tensor);
  if (type == DataType::kF16) return narrowed(values, f16_of);
  if (type == DataType::kBF16) return narrowed(values, bf16_of);
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

std::span<const float> float_memory(const TensorView& tensor) {
  check_bytes(tensor);
  const bool aligned = reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % alignof(float) == 0;
  if (tensor.type != DataType::kF32 || !aligned) return {};
  return {reinterpret_cast<const float*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(float)};
}

const TensorView& Weights::at(const std::string& name) const {
  const auto found = tensors.find(name);
  check(found != tensors.end(), "there is no tensor {}", in_quotes(name));
  return found->second;
}

void Weights::put(const std::string& name, std::vector<float> values, TensorShape shape) {
  const auto owner = std::make_shared<const std::vector<float>>(std::move(values));
  tensors[name] = view_of(*owner, std::move(shape));
  owners.push_back(owner);
}

void Weights::put_all(const std::string& prefix, const Weights& other) {
  for (const auto& [name, tensor] : other.tensors) tensors[prefix + name] = tensor;
  owners.insert(owners.end(), other.owners.begin(), other.owners.end());
}

Weights Weights::part(const std::string& prefix) const {
  Weights part{.tensors = {}, .owners = owners, .metadata = {}};
  for (const auto& [name, tensor] : tensors) {
    if (name.starts_with(prefix)) part.tensors[name.substr(prefix.size())] = tensor;
  }
  return part;
}

}  // namespace rgu::llm
