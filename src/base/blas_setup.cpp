#include "rgu/base/blas_setup.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

extern "C" char* openblas_get_corename();

namespace rgu {
namespace {

// The name OpenBLAS gives to kernels for this instruction set; nullptr below AVX2.
const char* core_type_of_cpu() {
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

bool choose_kernels() {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  const char* core = core_type_of_cpu();
  const bool fell_back = std::string_view(openblas_get_corename()) == "Prescott";
  if (core == nullptr || !fell_back || std::getenv(kVariable) != nullptr) return false;
  // The library reads the variable when it chooses its kernels: let it choose again.
  using Function = void (*)();
  const auto quit = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "gotoblas_dynamic_quit"));
  const auto init = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "gotoblas_dynamic_init"));
  if (quit == nullptr || init == nullptr) return false;
  setenv(kVariable, core, 0);
  quit();
  init();
  unsetenv(kVariable);
  return true;
}

}  // namespace

void prepare_blas() { [[maybe_unused]] static const bool chosen = choose_kernels(); }

}  // namespace rgu
