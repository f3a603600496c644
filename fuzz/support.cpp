#include "support.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace rgu::fuzz {
namespace {

namespace fs = std::filesystem;

class ScratchFolder {
 public:
  ScratchFolder() : path_(fs::temp_directory_path() / fmt::format("rgu-fuzz-{}", ::getpid())) {
    fs::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

constexpr std::string_view kDivider = "=====\n";

// Where the next divider begins: at the begin of a line.
std::size_t divider_in(std::string_view text) {
  std::size_t at = text.find(kDivider);
  while (at != text.npos && at > 0 && text[at - 1] != '\n') at = text.find(kDivider, at + 1);
  return at;
}

}  // namespace

std::vector<std::string_view> sections(std::string_view input, std::size_t count) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < count) {
    const std::size_t at = divider_in(input);
    if (at == input.npos) break;
    parts.push_back(input.substr(0, at));
    input.remove_prefix(at + kDivider.size());
  }
  parts.push_back(input);
  parts.resize(count);
  return parts;
}

void require(bool kept, std::string_view promise) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(promise.size()), promise.data());
  std::abort();
}

const fs::path& scratch_folder() {
  static const ScratchFolder folder;
  return folder.path();
}

void put_file(const fs::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  require(file.good(), "the scratch folder can be written to");
}

fs::path scratch_file(std::string_view name, std::string_view bytes) {
  fs::path path = scratch_folder() / name;
  put_file(path, bytes);
  return path;
}

}  // namespace rgu::fuzz
