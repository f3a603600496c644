// What every tokenizer promises, whatever file it came from.
#pragma once

#include <string_view>

#include "rgu/llm/text/tokenizer.hpp"

namespace rgu::fuzz {

// Encodes and decodes `text`, and looks at the first and last pieces.
void check_tokenizer(const llm::Tokenizer& tokenizer, std::string_view text);

}  // namespace rgu::fuzz
