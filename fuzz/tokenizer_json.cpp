// tokenizer.json: the first section is a text to encode, the rest the file.
#include "rgu/llm/text/tokenizer_json.hpp"

#include "rgu/llm/files/json_text.hpp"
#include "support.hpp"
#include "tokenizer_checks.hpp"

using namespace rgu;
using namespace rgu::llm;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parts = fuzz::sections(fuzz::text_of(data, size), 2);
  auto model = fuzz::accepted([&] {
    const nlohmann::json json = parse_json(parts[1], "input");
    is_byte_level(json);
    return byte_level_model(json, "input");
  });
  if (model) fuzz::check_tokenizer(ByteLevelTokenizer(std::move(*model)), parts[0]);
  return 0;
}
