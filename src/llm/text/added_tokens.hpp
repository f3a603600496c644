// Tokens that are looked for in the text itself, before anything is split or merged.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rgu/llm/files/token_id.hpp"
#include "rgu/llm/text/bpe_merge.hpp"

namespace rgu::llm {

// The flags mean what they mean in tokenizer.json.
struct AddedToken {
  std::string content = {};
  TokenId id = 0;
  bool special = false;      // left out of decoded text on demand
  bool normalized = false;   // looked for in the normalised text, in its own normal form
  bool single_word = false;  // not where a word character touches it
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // ... after it
};

// Finds tokens from left to right; of those that begin at the same place the longest.
class AddedTokenFinder {
 public:
  explicit AddedTokenFinder(std::vector<AddedToken> tokens);

  using OnText = std::function<void(std::string_view)>;
  using OnToken = std::function<void(TokenId)>;
  // Calls on_text for the text between tokens (never empty) and on_token for the tokens, in order.
  // Takes time linear in the text, times the length of the longest token at worst. `text` is valid
  // UTF-8.
  void split(std::string_view text, const OnText& on_text, const OnToken& on_token) const;

 private:
  void add(const AddedToken& token, std::int32_t number);
  const AddedToken* longest_at(std::string_view text, std::size_t at) const;

  std::vector<AddedToken> tokens_;
  std::array<bool, 256> begins_ = {};  // whether a token begins with this byte
  MergeTable children_;                // of (node, byte), a trie whose root is node 0
  std::vector<std::int32_t> ends_;     // by node: the token that ends there, or -1
};

}  // namespace rgu::llm
