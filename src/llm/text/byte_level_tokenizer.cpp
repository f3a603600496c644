#include "rgu/llm/text/byte_level_tokenizer.hpp"

#include <algorithm>
#include <iterator>

#include "rgu/base/check.hpp"
#include "rgu/llm/text/byte_level.hpp"
#include "rgu/llm/text/gpt2_split.hpp"
#include "rgu/llm/text/token_range.hpp"
#include "rgu/llm/text/unicode.hpp"

namespace rgu::llm {
namespace {

std::vector<AddedToken> tokens_with(const ByteLevelModel& model, bool normalized) {
  std::vector<AddedToken> chosen;
  for (const AddedToken& token : model.added) {
    if (token.normalized != normalized) continue;
    chosen.push_back(token);
    if (normalized && model.compose) chosen.back().content = composed(token.content);
  }
  return chosen;
}

}  // namespace

// The stages of encoding, from the whole text down to one word.
class ByteLevelTokenizer::Encoding {
 public:
  explicit Encoding(const ByteLevelTokenizer& tokenizer)
      : tokenizer_(tokenizer), model_(tokenizer.model_), merger_(tokenizer.mergers_.borrow()) {}

  std::vector<TokenId> of(std::string_view text) {
    ids_ = model_.before;
    tokenizer_.raw_tokens_.split(
        text, [this](std::string_view part) { normalize(part); }, [this](TokenId id) { put(id); });
    ids_.insert(ids_.end(), model_.after.begin(), model_.after.end());
    return std::move(ids_);
  }

 private:
  void put(TokenId id) { ids_.push_back(id); }

  void normalize(std::string_view text) {
    if (model_.compose) {
      const std::string normal = composed(text);
      find_normalized_tokens(normal);
    } else {
      find_normalized_tokens(text);
    }
  }

  void find_normalized_tokens(std::string_view text) {
    tokenizer_.normalized_tokens_.split(
        text, [this](std::string_view part) { prefix(part); }, [this](TokenId id) { put(id); });
  }

  void prefix(std::string_view text) {
    if (model_.add_prefix_space && !text.starts_with(' ')) {
      std::string prefixed(1, ' ');
      prefixed += text;
      split(prefixed);
    } else {
      split(text);
    }
  }

  void split(std::string_view text) {
    if (model_.split) {
      for_each_gpt2_word(text, [this](std::string_view word) { merge(word); });
    } else {
      merge(text);
    }
  }

  void merge(std::string_view word) {
    if (model_.whole_words_first) {
      const auto found = tokenizer_.whole_words_.find(std::string(word));
      if (found != tokenizer_.whole_words_.end()) return put(found->second);
    }
    const auto spell = [this](std::string_view bytes, std::vector<TokenId>& symbols) {
      for (const char byte : bytes) {
        const TokenId id = model_.byte_ids[static_cast<std::uint8_t>(byte)];
        if (id >= 0) symbols.push_back(id);
      }
    };
    const std::span<const TokenId> merged = merger_->merged(word, spell);
    ids_.insert(ids_.end(), merged.begin(), merged.end());
  }

  const ByteLevelTokenizer& tokenizer_;
  const ByteLevelModel& model_;
  WordMergers::Borrowed merger_;
  std::vector<TokenId> ids_;
};

ByteLevelTokenizer::ByteLevelTokenizer(ByteLevelModel model)
    : model_(std::move(model)),
      raw_tokens_(tokens_with(model_, false)),
      normalized_tokens_(tokens_with(model_, true)),
      special_(model_.pieces.size(), false) {
  bytes_.reserve(model_.pieces.size());
  for (std::size_t id = 0; id < model_.pieces.size(); ++id) {
    const std::string& piece = model_.pieces[id];
    const std::optional<std::string> bytes = unspelled_bytes(piece);
    // A piece that is not spelled in byte characters, such as an added token of spaces, is its own
    // text.
    bytes_.push_back(bytes.value_or(piece));
    if (model_.whole_words_first && bytes && !bytes->empty()) {
      whole_words_.emplace(*bytes, static_cast<TokenId>(id));
    }
  }
  for (const AddedToken& token : model_.added) {
    if (token.special) special_[static_cast<std::size_t>(token.id)] = true;
  }
}

std::vector<TokenId> ByteLevelTokenizer::encode(std::string_view text) const {
  check_text_size(text);
  Encoding encoding(*this);
  return is_utf8(text) ? encoding.of(text) : encoding.of(with_replacements(text));
}

std::string ByteLevelTokenizer::decode(std::span<const TokenId> ids, Specials specials) const {
  std::string text;
  for (const TokenId id : ids) {
    const std::size_t index = checked_index(id, size());
    if (specials == Specials::kSkip && special_[index]) continue;
    text += bytes_[index];
  }
  return is_utf8(text) ? text : with_replacements(text);
}

std::string ByteLevelTokenizer::piece(TokenId id) const {
  return model_.pieces[checked_index(id, size())];
}

std::int64_t ByteLevelTokenizer::size() const { return std::ssize(model_.pieces); }

}  // namespace rgu::llm
