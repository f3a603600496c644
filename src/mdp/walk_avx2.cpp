#include "rgu/base/word_avx2.hpp"
#include "rgu/mdp/walk_loop.hpp"

namespace rgu {

void walk_avx2(const WalkTables& tables, const philox::Request& start, std::int64_t steps,
               const std::uint32_t* state, std::uint32_t* pairs) {
  walk<Word>(tables, start, steps, state, pairs);
}

}  // namespace rgu
