#include "rgu/base/dense_kernels.hpp"

namespace rgu {
namespace {

const DenseKernels& best_for_this_cpu() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return *avx2_dense_kernels();
#endif
  return portable_dense_kernels();
}

}  // namespace

#if !defined(__x86_64__)
const DenseKernels* avx2_dense_kernels() { return nullptr; }
#endif

const DenseKernels& dense_kernels() {
  static const DenseKernels& kernels = best_for_this_cpu();
  return kernels;
}

}  // namespace rgu
