// OpenBLAS with the kernels this CPU deserves.
#pragma once

namespace rgu {

// OpenBLAS 0.3.21 does not know CPUs newer than itself and falls back to kernels without AVX, which
// are several times slower. Where that happened, and OPENBLAS_CORETYPE is not set, this chooses the
// best kernels the CPU supports. Called before every use of BLAS in this library; only the first
// call does anything.
void prepare_blas();

}  // namespace rgu
