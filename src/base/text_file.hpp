// Whole text files: read at once, written so that a reader never sees half of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "rgu/base/types.hpp"

namespace rgu {

// The contents of a file and the name to call it by in messages. A view: the text must live on.
struct NamedText {
  std::string_view file;
  std::string_view text;
};

// The system refused to write: no such folder, no permission, disk full. The message says which.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::uintmax_t kLargestFile = std::uintmax_t{4} << 30;  // bytes

// The bytes of the regular file `path`. Throws InvalidInput if it is missing, not a regular file,
// not readable or larger than kLargestFile.
std::string read_text(const std::filesystem::path& path);

// A file being written. It appears under its name, whole, at commit(): until then the text is in a
// temporary file beside it, which is removed if commit() is never reached. A path that names a
// device is written straight to. Every member throws FileError where the system refuses.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void text(std::string_view text);
  void number(double value);  // the shortest digits that read back to the same double
  void number(Index value);
  void commit();

 private:
  void flush();
  [[noreturn]] void fail(std::string_view what) const;

  std::filesystem::path target_;
  std::filesystem::path written_;  // the temporary file, or the device itself
  std::string buffer_;
  int descriptor_ = -1;
  bool temporary_ = true;
};

// A file that grows: text is added at its end and is in the file, for other programs to see, after
// flush(). Every member throws FileError where the system refuses.
class AppendFile {
 public:
  // Keeps the first `keep` bytes of what is there. Throws FileError also if there are fewer.
  explicit AppendFile(const std::filesystem::path& path, std::uintmax_t keep = 0);
  ~AppendFile();  // without flush()
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  void text(std::string_view text);
  void flush();
  std::uintmax_t size() const { return size_ + buffer_.size(); }  // what was kept and added, bytes

 private:
  [[noreturn]] void fail(std::string_view what) const;

  std::filesystem::path path_;
  std::string buffer_;
  std::uintmax_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace rgu
