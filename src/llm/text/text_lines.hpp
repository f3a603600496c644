// The lines of a text file, plain or compressed, one at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rgu::llm {

struct TextLinesOptions {
  std::size_t longest_line = std::size_t{64} << 20;  // bytes
};

// Reads plain, gzip and xz files, told apart by their first bytes, in memory that does not grow
// with the file. A line ends at "\n" or "\r\n", which are not part of it; the last may lack one. A
// byte order mark at the begin is left out. Throws InvalidInput, saying where, for a file that
// cannot be read, is damaged or has a longer line.
class TextLines {
 public:
  explicit TextLines(const std::filesystem::path& path, const TextLinesOptions& options = {});
  ~TextLines();
  TextLines(TextLines&&) noexcept;
  TextLines& operator=(TextLines&&) noexcept;

  // Valid until the next call; none at the end.
  std::optional<std::string_view> next();
  std::int64_t number() const { return number_; }  // of the line that next() gave, from 1
  std::string place() const;                       // "data.jsonl:12", for messages

 private:
  class Source;
  class PlainSource;
  class GzipSource;
  class XzSource;

  bool fill();
  void append(std::string_view part);

  std::string file_;
  TextLinesOptions options_;
  std::unique_ptr<Source> source_;
  std::string buffer_;  // what was read
  std::size_t at_ = 0;  // ... and not yet given
  std::string line_;
  std::int64_t number_ = 0;
};

}  // namespace rgu::llm
