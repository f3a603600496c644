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

// Throws InvalidInput where there is a link in the folder, or where it cannot be read. Folders of
// runs may come from anybody, and what is written through a link lies outside.
void check_no_links(const std::filesystem::path& folder);

// What OutputFile was writing when its process was killed: of no use to anybody.
bool is_partial_file(const std::filesystem::path& path);

// Removes such files from the folder and those in it. Only the holder of its lock may.
void remove_partial_files(const std::filesystem::path& folder);

}  // namespace rgu
