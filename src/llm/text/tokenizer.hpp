// Text to token ids and back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rgu/llm/files/token_id.hpp"

namespace rgu::llm {

struct SpecialTokens {
  std::optional<TokenId> bos = {};
  std::optional<TokenId> eos = {};
  std::optional<TokenId> pad = {};
};

enum class Specials { kKeep, kSkip };  // whether special tokens appear in decoded text

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  // As the tokenizer's own rules have it: LLaMA puts its BOS first, GPT-NeoX nothing. `text` may
  // hold any bytes; what is not UTF-8 is encoded by the rule the implementation states.
  virtual std::vector<TokenId> encode(std::string_view text) const = 0;
  // Throws InvalidInput for an id outside 0 .. size - 1. Ids that no piece has (padding of the
  // vocabulary) decode to nothing.
  virtual std::string decode(std::span<const TokenId> ids, Specials specials) const = 0;
  // The piece as it is stored ("Ġthe", "▁the"); empty for an id without one.
  virtual std::string piece(TokenId id) const = 0;
  virtual std::int64_t size() const = 0;  // one past the highest id
  virtual SpecialTokens specials() const = 0;
};

// `path` is a file .json (byte-level BPE), .model (SentencePiece BPE) or .bin (llama2.c), or a
// folder that holds tokenizer.json, tokenizer.model or tokenizer.bin. In a folder tokenizer.json
// wins if it is byte-level, then tokenizer.model, and tokenizer_config.json,
// special_tokens_map.json and added_tokens.json, where present, name the special tokens; otherwise
// usual names do: <|endoftext|> or <s>, </s>, and
// <|padding|>, <|pad|> or <pad>. Throws InvalidInput.
std::unique_ptr<Tokenizer> open_tokenizer(const std::filesystem::path& path);

// The text of ids that a model made: special tokens are left out, and so are ids beyond the
// tokenizer, which are only padding of the model's vocabulary.
std::string text_of_ids(const Tokenizer& tokenizer, std::span<const TokenId> ids);

// The text of `answer` as it stands behind `prompt`. Decoded alone, an answer may lose its first
// space, as LLaMA's do.
std::string continuation_text(const Tokenizer& tokenizer, std::span<const TokenId> prompt,
                              std::span<const TokenId> answer);

}  // namespace rgu::llm
