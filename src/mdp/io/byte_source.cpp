#include "rgu/mdp/io/byte_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

void TextBytes::read(std::uint64_t offset, std::span<char> out) const {
  if (out.empty()) return;
  std::memcpy(out.data(), text_.data() + offset, out.size());
}

FileBytes::FileBytes(const std::filesystem::path& path) : name_(path.string()) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  check(std::filesystem::exists(status), "cannot read {}: no such file", name_);
  // Asked before opening: opening a pipe would wait for a writer.
  check(std::filesystem::is_regular_file(status), "cannot read {}: not a regular file", name_);
  size_ = std::filesystem::file_size(path, error);
  check(!error, "cannot read {}: {}", name_, error.message());
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  check(descriptor_ >= 0, "cannot read {}: {}", name_, reason());
}

FileBytes::~FileBytes() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileBytes::read(std::uint64_t offset, std::span<char> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    check(got >= 0, "cannot be read: {}", reason());
    check(got > 0, "it ended after {} of {} bytes", offset, size_);
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

}  // namespace rgu
