// One process at a time writes into a folder.
#pragma once

#include <filesystem>
#include <utility>

namespace rgu {

// Keeps other processes from locking `folder` until this object is gone, by a file `lock` in it.
// Throws InvalidInput if another process holds it, FileError where the system refuses.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace rgu
