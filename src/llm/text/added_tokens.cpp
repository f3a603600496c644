#include "rgu/llm/text/added_tokens.hpp"

#include <algorithm>

#include "rgu/llm/text/unicode.hpp"

namespace rgu::llm {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

// Where the character that ends at `end` > 0 begins.
std::size_t character_before(std::string_view text, std::size_t end) {
  std::size_t begin = end - 1;
  while (begin > 0 && (byte_at(text, begin) & 0xC0) == 0x80) --begin;
  return begin;
}

bool is_space_at(std::string_view text, std::size_t at) {
  return class_of(utf8_step(text, at).code_point) == CharacterClass::kSpace;
}

// The begin of the white space that ends at `end`, but not before `least`.
std::size_t space_before(std::string_view text, std::size_t end, std::size_t least) {
  while (end > least) {
    const std::size_t begin = character_before(text, end);
    if (begin < least || !is_space_at(text, begin)) break;
    end = begin;
  }
  return end;
}

std::size_t space_after(std::string_view text, std::size_t begin) {
  while (begin < text.size() && is_space_at(text, begin)) begin += utf8_step(text, begin).length;
  return begin;
}

bool touches_word(std::string_view text, std::size_t begin, std::size_t end) {
  const auto is_word_at = [&](std::size_t at) {
    return is_word_character(utf8_step(text, at).code_point);
  };
  return (begin > 0 && is_word_at(character_before(text, begin))) ||
         (end < text.size() && is_word_at(end));
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  ends_.push_back(-1);
  for (std::size_t i = 0; i < tokens_.size(); ++i) add(tokens_[i], static_cast<std::int32_t>(i));
}

void AddedTokenFinder::add(const AddedToken& token, std::int32_t number) {
  if (token.content.empty()) return;
  begins_[byte_at(token.content, 0)] = true;
  TokenId node = 0;
  for (const char letter : token.content) {
    const TokenId byte = static_cast<std::uint8_t>(letter);
    const Merge child = children_.find(node, byte);
    if (!child.exists()) {
      const auto made = static_cast<TokenId>(ends_.size());
      children_.put(node, byte, {.rank = 0, .result = made});
      ends_.push_back(-1);
      node = made;
    } else {
      node = child.result;
    }
  }
  ends_[static_cast<std::size_t>(node)] = number;
}

const AddedToken* AddedTokenFinder::longest_at(std::string_view text, std::size_t at) const {
  const AddedToken* longest = nullptr;
  TokenId node = 0;
  for (; at < text.size(); ++at) {
    const Merge child = children_.find(node, byte_at(text, at));
    if (!child.exists()) break;
    node = child.result;
    const std::int32_t number = ends_[static_cast<std::size_t>(node)];
    if (number >= 0) longest = &tokens_[static_cast<std::size_t>(number)];
  }
  return longest;
}

void AddedTokenFinder::split(std::string_view text, const OnText& on_text,
                             const OnToken& on_token) const {
  std::size_t done = 0;  // what lies before it has been told
  for (std::size_t at = 0; at < text.size();) {
    const AddedToken* token = begins_[byte_at(text, at)] ? longest_at(text, at) : nullptr;
    if (token == nullptr) {
      ++at;
      continue;
    }
    std::size_t begin = at;
    std::size_t end = at + token->content.size();
    at = end;
    if (token->single_word && touches_word(text, begin, end)) continue;
    if (token->lstrip) begin = space_before(text, begin, done);
    if (token->rstrip) end = space_after(text, end);
    if (done < begin) on_text(text.substr(done, begin - done));
    on_token(token->id);
    done = end;
    at = end;
  }
  if (done < text.size()) on_text(text.substr(done));
}

}  // namespace rgu::llm
