#include "rgu/base/philox_lanes.hpp"

namespace rgu {

PhiloxKernel philox_kernel([[maybe_unused]] InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return philox::avx512;
  if (set == InstructionSet::kAvx2) return philox::avx2;
#endif
  return philox::portable;
}

void philox_lanes(const StreamFamily& streams, std::uint32_t trajectory, std::uint32_t counter,
                  std::uint64_t* first, std::uint64_t* second) {
  static const PhiloxKernel kernel = philox_kernel(instruction_set());
  kernel({streams.seed, streams.stream, trajectory, counter}, first, second);
}

}  // namespace rgu
