#include "rgu/base/blas_setup.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

extern "C" {
char* openblas_get_corename();
char* openblas_get_config();
int openblas_get_num_threads();
int openblas_get_parallel();
void openblas_set_num_threads(int threads);
}

namespace rgu {
namespace {

// What the library had chosen, where that was replaced; otherwise empty.
std::string choose_kernels() {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  const char* core = blas_core_of_cpu();
  const bool fell_back = std::string_view(openblas_get_corename()) == "Prescott";
  if (core == nullptr || !fell_back || std::getenv(kVariable) != nullptr) return {};
  // The library reads the variable when it chooses its kernels: let it choose again.
  using Function = void (*)();
  const auto quit = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "gotoblas_dynamic_quit"));
  const auto init = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "gotoblas_dynamic_init"));
  if (quit == nullptr || init == nullptr) return {};
  std::string replaced = openblas_get_corename();
  setenv(kVariable, core, 0);
  quit();
  init();
  unsetenv(kVariable);
  return replaced;
}

const std::string& replaced_kernels() {
  static const std::string replaced = choose_kernels();
  return replaced;
}

}  // namespace

const char* blas_core_of_cpu() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd")) {
    return "SkylakeX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

void prepare_blas() { replaced_kernels(); }

BlasFacts blas_facts() {
  constexpr const char* kThreading[] = {"none", "pthreads", "openmp"};
  BlasFacts facts;
  facts.replaced = replaced_kernels();
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": the name and the version.
  const std::string config = openblas_get_config();
  facts.library = config.substr(0, config.find(' ', config.find(' ') + 1));
  facts.kernels = openblas_get_corename();
  facts.threading = kThreading[openblas_get_parallel()];
  facts.threads = openblas_get_num_threads();
  return facts;
}

void set_blas_threads(int threads) { openblas_set_num_threads(threads); }

}  // namespace rgu
