// The threads of one parallel region. Work is divided into pieces whose results do not depend on
// the thread that takes them.
#pragma once

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <atomic>

#include "rgu/llm/decode/kernels.hpp"

namespace rgu::llm::decode {

struct Range {
  Size begin = 0;
  Size end = 0;
};

// Threads wait for each other: awake for a moment, for a step has dozens of such places and all
// usually arrive within microseconds, then asleep, for on a busy machine the one that is missing
// needs the core. (OpenMP's own barrier stays awake a thousand times longer.)
class Barrier {
 public:
  void wait(int threads) {
    const int now = phase_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.fetch_add(1, std::memory_order_release);
      phase_.notify_all();
      return;
    }
    for (int i = 0; i < kAwake; ++i) {
      if (phase_.load(std::memory_order_acquire) != now) return;
      relax();
    }
    phase_.wait(now, std::memory_order_acquire);
  }

 private:
  static constexpr int kAwake = 1000;
  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  std::atomic<int> arrived_ = 0;
  std::atomic<int> phase_ = 0;
};

struct Team {
  int rank = 0;
  int size = 1;
  Barrier* meeting = nullptr;

  // This thread's share of 0 .. count - 1: contiguous, equal up to one.
  Range share(Size count) const {
    return {.begin = count * rank / size, .end = count * (rank + 1) / size};
  }

  // Waits for all threads of the team.
  void barrier() const {
    if (size > 1) meeting->wait(size);
  }
};

inline int hardware_threads() {
#if defined(_OPENMP)
  return omp_get_num_procs();
#else
  return 1;
#endif
}

// body(team) on every thread of a region of at most `threads`. The body must not throw. Inside
// another parallel region it may run on one thread alone.
template <class Body>
void run_team(int threads, const Body& body) {
#if defined(_OPENMP)
  Barrier meeting;
#pragma omp parallel num_threads(threads)
  body(Team{.rank = omp_get_thread_num(), .size = omp_get_num_threads(), .meeting = &meeting});
#else
  static_cast<void>(threads);
  body(Team{});
#endif
}

}  // namespace rgu::llm::decode
