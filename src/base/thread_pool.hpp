// A fixed set of threads that share loops over independent pieces of work.
#pragma once

#include <functional>
#include <memory>

#include "rgu/base/types.hpp"

namespace rgu {

// The calling thread works too, so a pool of one starts no thread. Which thread runs which piece
// is not fixed: results must not depend on it.
class ThreadPool {
 public:
  explicit ThreadPool(int threads = 1);  // throws InvalidInput unless threads >= 1
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  // Calls task(i) once for each i in 0 .. count - 1 and returns when all are done. If calls throw,
  // the remaining pieces are skipped and the first exception is rethrown here. Calls from several
  // threads take turns; a call from inside a task runs its pieces on that thread alone.
  void for_each(Index count, const std::function<void(Index)>& task);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace rgu
