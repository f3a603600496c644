// Ctrl-C during a long call.
#pragma once

#include <atomic>

namespace rgu::python {

// While it lives, SIGINT sets a flag instead of raising KeyboardInterrupt, so that a call stops
// with what it has reached. Only on Python's main thread and where Python's own handler is in
// place: a program that handles signals by itself goes on doing so. Made and destroyed with the
// interpreter's lock.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // For calls without hooks of their own; also set by stop().
  const std::atomic<bool>& flag() const { return flag_; }
  void stop() { flag_.store(true); }

 private:
  std::atomic<bool> flag_{false};
  std::atomic<bool>* outer_ = nullptr;  // the flag of the scope around this one
  bool installed_ = false;
};

}  // namespace rgu::python
