#include "rgu/base/dense_kernels_loops.hpp"

namespace rgu {

const DenseKernels& portable_dense_kernels() { return kLoops; }

}  // namespace rgu
