#include "rgu/base/large_array.hpp"

#include <cstdlib>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace rgu {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

void* allocate_large(std::size_t bytes) {
  const std::size_t page = bytes >= 2 * kHugePage ? kHugePage : kCacheLine;
  const std::size_t whole = (bytes + page - 1) / page * page;
  void* memory = std::aligned_alloc(page, whole);
  if (memory == nullptr && bytes > 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  // Advice: nothing is lost if the system does not take it.
  if (page == kHugePage) madvise(memory, whole, MADV_HUGEPAGE);
#endif
  return memory;
}

void free_large(void* memory) { std::free(memory); }

}  // namespace rgu
