#include "rgu/base/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

std::string reason() { return std::generic_category().message(errno); }

class Descriptor {  // closes what it holds
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// A name nobody else uses: another process has another id, another call another count.
std::filesystem::path name_beside(const std::filesystem::path& target) {
  static std::atomic<unsigned> count = 0;
  std::filesystem::path name = target;
  name += fmt::format(".{}-{}.partial", ::getpid(), count++);
  return name;
}

// False, with errno set, where the system refuses.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  check(std::filesystem::exists(status), "cannot read {}: no such file", path.string());
  // Asked before opening: opening a pipe would wait for a writer, and a device has no end.
  check(std::filesystem::is_regular_file(status), "cannot read {}: not a regular file",
        path.string());
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  check(file.number() >= 0, "cannot read {}: {}", path.string(), reason());
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  check(!error && size <= kLargestFile, "cannot read {}: it has {} bytes, must have at most {}",
        path.string(), size, kLargestFile);
  std::string text(size, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = ::read(file.number(), text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    check(got >= 0, "cannot read {}: {}", path.string(), reason());
    check(got > 0, "cannot read {}: it ended after {} of {} bytes", path.string(), filled, size);
    filled += static_cast<std::size_t>(got);
  }
  return text;
}

OutputFile::OutputFile(const std::filesystem::path& path) : target_(path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) {
    errno = EISDIR;
    fail("open");
  }
  // Renaming over a link would replace the link, over a device the device: follow the one, write
  // into the other.
  temporary_ = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
  if (std::filesystem::exists(status)) target_ = std::filesystem::canonical(path);
  written_ = temporary_ ? name_beside(target_) : target_;
  const int creation = temporary_ ? O_CREAT | O_EXCL : 0;
  descriptor_ = ::open(written_.c_str(), O_WRONLY | O_CLOEXEC | creation, 0666);
  if (descriptor_ < 0) fail("open");
  buffer_.reserve(kBufferSize + 64);
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (temporary_) ::unlink(written_.c_str());
}

void OutputFile::text(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) flush();
}

void OutputFile::number(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  text({digits, static_cast<std::size_t>(end - digits)});
}

void OutputFile::number(Index value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  text({digits, static_cast<std::size_t>(end - digits)});
}

void OutputFile::commit() {
  flush();
  // Data first, name second: after a crash the name must not point at a file without contents.
  if (temporary_ && ::fsync(descriptor_) != 0) fail("write");
  const int descriptor = descriptor_;
  if (!temporary_) {
    descriptor_ = -1;
    if (::close(descriptor) != 0) fail("write");
    return;
  }
  if (::rename(written_.c_str(), target_.c_str()) != 0) fail("rename into place");
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail("write");
}

void OutputFile::flush() {
  if (!write_all(descriptor_, buffer_)) fail("write");
  buffer_.clear();
}

void OutputFile::fail(std::string_view what) const {
  throw FileError(fmt::format("cannot {} {}: {}", what, target_.string(), reason()));
}

AppendFile::AppendFile(const std::filesystem::path& path, std::uintmax_t keep)
    : path_(path), size_(keep) {
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("open");
  const off_t end = ::lseek(descriptor_, 0, SEEK_END);
  if (end < 0 || static_cast<std::uintmax_t>(end) < keep) {
    ::close(descriptor_);
    throw FileError(fmt::format("cannot go on with {}: it has {} bytes, must have at least {}",
                                path.string(), end, keep));
  }
  if (::ftruncate(descriptor_, static_cast<off_t>(keep)) != 0 ||
      ::lseek(descriptor_, static_cast<off_t>(keep), SEEK_SET) < 0) {
    const int error = errno;
    ::close(descriptor_);
    errno = error;
    fail("write");
  }
}

AppendFile::~AppendFile() { ::close(descriptor_); }

void AppendFile::text(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) flush();
}

void AppendFile::flush() {
  if (!write_all(descriptor_, buffer_)) fail("write");
  size_ += buffer_.size();
  buffer_.clear();
}

void AppendFile::fail(std::string_view what) const {
  throw FileError(fmt::format("cannot {} {}: {}", what, path_.string(), reason()));
}

}  // namespace rgu
