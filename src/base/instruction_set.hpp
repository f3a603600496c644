// Vector instructions for the loops that are compiled for several instruction sets.
#pragma once

#include <string_view>
#include <vector>

namespace rgu {

enum class InstructionSet { kPortable, kAvx2, kAvx512 };  // in order of width; kAvx2 includes FMA

std::string_view name_of(InstructionSet set);  // "portable", "avx2", "avx512"

// Throws InvalidInput for any other name, or if this CPU does not have the instructions.
InstructionSet instruction_set_named(std::string_view name);

std::vector<InstructionSet> instruction_sets_of_cpu();  // kPortable first, the widest last

// The widest set of this CPU, or the one that the environment variable RGU_INSTRUCTIONS names; read
// once. Throws InvalidInput as instruction_set_named does.
InstructionSet instruction_set();

}  // namespace rgu
