#include "rgu/large/policy_file.hpp"

#include <bit>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/crc32c.hpp"
#include "rgu/base/text_file.hpp"

namespace rgu {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

constexpr std::string_view kMagic = "RGUPOLCY";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMark = 0x01020304;

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T take(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Appends the checksum and padding.
void seal(std::string& bytes) {
  put(bytes, crc32c(bytes));
  put(bytes, std::uint32_t{0});
}

constexpr std::size_t kSeal = 8;
constexpr std::size_t kHead = 8 + 4 + 4 + 3 * 8 + kSeal;

std::string header(PolicyShape shape, int pieces) {
  std::string bytes(kMagic);
  put(bytes, kVersion);
  put(bytes, kMark);
  for (const Index count : {shape.states, shape.actions, Index{pieces}}) {
    put(bytes, static_cast<std::uint64_t>(count));
  }
  seal(bytes);
  return bytes;
}

std::string piece(const Matrix& policy, StateRange own) {
  std::string bytes;
  bytes.reserve(16 + static_cast<std::size_t>(policy.size()) * sizeof(double) + kSeal);
  put(bytes, static_cast<std::uint64_t>(own.first));
  put(bytes, static_cast<std::uint64_t>(own.last));
  bytes.append(reinterpret_cast<const char*>(policy.data()),
               static_cast<std::size_t>(policy.size()) * sizeof(double));
  seal(bytes);
  return bytes;
}

class PolicyReader {
 public:
  explicit PolicyReader(const std::filesystem::path& path)
      : name_(path.string()), stream_(path, std::ios::binary) {
    check(stream_.good(), "{}: cannot be read", name_);
  }

  std::string bytes(std::size_t count) {
    std::string text(count, '\0');
    stream_.read(text.data(), static_cast<std::streamsize>(count));
    check(static_cast<std::size_t>(stream_.gcount()) == count, "{}: ends too early", name_);
    return text;
  }
  void skip(std::size_t count) { stream_.seekg(static_cast<std::streamoff>(count), std::ios::cur); }
  void check_seal(std::string_view text) const {
    const std::size_t size = text.size() - kSeal;
    check(take<std::uint32_t>(text, size) == crc32c(text.substr(0, size)),
          "{}: damaged, a checksum does not fit", name_);
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::ifstream stream_;
};

std::uint64_t read_header(PolicyReader& file, PolicyShape shape) {
  const std::string head = file.bytes(kHead);
  check(head.starts_with(kMagic), "{}: is no policy of a large model", file.name());
  file.check_seal(head);
  check(take<std::uint32_t>(head, 8) == kVersion && take<std::uint32_t>(head, 12) == kMark,
        "{}: is of another version or order of bytes", file.name());
  const auto states = take<std::uint64_t>(head, 16), actions = take<std::uint64_t>(head, 24);
  check(states == static_cast<std::uint64_t>(shape.states) &&
            actions == static_cast<std::uint64_t>(shape.actions),
        "{}: has {} states and {} actions, the model has {} and {}", file.name(), states, actions,
        shape.states, shape.actions);
  return take<std::uint64_t>(head, 32);
}

}  // namespace

void write_spread_policy(const std::filesystem::path& path, const Matrix& policy, PolicyShape shape,
                         StateRange own, Ranks& ranks) {
  std::string bytes = piece(policy, own);
  if (!ranks.leads()) {
    std::uint64_t size = bytes.size();
    ranks.send(std::as_bytes(std::span(&size, 1)), 0);
    ranks.send(std::as_bytes(std::span(bytes)), 0);
    return;
  }
  OutputFile file(path);
  file.text(header(shape, ranks.size()));
  file.text(bytes);
  for (int rank = 1; rank < ranks.size(); ++rank) {
    std::uint64_t size = 0;
    ranks.receive(std::as_writable_bytes(std::span(&size, 1)), rank);
    bytes.resize(size);
    ranks.receive(std::as_writable_bytes(std::span(bytes)), rank);
    file.text(bytes);
  }
  file.commit();
}

Matrix read_policy_rows(const std::filesystem::path& path, PolicyShape shape, StateRange own) {
  PolicyReader file(path);
  const std::uint64_t pieces = read_header(file, shape);
  Matrix rows(own.size(), shape.actions);
  Index next = 0;
  for (std::uint64_t i = 0; i < pieces && next < own.last; ++i) {
    const std::string place = file.bytes(16);
    const auto first = static_cast<Index>(take<std::uint64_t>(place, 0));
    const auto last = static_cast<Index>(take<std::uint64_t>(place, 8));
    check(first == next && last >= first && last <= shape.states,
          "{}: piece {} has the states {} .. {}, must go on at {}", file.name(), i, first, last,
          next);
    next = last;
    const std::size_t size =
        static_cast<std::size_t>((last - first) * shape.actions) * sizeof(double);
    if (last <= own.first) {
      file.skip(size + kSeal);
      continue;
    }
    const std::string whole = place + file.bytes(size + kSeal);
    file.check_seal(whole);
    const Index from = std::max(first, own.first), to = std::min(last, own.last);
    if (to <= from) continue;
    std::memcpy(rows.data() + (from - own.first) * shape.actions,
                whole.data() + 16 + static_cast<std::size_t>((from - first) * shape.actions) * 8,
                static_cast<std::size_t>((to - from) * shape.actions) * 8);
  }
  check(next >= own.last, "{}: ends at state {}, must reach {}", file.name(), next, own.last);
  return rows;
}

}  // namespace rgu
