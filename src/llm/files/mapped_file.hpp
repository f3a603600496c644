// A file as memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace rgu::llm {

// Mapped for reading; unmapped at the end. Bytes are read from disk when they are first looked at.
// A file that another program shortens in the meantime ends this one (SIGBUS): files are replaced,
// not rewritten, by OutputFile and by every writer that means well.
class MappedFile {
 public:
  // Throws InvalidInput if it is missing, not a regular file or not readable.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

// CRC-32C of the bytes of a file, in hexadecimal digits. Throws InvalidInput as MappedFile.
std::string file_checksum(const std::filesystem::path& path);

}  // namespace rgu::llm
