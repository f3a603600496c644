#include "rgu/llm/text/piece_tokenizer.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/text/token_range.hpp"
#include "rgu/llm/text/unicode.hpp"

namespace rgu::llm {
namespace {

constexpr std::size_t kLongestPiece = 1024;  // bytes

// The byte of "<0x0A>"; -1 for any other text.
int byte_named(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  const int high = digit(text[3]);
  const int low = digit(text[4]);
  return high < 0 || low < 0 ? -1 : 16 * high + low;
}

// A symbol of the merge loop is the id of a piece or, for a character without one, this.
TokenId symbol_without_piece(char32_t character) { return -1 - static_cast<TokenId>(character); }
char32_t character_without_piece(TokenId symbol) { return static_cast<char32_t>(-1 - symbol); }

// Ranks that order pieces by falling score; equal scores have equal ranks.
std::vector<std::int32_t> ranks_of(const std::vector<ScoredPiece>& pieces) {
  std::vector<float> scores;
  for (const ScoredPiece& piece : pieces) scores.push_back(piece.score);
  std::sort(scores.begin(), scores.end(), std::greater<>());
  scores.erase(std::unique(scores.begin(), scores.end()), scores.end());
  std::vector<std::int32_t> ranks;
  for (const ScoredPiece& piece : pieces) {
    const auto found =
        std::lower_bound(scores.begin(), scores.end(), piece.score, std::greater<>());
    ranks.push_back(static_cast<std::int32_t>(found - scores.begin()));
  }
  return ranks;
}

std::string with_spaces(std::string_view text, const std::string& space) {
  std::string result;
  while (!text.empty()) {
    const bool is_space = text.starts_with(space);
    result += is_space ? ' ' : text.front();
    text.remove_prefix(is_space ? space.size() : 1);
  }
  return result;
}

bool has_space_inside(const ScoredPiece& piece, const std::string& space) {
  if (piece.kind != PieceKind::kNormal) return false;
  std::size_t begin = 0;  // past the leading spaces
  while (piece.text.compare(begin, space.size(), space) == 0) begin += space.size();
  return piece.text.find(space, begin) != piece.text.npos;
}

}  // namespace

// From characters to ids. Where no piece has a space after another character, no merge crosses the
// begin of a word (its leading spaces included), and words are merged one by one, which is faster
// and the same.
class PieceTokenizer::Encoding {
 public:
  explicit Encoding(const PieceTokenizer& tokenizer)
      : tokenizer_(tokenizer), model_(tokenizer.model_), merger_(tokenizer.mergers_.borrow()) {}

  std::vector<TokenId> of(std::string_view text) {
    put_special(model_.add_bos, model_.specials.bos);
    if (!text.empty()) {
      const std::size_t end = word_end(text, 0);
      std::string first(model_.add_prefix_space ? 1 : 0, ' ');
      first += text.substr(0, end);
      put_word(first);
      text.remove_prefix(end);
    }
    while (!text.empty()) {
      const std::size_t end = word_end(text, 0);
      put_word(text.substr(0, end));
      text.remove_prefix(end);
    }
    put_special(model_.add_eos, model_.specials.eos);
    return std::move(ids_);
  }

 private:
  void put_special(bool wanted, const std::optional<TokenId>& id) {
    if (wanted && id) ids_.push_back(*id);
  }

  // Bytes of the space at text[at], which may be written in either way; 0: no space.
  std::size_t space_length(std::string_view text, std::size_t at) const {
    if (text[at] == ' ') return 1;
    if (text[at] != model_.space.front()) return 0;
    return text.substr(at).starts_with(model_.space) ? model_.space.size() : 0;
  }

  std::size_t word_end(std::string_view text, std::size_t at) const {
    if (!tokenizer_.spaces_begin_words_) return text.size();
    while (at < text.size() && space_length(text, at) > 0) at += space_length(text, at);
    while (at < text.size() && space_length(text, at) == 0) ++at;
    return at;
  }

