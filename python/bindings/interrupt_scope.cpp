#include "interrupt_scope.hpp"

#include <pybind11/pybind11.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <set>

namespace py = pybind11;

namespace rgu::python {
namespace {

constexpr std::chrono::seconds kLongestWait{20};  // for an iteration to end

// A handler may only touch what is lock-free. Only the main thread changes it.
std::atomic<std::atomic<bool>*> current{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free);
struct sigaction previous_action;

void handle(int signal) {
  std::atomic<bool>* flag = current.load();
  if (flag != nullptr && flag->exchange(true)) previous_action.sa_handler(signal);
}

// Every scope there is, and whether the program is ending.
struct Register {
  std::mutex mutex;
  std::condition_variable left;
  std::set<InterruptScope*> scopes;
  bool ending = false;
};
Register& all_scopes() {
  static Register all;
  return all;
}

bool is_main_thread() {
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

bool is_ours_to_handle() {
  if (!is_main_thread()) return false;
  const py::module_ signals = py::module_::import("signal");
  return signals.attr("getsignal")(signals.attr("SIGINT")).is(signals.attr("default_int_handler"));
}

}  // namespace

InterruptScope::InterruptScope() {
  {
    const std::scoped_lock lock(all_scopes().mutex);
    all_scopes().scopes.insert(this);
    if (all_scopes().ending) stop();
  }
  if (current.load() == nullptr) {
    if (!is_ours_to_handle()) return;
    struct sigaction action = {};
    action.sa_handler = handle;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, &action, &previous_action) != 0) return;
  } else if (!is_main_thread()) {
    return;
  }
  installed_ = true;
  outer_ = current.exchange(&flag_);
}

InterruptScope::~InterruptScope() {
  if (installed_) {
    current.store(outer_);
    if (outer_ == nullptr) {
      sigaction(SIGINT, &previous_action, nullptr);
    } else if (flag_.load()) {
      outer_->store(true);
    }
  }
  const std::scoped_lock lock(all_scopes().mutex);
  all_scopes().scopes.erase(this);
  all_scopes().left.notify_all();
}

void stop_all() {
  const py::gil_scoped_release release;
  std::unique_lock lock(all_scopes().mutex);
  all_scopes().ending = true;
  for (InterruptScope* scope : all_scopes().scopes) scope->stop();
  all_scopes().left.wait_for(lock, kLongestWait, [] { return all_scopes().scopes.empty(); });
}

}  // namespace rgu::python
