// Named tensors as they lie in a file: what readers give, what writers take, and what the decode
// path and the LibTorch models are both loaded from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rgu::llm {

enum class DataType { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU8, kBool };

std::string_view name_of(DataType type);  // as safetensors spells it: "F32", "BF16", ...
std::size_t bytes_of(DataType type);      // of one element
bool is_floating(DataType type);
DataType data_type_named(std::string_view name);  // throws InvalidInput, naming those there are

using TensorShape = std::vector<std::int64_t>;
// 1 for a scalar, whose shape is empty. Throws InvalidInput for a negative size or a product beyond
// 2^63.
std::int64_t element_count(const TensorShape& shape);
std::string text_of(const TensorShape& shape);  // "[3, 64]"

// A row-major, little-endian tensor. A view: its bytes belong to someone else.
struct TensorView {
  DataType type = DataType::kF32;
  TensorShape shape = {};
  std::span<const std::byte> bytes = {};
};

TensorView view_of(std::span<const float> values, TensorShape shape);

// The values as floats, converted where the type differs; every type has such values. These
// functions throw InvalidInput where sizes do not agree.
void copy_floats(const TensorView& tensor, std::span<float> values);
std::vector<float> floats_of(const TensorView& tensor);
// The values as F32, F16 or BF16, the latter two rounded from F32 to nearest even: what a writer
// needs. Throws InvalidInput for another type, unless it is the tensor's own.
std::vector<std::byte> converted(const TensorView& tensor, DataType type);
// The tensor's own memory if it is F32 and aligned for floats, otherwise an empty span.
std::span<const float> float_memory(const TensorView& tensor);

// Tensors by name, and what keeps their bytes alive: a mapped file, buffers, tensors of LibTorch.
// Copies share the owners.
struct Weights {
  std::map<std::string, TensorView> tensors = {};
  std::vector<std::shared_ptr<const void>> owners = {};
  std::map<std::string, std::string> metadata = {};

  bool contains(const std::string& name) const { return tensors.contains(name); }
  const TensorView& at(const std::string& name) const;  // throws InvalidInput if there is none
  // Puts a tensor of its own, replacing one of that name (whose bytes live on, for views of them).
  void put(const std::string& name, std::vector<float> values, TensorShape shape);
  // Puts all of `other` under prefix + name, sharing its bytes.
  void put_all(const std::string& prefix, const Weights& other);
  // The tensors whose names begin with the prefix, without it.
  Weights part(const std::string& prefix) const;
};

}  // namespace rgu::llm
