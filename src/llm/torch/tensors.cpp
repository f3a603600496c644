#include "rgu/llm/torch/tensors.hpp"

#include <ATen/ATen.h>

#include <cstdint>
#include <cstring>

#include "rgu/base/check.hpp"

namespace rgu::llm {

at::ScalarType scalar_type_of(DataType type) {
  switch (type) {
    case DataType::kF64:
      return at::kDouble;
    case DataType::kF32:
      return at::kFloat;
    case DataType::kF16:
      return at::kHalf;
    case DataType::kBF16:
      return at::kBFloat16;
    case DataType::kI64:
      return at::kLong;
    case DataType::kI32:
      return at::kInt;
    case DataType::kI16:
      return at::kShort;
    case DataType::kI8:
      return at::kChar;
    case DataType::kU8:
      return at::kByte;
    case DataType::kBool:
      return at::kBool;
  }
  throw InvalidInput("a tensor of an unknown data type");
}

DataType data_type_of(at::ScalarType type) {
  for (const DataType known :
       {DataType::kF64, DataType::kF32, DataType::kF16, DataType::kBF16, DataType::kI64,
        DataType::kI32, DataType::kI16, DataType::kI8, DataType::kU8, DataType::kBool}) {
    if (scalar_type_of(known) == type) return known;
  }
  throw InvalidInput(
      fmt::format("tensors of type {} cannot be kept in a file", c10::toString(type)));
}

at::Device device_named(const std::string& name) {
  try {
    const at::Device device(name);
    static_cast<void>(at::empty({1}, at::TensorOptions().device(device)));
    return device;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    throw InvalidInput(
        fmt::format("device \"{}\" cannot be used: {}", name, text.substr(0, text.find('\n'))));
  }
}

at::Tensor tensor_of(const TensorView& view,
                     const std::vector<std::shared_ptr<const void>>& owners) {
  const auto options = at::TensorOptions().dtype(scalar_type_of(view.type));
  const auto address = reinterpret_cast<std::uintptr_t>(view.bytes.data());
  if (!view.bytes.empty() && address % bytes_of(view.type) == 0) {
    void* memory = const_cast<std::byte*>(view.bytes.data());  // never written: see the header
    return at::from_blob(
        memory, view.shape, [owners](void*) {}, options);
  }
  at::Tensor copy = at::empty(view.shape, options);
  if (!view.bytes.empty()) std::memcpy(copy.data_ptr(), view.bytes.data(), view.bytes.size());
  return copy;
}

void put_tensor(Weights& weights, const std::string& name, const at::Tensor& tensor) {
  const auto owner = std::make_shared<const at::Tensor>(tensor.detach().cpu().contiguous());
  weights.tensors[name] = {
      .type = data_type_of(owner->scalar_type()),
      .shape = owner->sizes().vec(),
      .bytes = {static_cast<const std::byte*>(owner->data_ptr()), owner->nbytes()}};
  weights.owners.push_back(owner);
}

void put_copy(Weights& weights, const std::string& name, const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
  const float* first = values.data_ptr<float>();
  weights.put(name, std::vector<float>(first, first + values.numel()), values.sizes().vec());
}

}  // namespace rgu::llm