  void put_word(std::string_view word) {
    const auto spell = [this](std::string_view characters, std::vector<TokenId>& symbols) {
      for (std::size_t at = 0; at < characters.size();) {
        const Utf8Step step = utf8_step(characters, at);
        symbols.push_back(
            tokenizer_.symbol_of(step.code_point == U' ' ? tokenizer_.space_ : step.code_point));
        at += step.length;
      }
    };
    for (const TokenId symbol : merger_->merged(word, spell)) {
      if (symbol >= 0) {
        put_known(symbol);
      } else if (model_.byte_fallback) {
        put_bytes(character_without_piece(symbol));
      } else {
        put_unknown();
      }
    }
  }

  void put_known(TokenId id) {
    ids_.push_back(id);
    after_unknown_ = false;
  }

  void put_bytes(char32_t character) {
    std::string bytes;
    append_utf8(bytes, character);
    for (const char byte : bytes) put_known(tokenizer_.byte_ids_[static_cast<std::uint8_t>(byte)]);
  }

  void put_unknown() {
    if (!after_unknown_) ids_.push_back(model_.unknown);
    after_unknown_ = true;
  }

  const PieceTokenizer& tokenizer_;
  const PieceModel& model_;
  WordMergers::Borrowed merger_;
  std::vector<TokenId> ids_;
  bool after_unknown_ = false;
};

PieceTokenizer::PieceTokenizer(PieceModel model, const std::string& file)
    : model_(std::move(model)) {
  space_ = utf8_step(model_.space, 0).code_point;
  check_pieces(file);
  index_bytes(file);
  index_pieces();
  index_merges();
  spaces_begin_words_ =
      std::none_of(model_.pieces.begin(), model_.pieces.end(),
                   [&](const ScoredPiece& piece) { return has_space_inside(piece, model_.space); });
}

void PieceTokenizer::check_pieces(const std::string& file) const {
  check(!model_.pieces.empty(), "{}: it has no pieces, must have at least 1", file);
  check(size() <= kLargestVocabulary, "{}: it has {} pieces, must have at most {}", file, size(),
        kLargestVocabulary);
  checked_index(model_.unknown, size());
  for (std::size_t id = 0; id < model_.pieces.size(); ++id) {
    const ScoredPiece& piece = model_.pieces[id];
    check(std::isfinite(piece.score), "{}: piece {} has score {}, must be finite", file, id,
          piece.score);
    check(piece.text.size() <= kLongestPiece, "{}: piece {} has {} bytes, must have at most {}",
          file, id, piece.text.size(), kLongestPiece);
    check(is_utf8(piece.text), "{}: piece {} is not UTF-8", file, id);
  }
}

void PieceTokenizer::index_bytes(const std::string& file) {
  byte_ids_.fill(-1);
  bytes_.assign(model_.pieces.size(), -1);
  for (std::size_t id = 0; id < model_.pieces.size(); ++id) {
    if (model_.pieces[id].kind != PieceKind::kByte) continue;
    const int byte = byte_named(model_.pieces[id].text);
    check(byte >= 0, "{}: piece {} is the byte {}, must be spelled like <0x0A>", file, id,
          in_quotes(model_.pieces[id].text));
    bytes_[id] = static_cast<std::int16_t>(byte);
    byte_ids_[static_cast<std::size_t>(byte)] = static_cast<TokenId>(id);
  }
  if (!model_.byte_fallback) return;
  const auto missing = std::find(byte_ids_.begin(), byte_ids_.end(), -1);
  check(missing == byte_ids_.end(), "{}: it falls back to bytes, but has no piece <0x{:02X}>", file,
        missing - byte_ids_.begin());
}

void PieceTokenizer::index_pieces() {
  for (std::size_t id = 0; id < model_.pieces.size(); ++id) {
    const ScoredPiece& piece = model_.pieces[id];
    if (piece.kind != PieceKind::kNormal || piece.text.empty()) continue;
    const bool is_new = ids_.emplace(piece.text, static_cast<TokenId>(id)).second;
    const Utf8Step step = utf8_step(piece.text, 0);
    if (is_new && step.length == piece.text.size()) {
      character_ids_.emplace(step.code_point, static_cast<TokenId>(id));
    }
  }
  for (std::size_t c = 0; c < ascii_symbols_.size(); ++c) {
    const auto found = character_ids_.find(static_cast<char32_t>(c));
    ascii_symbols_[c] = found != character_ids_.end()
                            ? found->second
                            : symbol_without_piece(static_cast<char32_t>(c));
  }
}

TokenId PieceTokenizer::symbol_of(char32_t character) const {
  if (character < ascii_symbols_.size()) return ascii_symbols_[character];
  const auto found = character_ids_.find(character);
  return found != character_ids_.end() ? found->second : symbol_without_piece(character);
}

// The symbol whose text is `piece`: INT32_MAX if the merge loop can never have such a symbol.
TokenId PieceTokenizer::symbol_of(std::string_view piece) const {
  const Utf8Step step = utf8_step(piece, 0);
  if (step.length == piece.size()) return symbol_of(step.code_point);
  const auto found = ids_.find(piece);
  return found != ids_.end() ? found->second : std::numeric_limits<TokenId>::max();
}

// Each way to make a piece of two symbols is a merge whose rank the piece's score gives.
void PieceTokenizer::index_merges() {
  const std::vector<std::int32_t> ranks = ranks_of(model_.pieces);
  for (const auto& [text, id] : ids_) {
    const Merge merge{.rank = ranks[static_cast<std::size_t>(id)], .result = id};
    for (std::size_t cut = utf8_step(text, 0).length; cut < text.size();
         cut += utf8_step(text, cut).length) {
      const TokenId left = symbol_of(text.substr(0, cut));
      const TokenId right = symbol_of(text.substr(cut));
      const bool possible = std::max(left, right) != std::numeric_limits<TokenId>::max();
      if (possible) merges_.put(left, right, merge);
    }
  }
}

std::vector<TokenId> PieceTokenizer::encode(std::string_view text) const {
  check_text_size(text);
  Encoding encoding(*this);
  return is_utf8(text) ? encoding.of(text) : encoding.of(with_replacements(text));
}

std::string PieceTokenizer::shown(std::size_t index) const {
  const ScoredPiece& piece = model_.pieces[index];
  switch (piece.kind) {
    case PieceKind::kByte:
      return std::string(1, static_cast<char>(bytes_[index]));
    case PieceKind::kUnknown:
      return " \u2047 ";
    case PieceKind::kNormal:
      return with_spaces(piece.text, model_.space);
    default:
      return piece.text;
  }
}

std::string PieceTokenizer::decode(std::span<const TokenId> ids, Specials specials) const {
  std::string text;
  bool first =
      model_.add_prefix_space;  // the first piece, which may have the space that encode put
  for (const TokenId id : ids) {
    const std::size_t index = checked_index(id, size());
    const PieceKind kind = model_.pieces[index].kind;
    const bool special = kind == PieceKind::kControl || kind == PieceKind::kUnknown;
    if (special && specials == Specials::kSkip) continue;
    const std::string piece = shown(index);
    const bool strip = first && kind == PieceKind::kNormal && piece.starts_with(' ');
    text += std::string_view(piece).substr(strip ? 1 : 0);
    first = first && (kind == PieceKind::kControl || kind == PieceKind::kAbsent);
  }
  return is_utf8(text) ? text : with_replacements(text);
}

std::string PieceTokenizer::piece(TokenId id) const {
  return model_.pieces[checked_index(id, size())].text;
}

std::int64_t PieceTokenizer::size() const { return std::ssize(model_.pieces); }

}  // namespace rgu::llm
