#include "rgu/align/same_tokenizer.hpp"

namespace rgu::align {

bool same_tokenizer(const llm::Tokenizer& a, const llm::Tokenizer& b) {
  // Shows what is put around a text, and most of what else texts may be treated by differently.
  constexpr const char* kSample =
      "  Tell me, isn't 123 + 45 = 168?\n\n\tÉtude №5: naïve 日本 🙂 ";
  const auto same_specials = [&] {
    return a.specials().bos == b.specials().bos && a.specials().eos == b.specials().eos;
  };
  if (a.size() != b.size() || !same_specials() || a.encode(kSample) != b.encode(kSample)) {
    return false;
  }
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const auto id = static_cast<llm::TokenId>(i);
    if (a.piece(id) != b.piece(id)) return false;
  }
  return true;
}

}  // namespace rgu::align
