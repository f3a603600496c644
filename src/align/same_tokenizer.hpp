#pragma once

#include "rgu/llm/text/tokenizer.hpp"

namespace rgu::align {

// Whether ids of one mean the same in the other: the same pieces for the same ids, the same tokens
// at the begin and the end of texts, put there by the same rules. (Padding has no part in a text.)
bool same_tokenizer(const llm::Tokenizer& a, const llm::Tokenizer& b);

}  // namespace rgu::align
