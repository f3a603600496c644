// Bytes to be read by their places: a file of which only parts are read, or a text in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "rgu/base/text_file.hpp"

namespace rgu {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual const std::string& name() const = 0;  // for messages
  virtual std::uint64_t size() const = 0;
  // Fills `out` from `offset` on. The caller keeps within size(). Throws InvalidInput, without the
  // name, if the system refuses or the bytes have gone.
  virtual void read(std::uint64_t offset, std::span<char> out) const = 0;
};

// A view: the text must live on.
class TextBytes final : public ByteSource {
 public:
  explicit TextBytes(const NamedText& source) : name_(source.file), text_(source.text) {}
  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return text_.size(); }
  void read(std::uint64_t offset, std::span<char> out) const override;

 private:
  std::string name_;
  std::string_view text_;
};

// An open file. Throws InvalidInput if it is missing, not a regular file or not readable.
class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(const std::filesystem::path& path);
  ~FileBytes() override;
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, std::span<char> out) const override;

 private:
  std::string name_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace rgu
