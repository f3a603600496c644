#include "rgu/align/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"

namespace rgu::align {
namespace {

using namespace std::chrono_literals;
constexpr auto kGrace = 1s;
constexpr auto kLook = 5ms;  // between two looks at whether it has ended

std::string reason(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

// Above 2, which are the numbers that a child has its own streams at: where this program has closed
// one of these, a pipe would get it.
Descriptor above_standard(Descriptor low) {
  if (low.number() > 2) return low;
  Descriptor high(::fcntl(low.number(), F_DUPFD_CLOEXEC, 3));
  check(high.number() >= 0, "cannot make a pipe: {}", reason(errno));
  return high;
}

Pipe make_pipe() {
  std::array<int, 2> ends = {};
  check(::pipe2(ends.data(), O_CLOEXEC) == 0, "cannot make a pipe: {}", reason(errno));
  Descriptor read(ends[0]);
  Descriptor write(ends[1]);
  return {.read = above_standard(std::move(read)), .write = above_standard(std::move(write))};
}

void do_not_wait(const Descriptor& end) { ::fcntl(end.number(), F_SETFL, O_NONBLOCK); }

class SpawnSettings {
 public:
  SpawnSettings(const Pipe& input, const Pipe& output) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.read.number(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.write.number(), STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&usual, signal);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions = {};
  posix_spawnattr_t attributes = {};
};

// While it lives, a write to a pipe that nobody reads gives EPIPE, not a SIGPIPE that ends this
// program: the signal is blocked in this thread and, if one has come, taken away.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    if (!was_pending_) pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  }
  ~NoSigpipe() {
    if (was_pending_) return;  // it was blocked by someone else, who waits for it
    const timespec now = {};
    while (sigtimedwait(&sigpipe_, nullptr, &now) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

 private:
  sigset_t sigpipe_ = {};
  sigset_t before_ = {};
  bool was_pending_ = false;
};

std::string ending_of(int status) {
  if (WIFEXITED(status)) return fmt::format("exited with status {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
}

// Rounded up, so that the time has passed where poll says so; at most a minute.
int milliseconds_until(ChildProcess::Clock::time_point until) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - ChildProcess::Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  check(!command.empty() && !command[0].empty(), "a command without a program");
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);

  Pipe input = make_pipe();
  Pipe output = make_pipe();
  do_not_wait(input.write);
  do_not_wait(output.read);
  const SpawnSettings settings(input, output);
  const int error = ::posix_spawnp(&process_, command[0].c_str(), &settings.actions,
                                   &settings.attributes, arguments.data(), environ);
  check(error == 0, "cannot start {}: {}", llm::in_quotes(command[0]), reason(error));
  input_ = input.write.release();
  output_ = output.read.release();
}

ChildProcess::~ChildProcess() {
  close_input();
  for (const int signal : {SIGTERM, SIGKILL}) {
    if (ends_by(Clock::now() + kGrace)) break;
    ::kill(process_, signal);
  }
  if (!ending()) {
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(output_);
}

void ChildProcess::close_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

// What it still writes is read and dropped, so that it does not wait for that.
bool ChildProcess::ends_by(Clock::time_point until) {
  std::string dropped;
  bool open = true;
  while (!ending()) {
    if (Clock::now() >= until) return false;
    const Clock::time_point look = std::min(until, Clock::now() + kLook);
    if (!open) ::poll(nullptr, 0, milliseconds_until(look));
    if (open && wait(false, look).to_read) open = read(dropped);
    dropped.clear();
  }
  return true;
}

ChildProcess::Ready ChildProcess::wait(bool wants_to_write, Clock::time_point until) const {
  std::array<pollfd, 2> streams = {pollfd{.fd = output_, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = input_, .events = POLLOUT, .revents = 0}};
  const nfds_t count = wants_to_write && input_ >= 0 ? 2 : 1;
  const int ready = ::poll(streams.data(), count, milliseconds_until(until));
  if (ready <= 0) return {};  // the time is over, or a signal came: the caller looks at the clock
  return {.to_write = count == 2 && streams[1].revents != 0, .to_read = streams[0].revents != 0};
}

std::size_t ChildProcess::write(std::string_view text) {
  if (input_ < 0) return text.size();
  const NoSigpipe no_sigpipe;
  const ssize_t written = ::write(input_, text.data(), text.size());
  if (written >= 0) return static_cast<std::size_t>(written);
  if (errno == EAGAIN || errno == EINTR) return 0;
  close_input();
  return text.size();
}

bool ChildProcess::read(std::string& text) {
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  const std::size_t before = text.size();
  text.resize(before + kChunk);
  const ssize_t got = ::read(output_, text.data() + before, kChunk);
  const bool later = got < 0 && (errno == EAGAIN || errno == EINTR);
  text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got > 0 || later;
}

std::optional<std::string> ChildProcess::ending() {
  if (process_ >= 0) {
    int status = 0;
    const pid_t ended = ::waitpid(process_, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return {};
    // A program that ignores SIGCHLD is not told how its children end.
    ending_ = ended > 0 ? ending_of(status) : "ended";
    process_ = -1;
  }
  return ending_;
}

}  // namespace rgu::align
