#include "rgu/llm/text/text_lines.hpp"

#include <fcntl.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

constexpr std::size_t kFileChunk = std::size_t{1} << 16;
constexpr std::size_t kTextChunk = std::size_t{1} << 18;
constexpr std::uint64_t kXzMemory = std::uint64_t{1}
                                    << 29;  // bytes; the strongest preset takes 65 MiB
constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kXzMagic(
    "\xfd"
    "7zXZ\0",
    6);
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// The bytes of a file, chunk by chunk.
class FileBytes {
 public:
  explicit FileBytes(const std::filesystem::path& path) : name_(path.string()) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    check(std::filesystem::exists(status), "cannot read {}: no such file", name_);
    check(std::filesystem::is_regular_file(status), "cannot read {}: not a regular file", name_);
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    check(descriptor_ >= 0, "cannot read {}: {}", name_, reason());
    chunk_.reserve(kFileChunk);
    read();
  }
  ~FileBytes() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  const std::string& chunk() const { return chunk_; }           // empty at the end
  std::uint64_t begin() const { return end_ - chunk_.size(); }  // of the chunk in the file
  const std::string& name() const { return name_; }

  void read() {
    chunk_.resize(kFileChunk);
    ssize_t got = -1;
    do {
      got = ::read(descriptor_, chunk_.data(), chunk_.size());
    } while (got < 0 && errno == EINTR);
    check(got >= 0, "cannot read {}: {}", name_, reason());
    chunk_.resize(static_cast<std::size_t>(got));
    end_ += chunk_.size();
  }

 private:
  static std::string reason() { return std::generic_category().message(errno); }

  std::string name_;
  int descriptor_ = -1;
  std::string chunk_;
  std::uint64_t end_ = 0;
};

[[noreturn]] void refuse(const FileBytes& file, std::uint64_t byte, std::string_view what) {
  throw InvalidInput(fmt::format("{}: byte {}: {}", file.name(), byte, what));
}

}  // namespace

// Text, chunk by chunk.
class TextLines::Source {
 public:
  virtual ~Source() = default;
  virtual void read(std::string& text) = 0;  // the next part; empty at the end
};

class TextLines::PlainSource : public Source {
 public:
  explicit PlainSource(std::unique_ptr<FileBytes> file) : file_(std::move(file)) {}
  void read(std::string& text) override {
    text = file_->chunk();
    if (!text.empty()) file_->read();
  }

 private:
  std::unique_ptr<FileBytes> file_;
};

class TextLines::GzipSource : public Source {
 public:
  explicit GzipSource(std::unique_ptr<FileBytes> file) : file_(std::move(file)) {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
    take_chunk();
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  void read(std::string& text) override {
    text.resize(kTextChunk);
    stream_.next_out = reinterpret_cast<Bytef*>(text.data());
    stream_.avail_out = static_cast<uInt>(text.size());
    while (stream_.avail_out > 0 && provide_input()) inflate_some();
    text.erase(text.size() - stream_.avail_out);
  }

 private:
  // False at the end of the file, where a member must have ended.
  bool provide_input() {
    if (stream_.avail_in == 0 && !file_->chunk().empty()) {
      file_->read();
      take_chunk();
    }
    if (stream_.avail_in > 0) return true;
    if (!member_ended_) refuse(*file_, position(), "the file ends inside its gzip data");
    return false;
  }

  void inflate_some() {
    if (member_ended_) {  // files may be put one after the other
      inflateReset(&stream_);
      member_ended_ = false;
    }
    const int result = inflate(&stream_, Z_NO_FLUSH);
    member_ended_ = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END) {
      const std::string_view why = stream_.msg != nullptr ? stream_.msg : "not gzip data";
      refuse(*file_, position(), fmt::format("the gzip data are damaged: {}", why));
    }
  }

  void take_chunk() {
    // zlib does not write to its input, whatever the type says.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file_->chunk().data()));
    stream_.avail_in = static_cast<uInt>(file_->chunk().size());
  }

