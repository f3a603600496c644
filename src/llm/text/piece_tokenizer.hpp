// Byte-pair encoding whose merges are given by pieces with scores, over whole texts: the tokenizer
// of LLaMA, from SentencePiece or llama2.c files. It starts from characters and, as long as two
// neighbours together are a piece, merges those with the highest score, the leftmost of equals.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "rgu/llm/text/bpe_merge.hpp"
#include "rgu/llm/text/tokenizer.hpp"
#include "rgu/llm/text/word_merger.hpp"

namespace rgu::llm {

enum class PieceKind { kNormal, kUnknown, kControl, kByte, kAbsent };

struct ScoredPiece {
  std::string text = {};  // of a byte: "<0x0A>"
  float score = 0;        // finite
  PieceKind kind = PieceKind::kNormal;
};

struct PieceModel {
  std::vector<ScoredPiece> pieces = {};  // by id
  std::string space = " ";               // what stands for a space in pieces
  bool add_prefix_space = true;          // before a text that is not empty
  bool byte_fallback =
      true;             // characters without a piece become bytes; otherwise a run of them <unk>
  TokenId unknown = 0;  // below the number of pieces
  bool add_bos = true;  // where there is one
  bool add_eos = false;
  SpecialTokens specials = {};
};

// encode: text that is not UTF-8 is encoded as with_replacements (unicode.hpp) has it. Only normal
// pieces and bytes come out of text: "<s>" in a text is four characters, never the token. decode
// leaves out the space that encode put first, shows <unk> as " ⁇ ", and gives valid UTF-8 by the
// rule of with_replacements. decode(encode(x)) = x for valid x without the character `space`, which
// becomes a space, if bytes are complete.
class PieceTokenizer : public Tokenizer {
 public:
  // Throws InvalidInput, naming `file`, where the pieces are not right.
  PieceTokenizer(PieceModel model, const std::string& file);

  std::vector<TokenId> encode(std::string_view text) const override;
  std::string decode(std::span<const TokenId> ids, Specials specials) const override;
  std::string piece(TokenId id) const override;
  std::int64_t size() const override;
  SpecialTokens specials() const override { return model_.specials; }

 private:
  class Encoding;  // of one text

  void check_pieces(const std::string& file) const;
  void index_pieces();
  void index_merges();
  void index_bytes(const std::string& file);
  TokenId symbol_of(std::string_view piece) const;
  TokenId symbol_of(char32_t character) const;
  std::string shown(std::size_t index) const;

  PieceModel model_;
  std::unordered_map<std::string_view, TokenId> ids_;    // of normal pieces; views into model_
  std::unordered_map<char32_t, TokenId> character_ids_;  // of those that are one character
  std::array<TokenId, 128> ascii_symbols_ = {};
  std::array<TokenId, 256> byte_ids_ = {};  // of bytes
  std::vector<std::int16_t> bytes_;         // by id: the byte of a byte piece, or -1
  MergeTable merges_;
  WordMergers mergers_{merges_};
  char32_t space_ = U' ';
  bool spaces_begin_words_ = true;  // no piece has a space after another character
};

}  // namespace rgu::llm
