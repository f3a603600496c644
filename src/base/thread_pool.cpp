#include "rgu/base/thread_pool.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

// A batch of trajectories takes about 0.1 ms, a sleeping thread up to 0.05 ms to wake: a worker
// therefore looks for the next loop for a short while before it sleeps, and only so long that an
// idle pool costs nothing.
constexpr auto kSpin = std::chrono::microseconds(100);

thread_local bool inside_task = false;

}  // namespace

class ThreadPool::State {
 public:
  explicit State(int threads) {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  }

  ~State() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      generation_.fetch_add(1);
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  void for_each(Index count, const std::function<void(Index)>& task) {
    const std::lock_guard turn(callers_);
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      count_ = count;
      next_.store(0);
      busy_.store(static_cast<int>(workers_.size()));
      error_ = nullptr;
      generation_.fetch_add(1);
    }
    wake_.notify_all();
    drain();
    wait_until([this] { return busy_.load() == 0; }, done_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void work() {
    std::uint64_t seen = 0;
    for (;;) {
      wait_until([&] { return generation_.load() != seen; }, wake_);
      seen = generation_.load();
      if (stop_) return;
      drain();
      if (busy_.fetch_sub(1) == 1) {
        const std::lock_guard lock(mutex_);
        done_.notify_one();
      }
    }
  }

  void drain() {
    inside_task = true;
    for (Index i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) {
      try {
        (*task_)(i);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_.store(count_);
      }
    }
    inside_task = false;
  }

  template <class Condition>
  void wait_until(Condition condition, std::condition_variable& signal) {
    const auto deadline = std::chrono::steady_clock::now() + kSpin;
    while (std::chrono::steady_clock::now() < deadline) {
      for (int i = 0; i < 64; ++i) {
        if (condition()) return;
      }
    }
    std::unique_lock lock(mutex_);
    signal.wait(lock, condition);
  }

  std::vector<std::thread> workers_;
  std::mutex callers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<int> busy_{0};
  std::atomic<Index> next_{0};
  std::atomic<bool> stop_{false};
  const std::function<void(Index)>* task_ = nullptr;
  Index count_ = 0;
  std::exception_ptr error_;
};

ThreadPool::ThreadPool(int threads) {
  check_count("number of threads", threads);
  state_ = std::make_unique<State>(threads);
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const { return state_->threads(); }

void ThreadPool::for_each(Index count, const std::function<void(Index)>& task) {
  if (inside_task || count <= 1 || threads() == 1) {
    for (Index i = 0; i < count; ++i) task(i);
  } else {
    state_->for_each(count, task);
  }
}

}  // namespace rgu
