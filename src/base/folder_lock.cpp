#include "rgu/base/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"

namespace rgu {

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "lock";
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    throw FileError(
        fmt::format("cannot open {}: {}", path.string(), std::generic_category().message(errno)));
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw InvalidInput(
        fmt::format("the run folder {} is in use by another process", folder.string()));
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace rgu
