#include "rgu/base/version.hpp"

#include <fmt/format.h>

#include <string_view>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/dense_kernels.hpp"

namespace rgu {
namespace {

#ifdef NDEBUG
constexpr std::string_view kKind = "release";
#else
constexpr std::string_view kKind = "debug";
#endif
#ifdef __clang__
constexpr std::string_view kCompiler = "clang++ " __clang_version__;
#else
constexpr std::string_view kCompiler = "g++ " __VERSION__;
#endif

// "-O3 -DNDEBUG": without the spaces that joining lists of flags leaves.
std::string trimmed(std::string_view flags) {
  const std::size_t begin = flags.find_first_not_of(' ');
  if (begin == flags.npos) return "none";
  return std::string(flags.substr(begin, flags.find_last_not_of(' ') + 1 - begin));
}

}  // namespace

std::string version_text() { return fmt::format("rgu {}, {}, {}", RGU_VERSION, kCompiler, kKind); }

std::string widest_instructions() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "AVX-512";
  if (__builtin_cpu_supports("avx2")) return "AVX2";
  return "SSE2";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "scalar";
#endif
}

BuildFacts build_facts() {
  const BlasFacts blas = blas_facts();
  const bool avx2 = &dense_kernels() == avx2_dense_kernels();
  return {{"version", RGU_VERSION},
          {"compiler", std::string(kCompiler)},
          {"build", fmt::format("{}, {}", kKind, RGU_BUILD_TYPE)},
          {"flags", trimmed(RGU_FLAGS)},
          {"sanitizers", trimmed(RGU_SANITIZERS)},
          {"instructions", widest_instructions()},
          {"dense kernels", avx2 ? "AVX2" : "portable"},
          {"blas", fmt::format("{}, kernels {}", blas.library, blas.kernels)}};
}

}  // namespace rgu
