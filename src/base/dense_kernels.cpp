#include "rgu/base/dense_kernels.hpp"

#include "rgu/base/instruction_set.hpp"

namespace rgu {
namespace {

const DenseKernels& widest_dense_kernels() {
  return instruction_set() >= InstructionSet::kAvx2 ? *avx2_dense_kernels()
                                                    : portable_dense_kernels();
}

}  // namespace

#if !defined(__x86_64__)
const DenseKernels* avx2_dense_kernels() { return nullptr; }
#endif

const DenseKernels& dense_kernels() {
  static const DenseKernels& kernels = widest_dense_kernels();
  return kernels;
}

}  // namespace rgu
