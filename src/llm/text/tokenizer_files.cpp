#include "rgu/llm/text/tokenizer_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rgu/base/text_file.hpp"
#include "rgu/llm/files/output_folder.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

// The first three are tokenizers by themselves.
constexpr std::size_t kWhole = 3;
constexpr std::array<const char*, 6> kTokenizerFiles = {
    "tokenizer.json",        "tokenizer.model",         "tokenizer.bin",
    "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"};

// By the extension; any other one is a SentencePiece model.
fs::path usual_name(const fs::path& file) {
  const fs::path name = "tokenizer" + file.extension().string();
  return name == "tokenizer.json" || name == "tokenizer.bin" ? name : "tokenizer.model";
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
  return std::any_of(kTokenizerFiles.begin(), kTokenizerFiles.begin() + kWhole,
                     [&](const char* name) { return fs::exists(folder / name, error); });
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
