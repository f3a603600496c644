#include "rgu/base/instruction_set.hpp"

#include <algorithm>
#include <cstdlib>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

constexpr InstructionSet kInstructionSets[] = {InstructionSet::kPortable, InstructionSet::kAvx2,
                                               InstructionSet::kAvx512};

bool cpu_has(InstructionSet set) {
  if (set == InstructionSet::kPortable) return true;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return avx2 && (set == InstructionSet::kAvx2 || __builtin_cpu_supports("avx512f"));
#else
  return false;
#endif
}

InstructionSet named(std::string_view name, std::string_view what) {
  const auto* const set =
      std::ranges::find(kInstructionSets, name, [](InstructionSet s) { return name_of(s); });
  check(set != std::end(kInstructionSets), "{} is '{}', must be portable, avx2 or avx512", what,
        name);
  check(cpu_has(*set), "{} is {}, which this CPU does not have", what, name);
  return *set;
}

}  // namespace

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::kPortable:
      return "portable";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kAvx512:
      return "avx512";
  }
  return "portable";
}

InstructionSet instruction_set_named(std::string_view name) {
  return named(name, "instruction set");
}

std::vector<InstructionSet> instruction_sets_of_cpu() {
  std::vector<InstructionSet> sets;
  std::ranges::copy_if(kInstructionSets, std::back_inserter(sets), cpu_has);
  return sets;
}

InstructionSet instruction_set() {
  static const InstructionSet set = [] {
    const char* name = std::getenv("RGU_INSTRUCTIONS");
    return name != nullptr ? named(name, "RGU_INSTRUCTIONS") : instruction_sets_of_cpu().back();
  }();
  return set;
}

}  // namespace rgu
