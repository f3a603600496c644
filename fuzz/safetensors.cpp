// Weights in safetensors files: read_safetensors, the values of every tensor, and what
// write_safetensors writes reads back the same.
#include "rgu/llm/files/safetensors.hpp"

#include <algorithm>

#include "support.hpp"

using namespace rgu;
using namespace rgu::llm;

namespace {

bool same_tensor(const TensorView& x, const TensorView& y) {
  return x.type == y.type && x.shape == y.shape && std::ranges::equal(x.bytes, y.bytes);
}

bool same_weights(const Weights& x, const Weights& y) {
  return x.metadata == y.metadata &&
         std::equal(x.tensors.begin(), x.tensors.end(), y.tensors.begin(), y.tensors.end(),
                    [](const auto& a, const auto& b) {
                      return a.first == b.first && same_tensor(a.second, b.second);
                    });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto path = fuzz::scratch_file("input.safetensors", fuzz::text_of(data, size));
  const auto weights = fuzz::accepted([&] { return read_safetensors(path); });
  if (!weights) return 0;
  for (const auto& [name, tensor] : weights->tensors) floats_of(tensor);
  const auto written = fuzz::scratch_folder() / "written.safetensors";
  write_safetensors(written, *weights);
  fuzz::require(same_weights(*weights, read_safetensors(written)),
                "written weights read back the same");
  write_safetensors(written, *weights, DataType::kBF16);
  read_safetensors(written);
  return 0;
}
