#include "rgu/base/philox_lanes.hpp"

namespace rgu {
namespace {

using Blocks = void (*)(const philox::Request&, std::uint64_t*, std::uint64_t*);

Blocks best_for_this_cpu() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return philox::avx512;
  if (__builtin_cpu_supports("avx2")) return philox::avx2;
#endif
  return philox::portable;
}

}  // namespace

void philox_lanes(const StreamFamily& streams, std::uint32_t trajectory, std::uint32_t counter,
                  std::uint64_t* first, std::uint64_t* second) {
  static const Blocks blocks = best_for_this_cpu();
  blocks({streams.seed, streams.stream, trajectory, counter}, first, second);
}

}  // namespace rgu
