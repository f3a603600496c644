// tokenizer.json, as the library "tokenizers" writes it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "rgu/llm/text/byte_level_tokenizer.hpp"

namespace rgu::llm {

// Whether the document's pre-tokenizer is made for byte-level vocabularies; false for any other
// document.
bool is_byte_level(const nlohmann::json& json);

// Throws InvalidInput where the document is not right, and, by name, for any component that would
// give other ids than those here. Truncation and padding settings are not part of an encoding here
// and are left alone. The model's special tokens (bos, eos, pad) are left empty: the file does not
// name them.
ByteLevelModel byte_level_model(const nlohmann::json& json, const std::string& file);

}  // namespace rgu::llm
