// The kernels of an instruction set.
#pragma once

#include "rgu/llm/decode/decoder.hpp"
#include "rgu/llm/decode/kernels.hpp"

namespace rgu::llm::decode {

// Throws InvalidInput if this CPU cannot run them.
const Kernels& kernels_of(InstructionSet set);

}  // namespace rgu::llm::decode
