// Random texts and small tokenizers made by hand, for the tests of tokenizers.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/llm/text/byte_level.hpp"
#include "rgu/llm/text/unicode.hpp"

namespace rgu::llm {

inline char32_t random_code_point(Rng& rng) {
  constexpr std::array<std::array<std::uint32_t, 2>, 9> kRanges = {{{0x20, 0x7F},
                                                                    {0x61, 0x7B},
                                                                    {0x00, 0x20},
                                                                    {0x80, 0x250},
                                                                    {0x300, 0x340},
                                                                    {0x1100, 0x1200},
                                                                    {0x2000, 0x2070},
                                                                    {0x3040, 0xD7FF},
                                                                    {0xE000, 0x10FFFF}}};
  const auto& range = kRanges[rng.below(kRanges.size())];
  return static_cast<char32_t>(range[0] + rng.below(range[1] - range[0]));
}

inline std::string random_unicode(Rng& rng, std::size_t most) {
  std::string text;
  const std::size_t count = rng.below(most + 1);
  for (std::size_t i = 0; i < count; ++i) append_utf8(text, random_code_point(rng));
  return text;
}

inline std::string random_bytes(Rng& rng, std::size_t most) {
  std::string text(rng.below(most + 1), '\0');
  for (char& byte : text) byte = static_cast<char>(rng.below(256));
  return text;
}

// Some bytes changed, cut out or doubled.
inline std::string mutated(std::string text, Rng& rng) {
  const std::size_t changes = 1 + rng.below(4);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = rng.below(text.size());
    const std::size_t length = 1 + rng.below(8);
    switch (rng.below(4)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      default:
        text.resize(at);
    }
    if (i == 0 && rng.below(4) != 0) break;
  }
  return text;
}

// Ids 0 and 1 are <|endoftext|> and <|padding|>, 2 + b is byte b, then one piece per merge.
inline nlohmann::json small_tokenizer_json(const std::vector<std::string>& merges) {
  nlohmann::json vocabulary = {{"<|endoftext|>", 0}, {"<|padding|>", 1}};
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary[std::string(character_of_byte(static_cast<std::uint8_t>(byte)))] = 2 + byte;
  }
  for (std::string merge : merges) {
    merge.erase(merge.find(' '), 1);
    vocabulary[merge] = vocabulary.size();
  }
  const auto special = [](int id, const char* content) {
    return nlohmann::json{
        {"id", id}, {"content", content}, {"special", true}, {"normalized", false}};
  };
  return {{"version", "1.0"},
          {"added_tokens", {special(0, "<|endoftext|>"), special(1, "<|padding|>")}},
          {"normalizer", {{"type", "NFC"}}},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
          {"post_processor", nullptr},
          {"decoder", {{"type", "ByteLevel"}}},
          {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}}}};
}

// Protocol buffers, written.
inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(0x80 | (value & 0x7F));
  return bytes + static_cast<char>(value);
}
inline std::string bytes_field(unsigned number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
inline std::string varint_field(unsigned number, std::uint64_t value) {
  return varint(number << 3) + varint(value);
}
inline std::string float_bytes(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  std::string bytes;
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift);
  return bytes;
}
inline std::string int_bytes(std::int32_t value) {
  return float_bytes(std::bit_cast<float>(value));
}

inline std::string sentencepiece_field(std::string_view piece, float score, std::uint64_t type) {
  return bytes_field(1, bytes_field(1, piece) + varint(2 << 3 | 5) + float_bytes(score) +
                            (type == 1 ? "" : varint_field(3, type)));
}

inline std::string byte_piece(unsigned byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">";
}

inline const std::string kLlamaTrainer = varint_field(3, 2) + varint_field(35, 1);
inline const std::string kLlamaNormalizer = bytes_field(1, "identity") + varint_field(4, 0);

struct TestPiece {
  std::string text;
  float score = 0;
};

// 0 <unk>, 1 <s>, 2 </s>, 3 + b is byte b, then the pieces.
inline std::string small_sentencepiece(const std::vector<TestPiece>& pieces,
                                       const std::string& trainer = kLlamaTrainer,
                                       const std::string& normalizer = kLlamaNormalizer) {
  std::string model = sentencepiece_field("<unk>", 0, 2) + sentencepiece_field("<s>", 0, 3) +
                      sentencepiece_field("</s>", 0, 3);
  for (unsigned byte = 0; byte < 256; ++byte) model += sentencepiece_field(byte_piece(byte), 0, 6);
  for (const TestPiece& piece : pieces) model += sentencepiece_field(piece.text, piece.score, 1);
  return model + bytes_field(2, trainer) + bytes_field(3, normalizer);
}

inline std::string llama2c_token(const std::string& text, float score) {
  return float_bytes(score) + int_bytes(static_cast<std::int32_t>(text.size())) + text;
}

inline std::string small_llama2c(const std::vector<TestPiece>& pieces) {
  std::string file = int_bytes(16) + llama2c_token("<unk>", 0) + llama2c_token("\n<s>\n", 0) +
                     llama2c_token("\n</s>\n", 0);
  for (unsigned byte = 0; byte < 256; ++byte) file += llama2c_token(byte_piece(byte), 0);
  for (const TestPiece& piece : pieces) file += llama2c_token(piece.text, piece.score);
  return file;
}

}  // namespace rgu::llm
