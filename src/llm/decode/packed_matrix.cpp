#include "rgu/llm/decode/packed_matrix.hpp"

#include <algorithm>

#include "rgu/llm/decode/team.hpp"

namespace rgu::llm::decode {
namespace {

// A tensor as floats: its own memory where that is possible.
class FloatTensor {
 public:
  explicit FloatTensor(const TensorView& tensor) : values_(float_memory(tensor)) {
    if (values_.empty()) {
      copy_ = floats_of(tensor);
      values_ = copy_;
    }
  }
  const float* data() const { return values_.data(); }

 private:
  std::vector<float> copy_ = {};
  std::span<const float> values_ = {};
};

float shift_through(const float* weights, const std::vector<float>& shift) {
  double total = 0;
  for (std::size_t k = 0; k < shift.size(); ++k) {
    total += static_cast<double>(weights[k]) * static_cast<double>(shift[k]);
  }
  return static_cast<float>(total);
}

}  // namespace

void PackedMatrix::reshape(Size outputs, Size depth) {
  const Size panels = (outputs + kPanel - 1) / kPanel;
  if (panels != panels_ || depth != depth_) {
    weights_ = FloatBuffer(panels * depth * kPanel);
    bias_ = FloatBuffer(panels * kPanel);
    panels_ = panels;
    depth_ = depth;
    // Padding is in the last panel, or, where gates alternate with what they gate, in the last two.
    const Size padded = std::min<Size>(panels, 2) * depth * kPanel;
    std::fill_n(weights_.data() + weights_.size() - padded, padded, 0.0f);
  }
  std::fill_n(bias_.data(), bias_.size(), 0.0f);
}

void PackedMatrix::place(const LinearSource& source, Size first_depth, int threads,
                         const std::function<Size(Size)>& output_of) {
  constexpr Size kRows = 32;     // a block of so many rows ...
  constexpr Size kColumns = 64;  // ... and columns is packed within the cache
  const Size rows = source.weight.shape[0];
  const Size columns = source.weight.shape[1];
  const FloatTensor weight(source.weight);
  const std::vector<float> bias = source.bias ? floats_of(*source.bias) : std::vector<float>{};
  const auto pack_block = [&](Size row, Size first, Size last) {
    const Size output = output_of(row);
    const float* from = weight.data() + row * columns;
    float* to =
        weights_.data() + (output / kPanel * depth_ + first_depth) * kPanel + output % kPanel;
    const float* gain = source.norm != nullptr ? source.norm->gain.data() : nullptr;
    for (Size k = first; k < last; ++k) {
      to[k * kPanel] = gain != nullptr ? from[k] * gain[k] : from[k];
    }
  };
  const auto add_bias = [&](Size row) {
    float& total = bias_.data()[output_of(row)];
    if (!bias.empty()) total += bias[static_cast<std::size_t>(row)];
    if (source.norm != nullptr) {
      total += shift_through(weight.data() + row * columns, source.norm->shift);
    }
  };
  run_team(threads, [&](const Team& team) {
    const Range blocks = team.share((rows + kRows - 1) / kRows);
    for (Size block = blocks.begin; block < blocks.end; ++block) {
      const Size end = std::min(rows, (block + 1) * kRows);
      for (Size first = 0; first < columns; first += kColumns) {
        const Size last = std::min(columns, first + kColumns);
        for (Size row = block * kRows; row < end; ++row) pack_block(row, first, last);
      }
      for (Size row = block * kRows; row < end; ++row) add_bias(row);
    }
  });
}

}  // namespace rgu::llm::decode
