#include "rgu/llm/torch/torch_setup.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <thread>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

// The number may be set only once, before the first use: later calls throw.
bool one_thread_between_operations() {
  try {
    at::set_num_interop_threads(1);
  } catch (const std::exception&) {
    return false;  // someone else has decided
  }
  return true;
}

}  // namespace

void prepare_torch(int threads) {
  check(threads >= 0, "threads = {}: must be at least 0", threads);
  if (threads == 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  prepare_blas();
  [[maybe_unused]] static const bool decided = one_thread_between_operations();
  at::set_num_threads(threads);
  set_blas_threads(threads);  // LibTorch's setting does not reach the BLAS that it calls
}

}  // namespace rgu::llm
