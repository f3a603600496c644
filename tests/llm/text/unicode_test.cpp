#include "rgu/llm/text/unicode.hpp"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <cstdlib>

#include "llm/text/text_testing.hpp"

namespace rgu::llm {
namespace {

constexpr const char* kBad = "\uFFFD";

TEST(Utf8, ValidCharactersAreRead) {
  struct Case {
    std::string text;
    char32_t code_point;
  };
  for (const Case& c : {Case{"a", U'a'}, Case{"\u00e9", 0xE9}, Case{"\u20ac", 0x20AC},
                        Case{"\U0001F600", 0x1F600}, Case{"\U0010FFFF", 0x10FFFF}}) {
    const Utf8Step step = utf8_step(c.text, 0);
    EXPECT_TRUE(step.valid);
    EXPECT_EQ(step.code_point, c.code_point);
    EXPECT_EQ(step.length, c.text.size());
  }
}

// The examples of the Unicode standard, Tables 3-8 to 3-11, and the cases of Rust's documentation.
TEST(Utf8, EveryMaximalBadSequenceBecomesOneReplacement) {
  struct Case {
    std::string bytes;
    std::string text;
  };
  const std::string r = kBad;
  for (const Case& c : {
           Case{"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", r + r + r + r + r + r + r + r + "A"},
           Case{"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", r + r + r + r + r + r + r + r + "A"},
           Case{"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", r + r + r + r + r + "A" + r + r + "B"},
           Case{"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", r + r + r + r + "A"},
           Case{"Hello \xF0\x90\x80World", "Hello " + r + "World"},
           Case{"\xE2\x82", r},
           Case{"\xF0\x9F\x98", r},
           Case{"", ""},
       }) {
    EXPECT_EQ(with_replacements(c.bytes), c.text);
  }
}

TEST(Utf8, ReplacedTextIsValidAndValidTextIsKept) {
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    EXPECT_TRUE(is_utf8(with_replacements(random_bytes(rng, 30))));
    const std::string valid = random_unicode(rng, 20);
    EXPECT_TRUE(is_utf8(valid));
    EXPECT_EQ(with_replacements(valid), valid);
  }
}

TEST(CharacterClasses, AreThoseOfUnicode) {
  for (const char32_t c :
       {U'a', U'Z', U'\u00e9', U'\u00aa', U'\u02b0', U'\u4e2d', U'\u0639', U'\u01c5'}) {
    EXPECT_EQ(class_of(c), CharacterClass::kLetter) << static_cast<unsigned>(c);
  }
  for (const char32_t c :
       {U'0', U'9', U'\u00bd', U'\u00b2', U'\u0663', U'\u2167', U'\u3007', U'\U0001D7CE'}) {
    EXPECT_EQ(class_of(c), CharacterClass::kNumber) << static_cast<unsigned>(c);
  }
  for (const char32_t c : {U' ', U'\t', U'\n', U'\v', U'\f', U'\r', U'\u0085', U'\u00a0', U'\u1680',
                           U'\u2003', U'\u2028', U'\u2029', U'\u202f', U'\u205f', U'\u3000'}) {
    EXPECT_EQ(class_of(c), CharacterClass::kSpace) << static_cast<unsigned>(c);
  }
  for (const char32_t c :
       {U'!', U'_', U'\x1f', U'\u200b', U'\u0301', U'\ufeff', U'\U0001F600', U'\u180e'}) {
    EXPECT_EQ(class_of(c), CharacterClass::kOther) << static_cast<unsigned>(c);
  }
}

TEST(CharacterClasses, WordCharactersAreThoseOfRegularExpressions) {
  for (const char32_t c : {U'a', U'_', U'7', U'\u0301', U'\u200d', U'\u24b6', U'\u203f'}) {
    EXPECT_TRUE(is_word_character(c)) << static_cast<unsigned>(c);
  }
  for (const char32_t c : {U' ', U'-', U'\u00b2', U'\u2460', U'\U0001F600'}) {
    EXPECT_FALSE(is_word_character(c)) << static_cast<unsigned>(c);
  }
}

TEST(Composition, OfKnownCases) {
  EXPECT_EQ(composed("cafe\u0301 olé"), "caf\u00e9 olé");
  EXPECT_EQ(composed("\u212b"), "\u00c5");              // the Angstrom sign
  EXPECT_EQ(composed("\u1100\u1161\u11a8"), "\uac01");  // Hangul
  EXPECT_EQ(composed("\uac00\u11a8"), "\uac01");
  EXPECT_EQ(composed("d\u0323\u0307"), "\u1e0d\u0307");  // Unicode annex 15, Figure 4
  EXPECT_EQ(composed("d\u0307\u0323"), "\u1e0d\u0307");  // marks are put in order
  EXPECT_EQ(composed("\u1e0b\u0323"), "\u1e0d\u0307");
  EXPECT_EQ(composed("\u0958"), "\u0915\u093c");  // excluded from composition
  EXPECT_EQ(composed("\u2126"), "\u03a9");        // singleton
  EXPECT_EQ(composed("\u09c7\u09be"), "\u09cb");  // a vowel that combines backwards
  EXPECT_EQ(composed("\ufb01"), "\ufb01");        // not compatibility
  EXPECT_EQ(composed("\u0301a"), "\u0301a");
  EXPECT_EQ(composed(""), "");
}

std::string composed_by_library(const std::string& text) {
  utf8proc_uint8_t* result = nullptr;
  const auto length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &result,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  std::string composition(reinterpret_cast<const char*>(result), static_cast<std::size_t>(length));
  std::free(result);
  return composition;
}

TEST(Composition, IsThatOfTheLibraryOnRandomText) {
  Rng rng(2);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = random_unicode(rng, 12);
    ASSERT_EQ(composed(text), composed_by_library(text)) << text;
  }
}

// Each character alone, after a letter and before a mark.
TEST(Composition, IsThatOfTheLibraryForEveryCharacter) {
  std::string text;
  for (char32_t c = 0x80; c < 0x30000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    text.assign(1, 'e');
    append_utf8(text, c);
    text += "\u0301x";
    append_utf8(text, c);
    ASSERT_EQ(composed(text), composed_by_library(text)) << static_cast<unsigned>(c);
  }
}

TEST(Composition, OfAMillionMarksComesToAnEnd) {
  std::string text = "e";
  while (text.size() < 1000000) text += "\u0301\u0316";
  const std::string composition = composed(text);
  EXPECT_EQ(composition.substr(0, 4),
            "\u00e9\u0316");  // one acute accent is composed, the rest sorted
  EXPECT_EQ(composed(composition), composition);
}

}  // namespace
}  // namespace rgu::llm
