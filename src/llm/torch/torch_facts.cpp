#include "rgu/llm/torch/torch_facts.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/csrc/api/include/torch/version.h>

#include "rgu/llm/torch/torch_setup.hpp"

namespace rgu::llm {
namespace {

// Versions differ in where they tell this, but all have this line of their report:
// "  - CPU capability usage: AVX512".
std::string cpu_capability() {
  const std::string report = at::show_config();
  const std::string label = "CPU capability usage: ";
  const std::size_t begin = report.find(label);
  if (begin == std::string::npos) return "unknown";
  const std::size_t value = begin + label.size();
  return report.substr(value, report.find('\n', value) - value);
}

}  // namespace

TorchFacts torch_facts() {
  prepare_torch(0);
  return {.version = TORCH_VERSION,
          .instructions = cpu_capability(),
          .threads = at::get_num_threads(),
          .cuda = at::hasCUDA()};
}

}  // namespace rgu::llm
