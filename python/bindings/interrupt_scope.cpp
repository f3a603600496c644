#include "interrupt_scope.hpp"

#include <pybind11/pybind11.h>

#include <csignal>

namespace py = pybind11;

namespace rgu::python {
namespace {

// A handler may only touch what is lock-free. Only the main thread changes it.
std::atomic<std::atomic<bool>*> current{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free);
struct sigaction previous_action;

void handle(int) {
  if (std::atomic<bool>* flag = current.load()) flag->store(true);
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
  if (!installed_) return;
  current.store(outer_);
  if (outer_ != nullptr) {
    if (flag_.load()) outer_->store(true);
  } else {
    sigaction(SIGINT, &previous_action, nullptr);
  }
}

}  // namespace rgu::python
