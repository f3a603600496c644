#include "rgu/base/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

// All that is in the folder and in those in it, not behind links.
template <class Function>
void for_each_entry(const fs::path& folder, Function f) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) f(*entry);
  check(!error, "cannot read the folder {}: {}", folder.string(), error.message());
}

}  // namespace

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

bool is_partial_file(const fs::path& path) { return path.extension() == ".partial"; }

void check_no_links(const fs::path& folder) {
  for_each_entry(folder, [](const fs::directory_entry& entry) {
    check(!entry.is_symlink(), "{} is a link: a run folder must hold its files itself",
          entry.path().string());
  });
}

void remove_partial_files(const fs::path& folder) {
  std::vector<fs::path> partial;
  for_each_entry(folder, [&](const fs::directory_entry& entry) {
    if (is_partial_file(entry.path())) partial.push_back(entry.path());
  });
  std::error_code ignored;  // they are in nobody's way
  for (const fs::path& path : partial) fs::remove(path, ignored);
}

}  // namespace rgu
