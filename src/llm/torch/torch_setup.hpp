#pragma once

namespace rgu::llm {

// Makes LibTorch and OpenBLAS use `threads` threads (0: as many as the machine has) within an
// operation and one between operations, and OpenBLAS the kernels of this CPU. May be called again,
// with another number too; changes nothing else.
void prepare_torch(int threads);

}  // namespace rgu::llm
