// Folders and small files that are written at once.
#pragma once

#include <filesystem>
#include <string_view>

#include "rgu/base/text_file.hpp"

namespace rgu::llm {

// Makes the folder and those above it where they are not there. Throws FileError.
inline void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw FileError("cannot make the folder " + folder.string() + ": " + error.message());
}

inline void write_whole(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.text(text);
  file.commit();
}

}  // namespace rgu::llm
