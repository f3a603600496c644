// Ctrl-C during a long call.
#pragma once

#include <atomic>

namespace rgu::python {

// While it lives, the first SIGINT sets a flag instead of raising KeyboardInterrupt, so that a call
// stops with what it has reached; a second one goes to Python, for a utility or callback that does
// not return. Only on Python's main thread and where Python's own handler is in place: a program
// that handles signals by itself goes on doing so. Made and destroyed with the interpreter's lock.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // Set by the signal, by stop(), and at the end of the program by stop_all.
  const std::atomic<bool>& flag() const { return flag_; }
  void stop() { flag_.store(true); }

 private:
  std::atomic<bool> flag_{false};
  std::atomic<bool>* outer_ = nullptr;  // the flag of the scope around this one
  bool installed_ = false;
};

// Before the interpreter ends: stops every call that runs in some thread and waits for their end,
// since a thread that comes back to an interpreter that is gone would take the process with it.
// With the interpreter's lock.
void stop_all();

}  // namespace rgu::python
