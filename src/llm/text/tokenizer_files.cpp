#include "rgu/llm/text/tokenizer_files.hpp"

#include <fmt/format.h>

#include <array>

#include "rgu/base/text_file.hpp"
#include "rgu/llm/files/output_folder.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

// The first two are tokenizers by themselves.
constexpr std::array<const char*, 5> kTokenizerFiles = {
    "tokenizer.json", "tokenizer.model", "tokenizer_config.json", "special_tokens_map.json",
    "added_tokens.json"};

fs::path usual_name(const fs::path& file) {
  if (file.extension() == ".bin") return file.filename();
  return file.extension() == ".json" ? kTokenizerFiles[0] : kTokenizerFiles[1];
}

void copy_one(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (fs::equivalent(from, to, error)) return;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (error) {
    throw FileError(
        fmt::format("cannot copy {} to {}: {}", from.string(), to.string(), error.message()));
  }
}

}  // namespace

bool holds_tokenizer(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / kTokenizerFiles[0], error) ||
         fs::exists(folder / kTokenizerFiles[1], error);
}

int copy_tokenizer_files(const fs::path& from, const fs::path& to) {
  make_folder(to);
  std::error_code error;
  if (!fs::is_directory(from, error)) {
    copy_one(from, to / usual_name(from));
    return 1;
  }
  int copied = 0;
  for (const char* name : kTokenizerFiles) {
    if (!fs::is_regular_file(from / name, error)) continue;
    copy_one(from / name, to / name);
    ++copied;
  }
  return copied;
}

}  // namespace rgu::llm
