// Arrays that are read at random places.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace rgu {

// Memory for `bytes` bytes; from 4 MB on in huge pages if the system grants them, as a random read
// of an ordinary page waits for the page tables first. Throws std::bad_alloc.
void* allocate_large(std::size_t bytes);
void free_large(void* memory);

// New elements are not initialised.
template <class T>
struct LargeArrayAllocator {
  using value_type = T;

  LargeArrayAllocator() = default;
  template <class U>
  explicit LargeArrayAllocator(const LargeArrayAllocator<U>&) {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / (2 * sizeof(T))) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_large(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t) { free_large(memory); }
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(static_cast<Args&&>(args)...);
  }
  bool operator==(const LargeArrayAllocator&) const { return true; }
};

template <class T>
using LargeArray = std::vector<T, LargeArrayAllocator<T>>;

}  // namespace rgu
