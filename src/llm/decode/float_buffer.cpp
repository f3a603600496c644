#include "rgu/llm/decode/float_buffer.hpp"

#include <algorithm>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace rgu::llm::decode {

FloatBuffer::FloatBuffer(Size size) : size_(size) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  const std::size_t bytes =
      std::max<std::size_t>(static_cast<std::size_t>(size) * sizeof(float), 1);
  const std::size_t unit = bytes >= 2 * kLargePage ? kLargePage : kLine;
  const std::size_t whole = (bytes + unit - 1) / unit * unit;
  data_.reset(static_cast<float*>(std::aligned_alloc(unit, whole)));
  if (!data_) throw std::bad_alloc();
#if defined(__linux__)
  if (unit == kLargePage)
    madvise(data_.get(), whole, MADV_HUGEPAGE);  // a wish; refusal is harmless
#endif
}

FloatBuffer zeros(Size size) {
  FloatBuffer buffer(size);
  std::fill_n(buffer.data(), size, 0.0f);
  return buffer;
}

}  // namespace rgu::llm::decode
