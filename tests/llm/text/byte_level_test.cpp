#include "rgu/llm/text/byte_level.hpp"

#include <gtest/gtest.h>

#include <set>

namespace rgu::llm {
namespace {

TEST(ByteLevel, SpellsBytesAsGpt2Does) {
  EXPECT_EQ(character_of_byte(' '), "Ġ");
  EXPECT_EQ(character_of_byte('\n'), "Ċ");
  EXPECT_EQ(character_of_byte('\t'), "ĉ");
  EXPECT_EQ(character_of_byte('a'), "a");
  EXPECT_EQ(character_of_byte('!'), "!");
  EXPECT_EQ(character_of_byte('~'), "~");
  EXPECT_EQ(character_of_byte(0), "Ā");
  EXPECT_EQ(character_of_byte(0x7F), "ġ");
  EXPECT_EQ(character_of_byte(0xA0), "ł");
  EXPECT_EQ(character_of_byte(0xAD), "Ń");
  EXPECT_EQ(character_of_byte(0xFF), "ÿ");
}

TEST(ByteLevel, EveryByteComesBack) {
  std::set<std::string> characters;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string bytes(1, static_cast<char>(byte));
    characters.insert(spelled_bytes(bytes));
    EXPECT_EQ(unspelled_bytes(spelled_bytes(bytes)), bytes);
  }
  EXPECT_EQ(characters.size(), 256u);
  EXPECT_FALSE(unspelled_bytes("a b"));  // a space spells no byte
  EXPECT_FALSE(unspelled_bytes("\u4e2d"));
  EXPECT_EQ(spelled_bytes(" é"), "ĠÃ©");
}

}  // namespace
}  // namespace rgu::llm
