#include "rgu/llm/text/gpt2_split.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "llm/text/text_testing.hpp"

namespace rgu::llm {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view text) {
  Words words;
  for_each_gpt2_word(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

TEST(Gpt2Split, WordsTakeTheSpaceBeforeThem) {
  EXPECT_EQ(words_of("Hello world 42!"), (Words{"Hello", " world", " 42", "!"}));
  EXPECT_EQ(words_of("a1b2"), (Words{"a", "1", "b", "2"}));
  EXPECT_EQ(words_of("x_y"), (Words{"x", "_", "y"}));
  EXPECT_EQ(words_of(" ..."), (Words{" ..."}));
  EXPECT_EQ(words_of(""), Words{});
}

TEST(Gpt2Split, ContractionsAreWordsInLowerCaseOnly) {
  EXPECT_EQ(words_of("I'm you're he's can't we'll I'd they've"),
            (Words{"I", "'m", " you", "'re", " he", "'s", " can", "'t", " we", "'ll", " I", "'d",
                   " they", "'ve"}));
  EXPECT_EQ(words_of("IT'S"), (Words{"IT", "'", "S"}));
  EXPECT_EQ(words_of("'stop"), (Words{"'s", "top"}));
  EXPECT_EQ(words_of(" 's"), (Words{" '", "s"}));  // the space takes the apostrophe along
  EXPECT_EQ(words_of("''s"), (Words{"''", "s"}));
  EXPECT_EQ(words_of("'l"), (Words{"'", "l"}));
}

// \s+(?!\S): of white space before a word the last character stays with the word (a space) or
// alone.
TEST(Gpt2Split, LooksAheadAfterWhiteSpace) {
  EXPECT_EQ(words_of("a  b"), (Words{"a", " ", " b"}));
  EXPECT_EQ(words_of("a    b"), (Words{"a", "   ", " b"}));
  EXPECT_EQ(words_of("a\n\nb"), (Words{"a", "\n", "\n", "b"}));
  EXPECT_EQ(words_of("a\n b"), (Words{"a", "\n", " b"}));
  EXPECT_EQ(words_of("a \nb"), (Words{"a", " ", "\n", "b"}));
  EXPECT_EQ(words_of("a \t\n"), (Words{"a", " \t\n"}));
  EXPECT_EQ(words_of("  "), (Words{"  "}));
  EXPECT_EQ(words_of(" "), (Words{" "}));
  EXPECT_EQ(words_of("a\u00a0b"), (Words{"a", "\u00a0", "b"}));
  EXPECT_EQ(words_of("a\u3000\u3000b"), (Words{"a", "\u3000", "\u3000", "b"}));
}

TEST(Gpt2Split, ClassesAreThoseOfUnicode) {
  EXPECT_EQ(words_of("日本語 ١٢٣ ½"), (Words{"日本語", " ١٢٣", " ½"}));
  EXPECT_EQ(words_of("e\u0301a"), (Words{"e", "\u0301", "a"}));  // a mark is no letter
  EXPECT_EQ(words_of(" \U0001F600\u200d!"), (Words{" \U0001F600\u200d!"}));
}

// The pattern taken literally, alternative after alternative, on classes of code points.
struct Literal {
  std::vector<char32_t> text;

  bool has(std::size_t at, CharacterClass wanted) const {
    return at < text.size() && class_of(text[at]) == wanted;
  }
  std::size_t contraction(std::size_t at) const {
    for (const std::u32string_view c : {U"'s", U"'t", U"'re", U"'ve", U"'m", U"'ll", U"'d"}) {
      if (at + c.size() <= text.size() &&
          std::equal(c.begin(), c.end(), text.begin() + static_cast<long>(at))) {
        return at + c.size();
      }
    }
    return at;
  }
  std::size_t run(std::size_t at, CharacterClass wanted) const {  // " ?" and then one or more
    std::size_t end = text[at] == U' ' ? at + 1 : at;
    if (!has(end, wanted)) end = at;
    if (!has(end, wanted)) return at;
    while (has(end, wanted)) ++end;
    return end;
  }
  std::size_t space(std::size_t at) const {
    std::size_t end = at;
    while (has(end, CharacterClass::kSpace)) ++end;
    for (std::size_t cut = end; cut > at; --cut) {  // \s+(?!\S), greedy
      if (cut == text.size() || has(cut, CharacterClass::kSpace)) return cut;
    }
    return end;
  }
  std::size_t word_end(std::size_t at) const {
    for (const std::size_t end :
         {contraction(at), run(at, CharacterClass::kLetter), run(at, CharacterClass::kNumber),
          run(at, CharacterClass::kOther)}) {
      if (end > at) return end;
    }
    return space(at);
  }
};

TEST(Gpt2Split, IsThePatternOnRandomText) {
  Rng rng(3);
  constexpr std::u32string_view kLetters = U"   \n\t\u00a0''stremvldaB79!_\u00e9\u4e2d\u0301";
  for (int i = 0; i < 20000; ++i) {
    Literal literal;
    std::string text;
    for (std::size_t n = rng.below(12); n > 0; --n) {
      literal.text.push_back(kLetters[rng.below(kLetters.size())]);
      append_utf8(text, literal.text.back());
    }
    Words expected;
    for (std::size_t at = 0; at < literal.text.size();) {
      const std::size_t end = literal.word_end(at);
      expected.emplace_back();
      for (; at < end; ++at) append_utf8(expected.back(), literal.text[at]);
    }
    ASSERT_EQ(words_of(text), expected) << text;
  }
}

}  // namespace
}  // namespace rgu::llm
