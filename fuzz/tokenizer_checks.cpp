#include "tokenizer_checks.hpp"

#include <algorithm>

#include "rgu/llm/text/unicode.hpp"
#include "support.hpp"

namespace rgu::fuzz {

void check_tokenizer(const llm::Tokenizer& tokenizer, std::string_view text) {
  const std::vector<llm::TokenId> ids = tokenizer.encode(text);
  require(std::all_of(ids.begin(), ids.end(),
                      [&](llm::TokenId id) { return id >= 0 && id < tokenizer.size(); }),
          "every id of a text is in the vocabulary");
  for (const llm::Specials specials : {llm::Specials::kKeep, llm::Specials::kSkip}) {
    require(llm::is_utf8(tokenizer.decode(ids, specials)), "decoded text is UTF-8");
  }
  for (const std::int64_t id : {std::int64_t{0}, tokenizer.size() - 1}) {
    if (id >= 0 && id < tokenizer.size()) tokenizer.piece(static_cast<llm::TokenId>(id));
  }
}

}  // namespace rgu::fuzz
