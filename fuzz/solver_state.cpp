// The state of a solver in a checkpoint: parse_state, and what to_text writes reads back the same.
#include "rgu/solver/state_file.hpp"
#include "support.hpp"

using namespace rgu;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto state = fuzz::accepted([&] { return parse_state(fuzz::text_of(data, size)); });
  if (!state) return 0;
  const std::string text = to_text(*state);
  fuzz::require(to_text(parse_state(text)) == text, "a written state reads back the same");
  return 0;
}
