// Reading of protocol buffers, as far as files of tokenizers need it: fields one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rgu::llm {

struct ProtobufField {
  enum class Wire { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  std::uint32_t number = 0;
  Wire wire = Wire::kVarint;
  std::uint64_t value = 0;      // of kVarint, kFixed64 and kFixed32
  std::string_view bytes = {};  // of kBytes

  // Throw InvalidInput, naming `what`, where the field is of another wire type.
  std::string_view text(std::string_view what) const;
  std::int64_t integer(std::string_view what) const;
  float number32(std::string_view what) const;
};

// The fields of one message. Throws InvalidInput, naming `file` and the byte of it, where a length
// passes the end or a wire type is unknown.
class ProtobufReader {
 public:
  ProtobufReader(std::string_view message, std::string file)
      : message_(message), file_(std::move(file)) {}
  std::optional<ProtobufField> next();

 private:
  std::uint64_t varint();
  std::uint64_t fixed(std::size_t bytes);
  std::string_view take(std::uint64_t bytes);
  [[noreturn]] void refuse(std::string_view what) const;

  std::string_view message_;
  std::string file_;
  std::size_t at_ = 0;
};

}  // namespace rgu::llm
