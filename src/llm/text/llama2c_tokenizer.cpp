#include "rgu/llm/text/llama2c_tokenizer.hpp"

#include <bit>
#include <iterator>

#include "rgu/base/check.hpp"
#include "rgu/llm/text/token_range.hpp"

namespace rgu::llm {
namespace {

constexpr std::size_t kFirstByte = 3;
constexpr std::size_t kFirstPiece = kFirstByte + 256;

class Words {  // little-endian, one after the other
 public:
  Words(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  bool at_end() const { return at_ == bytes_.size(); }

  std::uint32_t word(std::string_view what) {
    std::uint32_t value = 0;
    unsigned shift = 0;
    for (const char byte : take(4, what)) {
      value |= std::uint32_t{static_cast<std::uint8_t>(byte)} << shift;
      shift += 8;
    }
    return value;
  }

  std::string_view take(std::size_t count, std::string_view what) {
    check(count <= bytes_.size() - at_, "{}: byte {}: {} has {} bytes, but only {} are left", file_,
          at_, what, count, bytes_.size() - at_);
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

 private:
  std::string_view bytes_;
  const std::string& file_;
  std::size_t at_ = 0;
};

PieceKind kind_of(std::size_t id) {
  if (id == 0) return PieceKind::kUnknown;
  if (id < kFirstByte) return PieceKind::kControl;
  return id < kFirstPiece ? PieceKind::kByte : PieceKind::kNormal;
}

}  // namespace

PieceModel llama2c_model(std::string_view bytes, const std::string& file) {
  PieceModel model;
  Words words(bytes, file);
  const auto longest = static_cast<std::int32_t>(words.word("the longest token's length"));
  check(longest >= 1, "{}: the longest token has length {}, must be at least 1", file, longest);
  while (!words.at_end()) {
    const std::size_t id = model.pieces.size();
    check(id < static_cast<std::size_t>(kLargestVocabulary), "{}: more than {} tokens", file, id);
    const float score = std::bit_cast<float>(words.word("a score"));
    const auto length = static_cast<std::int32_t>(words.word("a length"));
    check(length >= 0 && length <= longest, "{}: token {} has length {}, must be 0 to {}", file, id,
          length, longest);
    const std::string_view text = words.take(static_cast<std::size_t>(length), "a token");
    model.pieces.push_back({.text = std::string(text), .score = score, .kind = kind_of(id)});
  }
  check(model.pieces.size() >= kFirstPiece, "{}: it has {} tokens, must have at least {}", file,
        model.pieces.size(), kFirstPiece);
  model.specials = {.bos = 1, .eos = 2, .pad = {}};
  return model;
}

}  // namespace rgu::llm
