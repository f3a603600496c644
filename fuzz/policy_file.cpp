// policy.json of a seed: read_policy.
#include "rgu/record/run_files.hpp"
#include "support.hpp"

using namespace rgu;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::scratch_file("policy.json", fuzz::text_of(data, size));
  fuzz::accepted([] { return read_policy(fuzz::scratch_folder()); });
  return 0;
}
