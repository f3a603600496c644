// Prompts and compared answers as lines of JSON, plain or compressed: read_preferences and
// read_prompts.
#include "rgu/llm/text/preferences.hpp"

#include "support.hpp"

using namespace rgu;
using namespace rgu::llm;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto path = fuzz::scratch_file("pairs.jsonl", fuzz::text_of(data, size));
  const auto pairs = fuzz::accepted([&] { return read_preferences(path); });
  for (const PreferencePair& pair : pairs.value_or(std::vector<PreferencePair>())) {
    fuzz::accepted([&] { return check_safety_labels(pair), 0; });
    fuzz::require(model_prompt(pair).size() >= pair.prompt.size(), "a prompt is kept whole");
  }
  fuzz::accepted([&] { return read_prompts(path); });
  return 0;
}
