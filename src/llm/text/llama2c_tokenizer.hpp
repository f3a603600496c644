// The tokenizer files of llama2.c: int32 longest token, then per token float score, int32 length,
// bytes.
#pragma once

#include <string>
#include <string_view>

#include "rgu/llm/text/piece_tokenizer.hpp"

namespace rgu::llm {

// Ids 0, 1, 2 are <unk>, <s>, </s>; 3 to 258 are bytes; the others are pieces with plain spaces.
// The file has no count: tokens go on to its end. Throws InvalidInput.
PieceModel llama2c_model(std::string_view bytes, const std::string& file);

}  // namespace rgu::llm
