// Bytes as printable characters, as byte-level vocabularies spell them: 33-126, 161-172 and 174-255
// are themselves, the other 68 bytes are U+0100, U+0101, ... in order ("Ġ" is the space).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rgu::llm {

std::string_view character_of_byte(std::uint8_t byte);

std::string spelled_bytes(std::string_view bytes);
// None where the text holds a character that no byte has. `text` is valid UTF-8.
std::optional<std::string> unspelled_bytes(std::string_view text);

}  // namespace rgu::llm
