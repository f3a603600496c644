// tokenizer.model, as the library SentencePiece writes it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "rgu/llm/text/piece_tokenizer.hpp"

namespace rgu::llm {

// Of the models that there are only BPE with the identity normaliser is read; others are refused by
// name. Its <s>, </s> and <pad> are the control pieces so named. Throws InvalidInput.
PieceModel sentencepiece_model(std::string_view bytes, const std::string& file);

// Tokens that were given to a model later (added_tokens.json), by id: they are control pieces, and
// take ids that no piece has. Throws InvalidInput where an id is taken or too high.
void add_control_pieces(PieceModel& model, const std::map<TokenId, std::string>& added,
                        const std::string& file);

}  // namespace rgu::llm
