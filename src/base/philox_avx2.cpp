#include "rgu/base/philox_rounds.hpp"
#include "rgu/base/word_avx2.hpp"

namespace rgu::philox {

void avx2(const Request& request, std::uint64_t* first, std::uint64_t* second) {
  blocks<Word>(request, first, second);
}

}  // namespace rgu::philox
