// Which LibTorch this is, for those who do not see it.
#pragma once

#include <string>

namespace rgu::llm {

struct TorchFacts {
  std::string version = {};       // "1.13.1"
  std::string instructions = {};  // that its own kernels use: "AVX512", "AVX2", "DEFAULT", ...
  int threads = 1;                // within an operation, after prepare_torch
  bool cuda = false;              // is there a GPU it can use?
};
TorchFacts torch_facts();

}  // namespace rgu::llm
