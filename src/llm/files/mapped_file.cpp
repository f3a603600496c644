#include "rgu/llm/files/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "rgu/base/check.hpp"
#include "rgu/base/crc32c.hpp"

namespace rgu::llm {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw InvalidInput(
      fmt::format("cannot read {}: {}", path.string(), std::generic_category().message(error)));
}

std::span<const std::byte> mapped(int descriptor, const std::filesystem::path& path) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) fail(path, errno);
  check(S_ISREG(status.st_mode), "cannot read {}: not a regular file", path.string());
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {};  // which cannot be mapped
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (start == MAP_FAILED) fail(path, errno);
  return {static_cast<const std::byte*>(start), size};
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Not waiting for the writer of a pipe: fstat tells what it is.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail(path, errno);
  try {
    bytes_ = mapped(descriptor, path);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  ::close(descriptor);  // the mapping stays
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::string file_checksum(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  return fmt::format("{:08x}", crc32c({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

}  // namespace rgu::llm