  std::uint64_t position() const {
    return file_->begin() + file_->chunk().size() - stream_.avail_in;
  }

  std::unique_ptr<FileBytes> file_;
  z_stream stream_ = {};
  bool member_ended_ = false;
};

class TextLines::XzSource : public Source {
 public:
  explicit XzSource(std::unique_ptr<FileBytes> file) : file_(std::move(file)) {
    if (lzma_stream_decoder(&stream_, kXzMemory, LZMA_CONCATENATED) != LZMA_OK)
      throw std::bad_alloc();
    take_chunk();
  }
  ~XzSource() override { lzma_end(&stream_); }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;

  void read(std::string& text) override {
    text.resize(kTextChunk);
    stream_.next_out = reinterpret_cast<std::uint8_t*>(text.data());
    stream_.avail_out = text.size();
    while (stream_.avail_out > 0 && !ended_) decode_some();
    text.erase(text.size() - stream_.avail_out);
  }

 private:
  void decode_some() {
    if (stream_.avail_in == 0 && !file_->chunk().empty()) {
      file_->read();
      take_chunk();
    }
    const lzma_ret result = lzma_code(&stream_, file_->chunk().empty() ? LZMA_FINISH : LZMA_RUN);
    ended_ = result == LZMA_STREAM_END;
    if (result != LZMA_OK && result != LZMA_STREAM_END) refuse(*file_, position(), meaning(result));
  }

  static std::string_view meaning(lzma_ret result) {
    switch (result) {
      case LZMA_BUF_ERROR:
        return "the file ends inside its xz data";
      case LZMA_MEMLIMIT_ERROR:
        return "the xz data need more than 512 MiB of memory";
      case LZMA_OPTIONS_ERROR:
        return "the xz data use an option that is not supported";
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      default:
        return "the xz data are damaged";
    }
  }

  void take_chunk() {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(file_->chunk().data());
    stream_.avail_in = file_->chunk().size();
  }

  std::uint64_t position() const {
    return file_->begin() + file_->chunk().size() - stream_.avail_in;
  }

  std::unique_ptr<FileBytes> file_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ended_ = false;
};

TextLines::TextLines(const std::filesystem::path& path, const TextLinesOptions& options)
    : file_(path.string()), options_(options) {
  auto bytes = std::make_unique<FileBytes>(path);
  const std::string_view first = bytes->chunk();
  if (first.starts_with(kGzipMagic)) {
    source_ = std::make_unique<GzipSource>(std::move(bytes));
  } else if (first.starts_with(kXzMagic)) {
    source_ = std::make_unique<XzSource>(std::move(bytes));
  } else {
    source_ = std::make_unique<PlainSource>(std::move(bytes));
  }
  fill();
  if (buffer_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

TextLines::~TextLines() = default;
TextLines::TextLines(TextLines&&) noexcept = default;
TextLines& TextLines::operator=(TextLines&&) noexcept = default;

// Reads on where everything was given; false at the end.
bool TextLines::fill() {
  if (at_ < buffer_.size()) return true;
  source_->read(buffer_);
  at_ = 0;
  return !buffer_.empty();
}

void TextLines::append(std::string_view part) {
  check(part.size() <= options_.longest_line - line_.size(), "{}: the line is longer than {} bytes",
        place(), options_.longest_line);
  line_ += part;
}

std::optional<std::string_view> TextLines::next() {
  line_.clear();
  if (!fill()) return {};
  ++number_;
  while (fill()) {
    const std::size_t end = buffer_.find('\n', at_);
    append(std::string_view(buffer_).substr(at_, end == buffer_.npos ? end : end - at_));
    at_ = end == buffer_.npos ? buffer_.size() : end + 1;
    if (end == buffer_.npos) continue;
    if (line_.ends_with('\r')) line_.pop_back();
    break;
  }
  return line_;
}

std::string TextLines::place() const { return fmt::format("{}:{}", file_, number_); }

}  // namespace rgu::llm
