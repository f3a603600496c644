#include "rgu/llm/text/piece_tokenizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "llm/data.hpp"
#include "llm/text/text_testing.hpp"
#include "mdp/file_testing.hpp"
#include "rgu/llm/text/llama2c_tokenizer.hpp"
#include "rgu/llm/text/sentencepiece.hpp"

namespace rgu::llm {
namespace {

using Ids = std::vector<TokenId>;
using testing::HasSubstr;

PieceTokenizer sentencepiece(const std::string& bytes) {
  return PieceTokenizer(sentencepiece_model(bytes, "small.model"), "small.model");
}

PieceTokenizer llama2c(const std::string& bytes) {
  return PieceTokenizer(llama2c_model(bytes, "small.bin"), "small.bin");
}

TokenId byte_id(char byte) { return 3 + static_cast<std::uint8_t>(byte); }

// From 259: "▁" "a" "b" "▁a" "ab" "▁ab".
const std::vector<TestPiece> kSmall = {{"▁", -10}, {"a", -11}, {"b", -12},
                                       {"▁a", -2}, {"ab", -1}, {"▁ab", -3}};

TEST(SentencePiece, MergesTheHighestScoreFirst) {
  const auto tokenizer = sentencepiece(small_sentencepiece(kSmall));
  EXPECT_EQ(tokenizer.encode("ab"), (Ids{1, 264}));        // a+b (-1), then ▁+ab (-3)
  EXPECT_EQ(tokenizer.encode("aab"), (Ids{1, 262, 263}));  // ab first, then ▁a
  EXPECT_EQ(tokenizer.encode("b a"), (Ids{1, 259, 261, 262}));
  EXPECT_EQ(tokenizer.encode(""), Ids{1});
  EXPECT_EQ(tokenizer.encode(" "), (Ids{1, 259, 259}));
  EXPECT_EQ(tokenizer.size(), 265);
  EXPECT_EQ(tokenizer.piece(264), "▁ab");
}

TEST(SentencePiece, MergesTheLeftmostOfEqualScores) {
  const auto tokenizer = sentencepiece(small_sentencepiece({{"▁", -10}, {"a", -11}, {"aa", -1}}));
  EXPECT_EQ(tokenizer.encode("aaa"), (Ids{1, 259, 261, 260}));
}

TEST(SentencePiece, UnknownCharactersBecomeBytes) {
  const auto tokenizer = sentencepiece(small_sentencepiece(kSmall));
  EXPECT_EQ(tokenizer.encode("aé"), (Ids{1, 262, byte_id('\xc3'), byte_id('\xa9')}));
  EXPECT_EQ(tokenizer.decode(Ids{1, 262, byte_id('\xc3'), byte_id('\xa9')}, Specials::kSkip), "aé");
  EXPECT_EQ(tokenizer.decode(Ids{byte_id('\xc3'), 260}, Specials::kSkip), "\uFFFDa");
}

TEST(SentencePiece, WithoutBytesARunOfUnknownCharactersIsOneToken) {
  const auto tokenizer = sentencepiece(small_sentencepiece(kSmall, varint_field(3, 2)));
  EXPECT_EQ(tokenizer.encode("xyab"), (Ids{1, 259, 0, 263}));
  EXPECT_EQ(tokenizer.encode("axbyz"), (Ids{1, 262, 0, 261, 0}));
  EXPECT_EQ(tokenizer.decode(Ids{262, 0}, Specials::kKeep), "a \u2047 ");
}

// A character that has no piece of its own may still be part of one.
TEST(SentencePiece, CharactersWithoutAPieceMayMerge) {
  const auto tokenizer = sentencepiece(small_sentencepiece({{"▁", -10}, {"xy", -1}}));
  EXPECT_EQ(tokenizer.encode("xyx"), (Ids{1, 259, 260, byte_id('x')}));
}

TEST(SentencePiece, ControlPiecesNeverComeOutOfText) {
  const auto tokenizer = sentencepiece(small_sentencepiece(kSmall));
  EXPECT_EQ(tokenizer.encode("</s>"),
            (Ids{1, 259, byte_id('<'), byte_id('/'), byte_id('s'), byte_id('>')}));
  EXPECT_EQ(tokenizer.decode(Ids{1, 262, 2}, Specials::kKeep), "<s>a</s>");
  EXPECT_EQ(tokenizer.decode(Ids{1, 262, 2}, Specials::kSkip), "a");
}

TEST(SentencePiece, SpacesArePartOfThePieces) {
  const auto tokenizer = sentencepiece(small_sentencepiece(kSmall));
  EXPECT_EQ(tokenizer.decode(Ids{259, 262, 262}, Specials::kSkip), " a a");
  EXPECT_EQ(tokenizer.encode("▁a"), tokenizer.encode(" a"));
}

TEST(SentencePiece, WithoutDummyPrefixNothingIsPutOrTakenAway) {
  const auto tokenizer = sentencepiece(
      small_sentencepiece(kSmall, kLlamaTrainer, kLlamaNormalizer + varint_field(3, 0)));
  EXPECT_EQ(tokenizer.encode("ab"), (Ids{1, 263}));
  EXPECT_EQ(tokenizer.decode(Ids{1, 264}, Specials::kSkip), " ab");
}

TEST(SentencePiece, RefusesByNameWhatWouldGiveOtherIds) {
  struct Case {
    std::string bytes;
    std::string message;
  };
  const std::string byte_fallback = varint_field(35, 1);
  for (const Case& c : std::vector<Case>{
           {small_sentencepiece(kSmall, varint_field(3, 1) + byte_fallback),
            "type 1 (UNIGRAM), must be 2 (BPE)"},
           {small_sentencepiece(kSmall, byte_fallback), "UNIGRAM"},
           {small_sentencepiece(kSmall, varint_field(3, 4)), "CHAR"},
           {small_sentencepiece(kSmall, kLlamaTrainer,
                                bytes_field(1, "nmt_nfkc") + varint_field(4, 0)),
            "the normaliser is 'nmt_nfkc'"},
           {small_sentencepiece(kSmall, kLlamaTrainer, kLlamaNormalizer + bytes_field(2, "map")),
            "normaliser"},
           {small_sentencepiece(kSmall, kLlamaTrainer, bytes_field(1, "identity")),
            "remove_extra_whitespaces"},
           {small_sentencepiece(kSmall, kLlamaTrainer, kLlamaNormalizer + varint_field(5, 0)),
            "escape_whitespaces"},
           {small_sentencepiece(kSmall, kLlamaTrainer + varint_field(24, 1)),
            "treat_whitespace_as_suffix"},
           {small_sentencepiece({{"a", 0}, {"a", 1}}), "pieces 259 and 260 are both 'a'"},
           {small_sentencepiece({{"\xff", 0}}), "piece 259 is not UTF-8"},
           {small_sentencepiece({{"a", std::numeric_limits<float>::quiet_NaN()}}),
            "must be finite"},
           {small_sentencepiece({{std::string(2000, 'a'), 0}}), "piece 259 has 2000 bytes"},
           {sentencepiece_field("<x>", 0, 4), "type 4 (user-defined)"},
           {sentencepiece_field("x", 0, 1) + bytes_field(2, kLlamaTrainer) +
                bytes_field(3, kLlamaNormalizer),
            "no piece is of type unknown"},
           {sentencepiece_field("<unk>", 0, 2) + bytes_field(2, kLlamaTrainer) +
                bytes_field(3, kLlamaNormalizer),
            "has no piece <0x00>"},
           {"\x0a\xff\xff\xff\xff\x0f", "passes the end"},
           {"\x0a", "ends inside a number"},
           {std::string(11, '\xff'), "more than 10 bytes"},
           {"\x0b", "wire type 3"},
           {"", "UNIGRAM"},
       }) {
    const std::string message = thrown_by([&] { sentencepiece(c.bytes); });
    EXPECT_THAT(message, HasSubstr("small.model"));
    EXPECT_THAT(message, HasSubstr(c.message));
  }
}

TEST(SentencePiece, TakesAddedTokens) {
  PieceModel model = sentencepiece_model(small_sentencepiece(kSmall), "small.model");
  add_control_pieces(model, {{270, "<pad>"}}, "added.json");
  const PieceTokenizer tokenizer(std::move(model), "small.model");
  EXPECT_EQ(tokenizer.size(), 271);
  EXPECT_EQ(tokenizer.decode(Ids{270, 268, 262}, Specials::kKeep), "<pad>a");
  EXPECT_EQ(tokenizer.decode(Ids{270, 262}, Specials::kSkip), "a");
  PieceModel taken = sentencepiece_model(small_sentencepiece(kSmall), "small.model");
  EXPECT_THAT(thrown_by([&] {
                add_control_pieces(taken, {{260, "<pad>"}}, "added.json");
              }),
              HasSubstr("'<pad>' has id 260, which 'a' has already"));
}

// The definition, on strings.
std::vector<std::string> merged_naively(const std::string& text,
                                        const std::map<std::string, float>& scores) {
  std::vector<std::string> symbols;
  for (std::size_t at = 0; at < text.size(); at += utf8_step(text, at).length) {
    symbols.push_back(text.substr(at, utf8_step(text, at).length));
  }
  while (true) {
    const float* best = nullptr;
    std::size_t where = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = scores.find(symbols[i] + symbols[i + 1]);
      if (found == scores.end() || (best != nullptr && found->second <= *best)) continue;
      best = &found->second;
      where = i;
    }
    if (best == nullptr) return symbols;
    symbols[where] += symbols[where + 1];
    symbols.erase(symbols.begin() + static_cast<long>(where) + 1);
  }
}

TEST(SentencePiece, EqualsTheDefinitionOnRandomPieces) {
  Rng rng(11);
  for (int round = 0; round < 60; ++round) {
    // In every second round pieces have spaces anywhere, so that words cannot be merged one by one.
    std::map<std::string, float> scores;
    const std::vector<std::string> letters = {"▁", "a", "b", "é"};
    for (const std::string& letter : letters) scores[letter] = -100;
    for (int i = 0; i < 25; ++i) {
      std::string piece = round % 2 == 0 && rng.below(2) == 0 ? "▁" : "";
      for (std::size_t n = 1 + rng.below(3); n > 0; --n)
        piece += letters[rng.below(4 - (round % 2 == 0)) + (round % 2 == 0)];
      scores.emplace(piece, -static_cast<float>(rng.below(12)));
    }
    if (round % 3 == 0) scores.erase("b");
    std::vector<TestPiece> pieces;
    std::map<std::string, TokenId> ids;
    for (const auto& [text, score] : scores) {
      ids[text] = 259 + static_cast<TokenId>(pieces.size());
      pieces.push_back({text, score});
    }
    const auto tokenizer = sentencepiece(small_sentencepiece(pieces));
    for (int i = 0; i < 30; ++i) {
      std::string text;
      for (std::size_t n = 1 + rng.below(i < 15 ? 15 : 90); n > 0; --n)
        text += letters[rng.below(4)];
      Ids expected = {1};
      for (const std::string& symbol : merged_naively("▁" + text, scores)) {
        if (ids.contains(symbol)) {
          expected.push_back(ids[symbol]);
        } else {
          for (const char byte : symbol) expected.push_back(byte_id(byte));
        }
      }
      ASSERT_EQ(tokenizer.encode(text), expected) << text;
    }
  }
}

TEST(SentencePiece, HugeTextsComeToAnEnd) {
  const auto tokenizer =
      sentencepiece(small_sentencepiece({{"▁", -9}, {"a", -8}, {"aa", -1}, {"▁▁", -2}}));
  EXPECT_EQ(tokenizer.encode(std::string(1000000, 'a')).size(), 500002u);
  EXPECT_EQ(tokenizer.encode(std::string(1000001, ' ')).size(), 500002u);
  EXPECT_EQ(tokenizer.encode(std::string(300000, '\xff')).size(), 900002u);
}

TEST(Llama2cTokenizer, MergesPiecesWithPlainSpaces) {
  const auto tokenizer = llama2c(
      small_llama2c({{" ", -10}, {"a", -11}, {"b", -12}, {" a", -2}, {"ab", -1}, {" ab", -3}}));
  EXPECT_EQ(tokenizer.encode("ab a"), (Ids{1, 264, 262}));
  EXPECT_EQ(tokenizer.encode("é"), (Ids{1, 259, byte_id('\xc3'), byte_id('\xa9')}));
  EXPECT_EQ(tokenizer.decode(Ids{1, 264, 262}, Specials::kSkip), "ab a");
  EXPECT_EQ(tokenizer.encode("▁"),
            (Ids{1, 259, byte_id('\xe2'), byte_id('\x96'), byte_id('\x81')}));
  EXPECT_EQ(tokenizer.encode(""), Ids{1});
}

TEST(Llama2cTokenizer, RefusesWhatIsNotRight) {
  const std::string good = small_llama2c({{"a", -1}});
  struct Case {
    std::string bytes;
    std::string message;
  };
  for (const Case& c :
       std::vector<Case>{{"", "only 0 are left"},
                         {good.substr(0, good.size() - 1), "only 0 are left"},
                         {good.substr(0, 103), "bytes, but only"},
                         {good + float_bytes(0) + int_bytes(-1), "token 260 has length -1"},
                         {good + float_bytes(0) + int_bytes(17), "token 260 has length 17"},
                         {int_bytes(-5) + good.substr(4), "length -5"},
                         {int_bytes(8) + llama2c_token("<unk>", 0), "it has 1 tokens"}}) {
    EXPECT_THAT(thrown_by([&] { llama2c(c.bytes); }), HasSubstr(c.message));
  }
}

// Exact for all text but the character that stands for a space.
void expect_round_trips(const Tokenizer& tokenizer, std::uint64_t seed) {
  Rng rng(seed);
  for (int i = 0; i < 1000; ++i) {
    const std::string text = random_unicode(rng, 60);
    if (text.find("▁") != text.npos) continue;
    ASSERT_EQ(tokenizer.decode(tokenizer.encode(text), Specials::kSkip), text);
  }
}

TEST(RoundTrip, OfRandomTextInSmallPieceTokenizers) {
  expect_round_trips(sentencepiece(small_sentencepiece(kSmall)), 12);
  expect_round_trips(llama2c(small_llama2c({{" ", -1}, {"e", -2}, {" e", -3}})), 13);
}

TEST(RoundTrip, OfRandomTextInLlama) {
  RGU_DATA_FILE(path, "tokenizers/llama_tokenizer.model");
  const auto tokenizer = open_tokenizer(path);
  expect_round_trips(*tokenizer, 14);
  Rng rng(15);
  for (int i = 0; i < 2000; ++i) {
    const std::string bytes = random_bytes(rng, 60);
    ASSERT_EQ(tokenizer->decode(tokenizer->encode(bytes), Specials::kSkip),
              with_replacements(bytes));
  }
}

}  // namespace
}  // namespace rgu::llm
