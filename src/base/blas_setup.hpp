// OpenBLAS with the kernels this CPU deserves.
#pragma once

#include <string>

namespace rgu {

// OpenBLAS 0.3.21 does not know CPUs newer than itself and falls back to kernels without AVX, which
// are several times slower. Where that happened, and OPENBLAS_CORETYPE is not set, this chooses the
// best kernels the CPU supports. Called before every use of BLAS in this library; only the first
// call does anything.
void prepare_blas();

// The name OpenBLAS gives to kernels for this CPU's instruction set; nullptr below AVX2.
const char* blas_core_of_cpu();

struct BlasFacts {
  std::string library;   // "OpenBLAS 0.3.21 ..."
  std::string kernels;   // those in use
  std::string replaced;  // those that the library had chosen before prepare_blas(); empty: the same
  std::string threading;  // "none", "pthreads" or "openmp"
  int threads = 1;
};
BlasFacts blas_facts();

// Products by so many threads from now on.
void set_blas_threads(int threads);

}  // namespace rgu
