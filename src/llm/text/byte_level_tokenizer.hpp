// Byte-level byte-pair encoding: the tokenizer of GPT-2, GPT-NeoX and Pythia.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "rgu/llm/text/added_tokens.hpp"
#include "rgu/llm/text/bpe_merge.hpp"
#include "rgu/llm/text/tokenizer.hpp"
#include "rgu/llm/text/word_merger.hpp"

namespace rgu::llm {

// All there is to know of one.
struct ByteLevelModel {
  std::vector<std::string> pieces = {};    // by id, as the file spells them; empty: no such id
  std::array<TokenId, 256> byte_ids = {};  // -1: a byte without a token, which is left out
  MergeTable merges = MergeTable();        // of ids
  std::vector<AddedToken> added = {};      // among the pieces too
  bool compose = false;                    // normalisation form C first
  bool split = true;                       // into the words of GPT-2's pattern
  bool add_prefix_space = false;           // before text that does not begin with a space
  bool whole_words_first = false;          // a word that is a piece is not merged (ignore_merges)
  std::vector<TokenId> before = {};        // put around every text
  std::vector<TokenId> after = {};
  SpecialTokens specials = {};
};

// encode: text that is not UTF-8 is encoded as with_replacements (unicode.hpp) has it. decode gives
// valid UTF-8 by the same rule, as a token may end inside a character.
class ByteLevelTokenizer : public Tokenizer {
 public:
  explicit ByteLevelTokenizer(ByteLevelModel model);

  std::vector<TokenId> encode(std::string_view text) const override;
  std::string decode(std::span<const TokenId> ids, Specials specials) const override;
  std::string piece(TokenId id) const override;
  std::int64_t size() const override;
  SpecialTokens specials() const override { return model_.specials; }

 private:
  class Encoding;  // of one text

  ByteLevelModel model_;
  WordMergers mergers_{model_.merges};
  AddedTokenFinder raw_tokens_;         // looked for before normalisation
  AddedTokenFinder normalized_tokens_;  // ... after it
  std::vector<std::string> bytes_;      // by id: what it decodes to
  std::vector<bool> special_;           // by id
  std::unordered_map<std::string, TokenId> whole_words_;
};

}  // namespace rgu::llm
