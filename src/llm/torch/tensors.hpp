// Between tensors of files and tensors of LibTorch.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "rgu/llm/files/tensor.hpp"

namespace rgu::llm {

at::ScalarType scalar_type_of(DataType type);
DataType data_type_of(
    at::ScalarType type);  // throws InvalidInput for a type that files do not have

// Throws InvalidInput if `name` is no device, or one this LibTorch or machine does not have.
at::Device device_named(const std::string& name);

// The tensor on the CPU, of the type it has in the file. It shares the memory where that is aligned
// for its type, and keeps `owners` alive; that memory may be mapped read-only, so it must not be
// written to.
at::Tensor tensor_of(const TensorView& view,
                     const std::vector<std::shared_ptr<const void>>& owners);

// Puts a view of the tensor's memory (of a copy, if it is on a GPU or not contiguous).
void put_tensor(Weights& weights, const std::string& name, const at::Tensor& tensor);
// Puts a float32 copy.
void put_copy(Weights& weights, const std::string& name, const at::Tensor& tensor);

}  // namespace rgu::llm
