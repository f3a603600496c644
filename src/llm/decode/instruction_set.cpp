#include "rgu/llm/decode/instruction_set.hpp"

#include "rgu/base/check.hpp"

namespace rgu::llm::decode {
namespace {

// None where this CPU cannot run them.
const Kernels* runnable(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512 && __builtin_cpu_supports("avx512f")) return avx512_kernels();
  if (set == InstructionSet::kAvx2 && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma")) {
    return avx2_kernels();
  }
#endif
  return set == InstructionSet::kPortable ? portable_kernels() : nullptr;
}

}  // namespace

const Kernels& kernels_of(InstructionSet set) {
  const Kernels* kernels = runnable(set);
  check(kernels != nullptr, "instruction set is {}, which this CPU does not have", name_of(set));
  return *kernels;
}

#if !defined(__x86_64__)
const Kernels* avx2_kernels() { return nullptr; }
const Kernels* avx512_kernels() { return nullptr; }
#endif

}  // namespace rgu::llm::decode
