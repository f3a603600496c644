// Another program, kept running, that reads what is written to it and writes what is read from it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rgu::align {

// Its standard input and output are pipes to this object; its standard error is ours. It is the
// leader of a process group of its own, so that Ctrl-C at the terminal, which is for this program,
// does not reach it; signals are blocked and handled as at the begin of any program.
class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;

  // Program (looked for along PATH if it has no slash) and arguments; no shell. Throws InvalidInput
  // if it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& command);
  // Closes its input and gives it a second to end; then SIGTERM and another second; then SIGKILL.
  // Signals go to this one process only.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits until it can be written to (where `wants_to_write` and its input is open) or read from,
  // at most until `until`.
  struct Ready {
    bool to_write = false;
    bool to_read = false;
  };
  Ready wait(bool wants_to_write, Clock::time_point until) const;

  // How much of the text it took, without waiting: perhaps nothing. Once it has closed its input
  // all text is taken, and lost.
  std::size_t write(std::string_view text);
  // Appends what it has written, without waiting: perhaps nothing. False at the end of its output.
  bool read(std::string& text);

  // Whether it has ended, and how in words: "exited with status 3", "was ended by signal 9
  // (Killed)".
  std::optional<std::string> ending();

 private:
  bool ends_by(Clock::time_point until);
  void close_input();

  pid_t process_ = -1;  // -1: it has ended, and nothing may be sent to its number any more
  int input_ = -1;      // to it
  int output_ = -1;     // from it
  std::string ending_;  // where it has ended
};

}  // namespace rgu::align
