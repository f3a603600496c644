#include "rgu/mdp/io/binary_layout.hpp"

#include <algorithm>

#include "rgu/base/check.hpp"
#include "rgu/base/crc32c.hpp"
#include "rgu/mdp/io/place.hpp"

namespace rgu {
namespace {

constexpr std::string_view kMagic("\x89RGUM\r\n\x1a", 8);
constexpr std::uint32_t kByteOrder = 0x0a0b0c0d;
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kEntryBytes = 24;
constexpr std::uint32_t kLeastBlock = 64;
constexpr std::uint32_t kLargestBlock = std::uint32_t{1} << 26;

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

std::uint64_t block_count(std::uint64_t bytes, std::uint64_t block) {
  return bytes / block + (bytes % block != 0 ? 1 : 0);
}

template <class Number>
void put(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// Takes numbers from bytes, one after the other. The caller keeps within them.
class Taker {
 public:
  explicit Taker(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  Number number() {
    Number number;
    std::memcpy(&number, rest_.data(), sizeof(number));
    rest_.remove_prefix(sizeof(number));
    return number;
  }
  std::string_view text(std::uint64_t bytes) {
    const std::string_view text = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return text;
  }
  std::uint64_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

std::string_view kind_name(SectionKind kind) {
  switch (kind) {
    case SectionKind::kStart:
      return "start";
    case SectionKind::kRowOffsets:
      return "row offsets";
    case SectionKind::kProbabilities:
      return "probabilities";
    case SectionKind::kSignal:
      return "signal";
    case SectionKind::kColumns:
      return "columns";
    case SectionKind::kGrid:
      return "grid";
  }
  return "unknown";
}

// In 128 bits, where no product of the header's numbers that matters here can overflow.
Uint128 pairs(const BinaryHeader& header) { return Uint128{header.states} * header.actions; }

Uint128 expected_bytes(SectionKind kind, const BinaryHeader& header) {
  switch (kind) {
    case SectionKind::kStart:
      return Uint128{8} * header.states;
    case SectionKind::kRowOffsets:
      return 8 * (pairs(header) + 1);
    case SectionKind::kProbabilities:
      return Uint128{8} * header.transitions;
    case SectionKind::kSignal:
      return 8 * pairs(header);
    case SectionKind::kColumns:
      return Uint128{4} * header.transitions;
    case SectionKind::kGrid:
      return 4 * (Uint128{header.states} + 2);
  }
  return 0;
}

void check_counts(const BinaryHeader& header, const ByteSource& source) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;  // what columns of 4 bytes can name
  check(header.states >= 1 && header.states <= kMost && header.actions >= 1 &&
            header.actions <= kMost,
        "header says {} states and {} actions, each must be in 1 .. {}", header.states,
        header.actions, kMost);
  check(header.discount > 0 && header.discount < 1,
        "discount is {}, must lie strictly between 0 and 1", header.discount);
  check(header.file_bytes == source.size(),
        "header says {} bytes, but the file has {}: it was cut or has grown", header.file_bytes,
        source.size());
  check(header.block_bytes >= kLeastBlock && header.block_bytes <= kLargestBlock &&
            std::has_single_bit(header.block_bytes),
        "block size is {}, must be a power of two in {} .. {}", header.block_bytes, kLeastBlock,
        kLargestBlock);
  check(header.directory_bytes <= source.size() - BinaryHeader::kBytes,
        "header says a directory of {} bytes, which the file of {} bytes cannot hold",
        header.directory_bytes, source.size());
  check(header.sections <= header.directory_bytes / kEntryBytes,
        "header says {} sections, which a directory of {} bytes cannot hold", header.sections,
        header.directory_bytes);
}

// The entries, and the names that follow them.
std::vector<BinarySection> taken_sections(Taker& taker, std::uint32_t count) {
  std::vector<BinarySection> sections(count);
  std::vector<std::uint32_t> name_bytes(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    sections[i].kind = static_cast<SectionKind>(taker.number<std::uint32_t>());
    name_bytes[i] = taker.number<std::uint32_t>();
    sections[i].offset = taker.number<std::uint64_t>();
    sections[i].size = taker.number<std::uint64_t>();
  }
  std::uint64_t names = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    check(name_bytes[i] <= taker.left(),
          "name of section {} has {} bytes, more than the directory has left", i, name_bytes[i]);
    sections[i].name = taker.text(name_bytes[i]);
    names += name_bytes[i];
  }
  const std::uint64_t padding = padded(names) - names;
  check(padding <= taker.left(), "directory ends within the names of sections");
  taker.text(padding);
  return sections;
}

// Offsets and sizes: each section begins where the one before it ends, the last ends with the file.
void check_places(const BinaryLayout& layout, const ByteSource& source) {
  std::uint64_t end = BinaryHeader::kBytes + layout.header.directory_bytes;
  for (const BinarySection& section : layout.sections) {
    const std::string_view name = kind_name(section.kind);
    check(section.offset == end, "section {} begins at {}, must begin at {}", name, section.offset,
          end);
    check(section.size <= source.size() - end,
          "section {} has {} bytes, more than the file has left", name, section.size);
    check(section.size == expected_bytes(section.kind, layout.header),
          "section {} has {} bytes, which {} states, {} actions and {} transitions do not ask "
          "for",
          name, section.size, layout.header.states, layout.header.actions,
          layout.header.transitions);
    end += section.size;
  }
  check(end == source.size(), "sections end at {}, but the file has {} bytes", end, source.size());
}

// Which sections there are, in which order.
void check_kinds(const BinaryLayout& layout) {
  const BinarySection* last = nullptr;
  for (const BinarySection& section : layout.sections) {
    const auto kind = static_cast<std::uint32_t>(section.kind);
    check(kind >= 1 && kind <= 6, "section of kind {}, must be in 1 .. 6", kind);
    const bool is_signal = section.kind == SectionKind::kSignal;
    check(is_signal || section.name.empty(), "section {} has a name, must have none",
          kind_name(section.kind));
    const bool in_order = last == nullptr || last->kind < section.kind ||
                          (is_signal && last->kind == section.kind && last->name < section.name);
    check(in_order, "section {} {} is out of order, or there twice", kind_name(section.kind),
          excerpt(section.name));
    last = &section;
  }
  for (const SectionKind kind : {SectionKind::kStart, SectionKind::kProbabilities}) {
    check(layout.find(kind) != nullptr, "section {} is missing", kind_name(kind));
  }
  check((layout.find(SectionKind::kRowOffsets) == nullptr) ==
            (layout.find(SectionKind::kColumns) == nullptr),
        "of the sections row offsets and columns one is there, must be both or none");
  const BinaryHeader& header = layout.header;
  check(!layout.is_dense() || pairs(header) * header.states == header.transitions,
        "dense kernel of {} states and {} actions has {} probabilities, must have one for "
        "each state, action and next state",
        header.states, header.actions, header.transitions);
}

void take_checksums(Taker& taker, BinaryLayout& layout) {
  std::uint64_t bytes = 0;
  for (const BinarySection& section : layout.sections) {
    bytes += 4 * block_count(section.size, layout.header.block_bytes);
  }
  check(padded(bytes) == taker.left(), "directory has {} bytes for checksums, must have {}",
        taker.left(), padded(bytes));
  for (BinarySection& section : layout.sections) {
    section.checksums.resize(block_count(section.size, layout.header.block_bytes));
    for (std::uint32_t& checksum : section.checksums) checksum = taker.number<std::uint32_t>();
  }
}

std::string encoded_directory(const BinaryLayout& layout) {
  std::string bytes;
  for (const BinarySection& section : layout.sections) {
    put(bytes, static_cast<std::uint32_t>(section.kind));
    put(bytes, static_cast<std::uint32_t>(section.name.size()));
    put(bytes, section.offset);
    put(bytes, section.size);
  }
  for (const BinarySection& section : layout.sections) bytes += section.name;
  bytes.resize(padded(bytes.size()));
  for (const BinarySection& section : layout.sections) {
    for (const std::uint32_t checksum : section.checksums) put(bytes, checksum);
  }
  bytes.resize(padded(bytes.size()));
  return bytes;
}

std::string encoded_header(const BinaryHeader& header) {
  std::string bytes(kMagic);
  put(bytes, kByteOrder);
  put(bytes, kVersion);
  put(bytes, header.states);
  put(bytes, header.actions);
  put(bytes, header.transitions);
  put(bytes, header.discount);
  put(bytes, header.directory_bytes);
  put(bytes, header.file_bytes);
  put(bytes, header.block_bytes);
  put(bytes, header.sections);
  put(bytes, header.directory_checksum);
  put(bytes, crc32c(bytes));
  return bytes;
}

}  // namespace

bool BinaryLayout::is_dense() const { return find(SectionKind::kRowOffsets) == nullptr; }

const BinarySection* BinaryLayout::find(SectionKind kind) const {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const BinarySection& s) { return s.kind == kind; });
  return found == sections.end() ? nullptr : &*found;
}

std::string encoded(BinaryLayout& layout) {
  BinaryHeader& header = layout.header;
  header.sections = static_cast<std::uint32_t>(layout.sections.size());
  header.directory_bytes = encoded_directory(layout).size();
  std::uint64_t end = BinaryHeader::kBytes + header.directory_bytes;
  for (BinarySection& section : layout.sections) {
    section.offset = end;
    end += section.size;
  }
  header.file_bytes = end;
  const std::string directory = encoded_directory(layout);
  header.directory_checksum = crc32c(directory);
  return encoded_header(header) + directory;
}

BinaryHeader read_header(const ByteSource& source) {
  check(source.size() >= BinaryHeader::kBytes,
        "it has {} bytes, fewer than the header of a model file", source.size());
  std::string bytes(BinaryHeader::kBytes, '\0');
  source.read(0, bytes);
  Taker taker(bytes);
  check(taker.text(kMagic.size()) == kMagic, "it is no .rgum model file");
  check(taker.number<std::uint32_t>() == kByteOrder,
        "its byte order mark is not that of a .rgum model file");
  const auto version = taker.number<std::uint32_t>();
  check(version == kVersion, "its version is {}, must be {}", version, kVersion);
  BinaryHeader header;
  header.states = taker.number<std::uint64_t>();
  header.actions = taker.number<std::uint64_t>();
  header.transitions = taker.number<std::uint64_t>();
  header.discount = taker.number<double>();
  header.directory_bytes = taker.number<std::uint64_t>();
  header.file_bytes = taker.number<std::uint64_t>();
  header.block_bytes = taker.number<std::uint32_t>();
  header.sections = taker.number<std::uint32_t>();
  header.directory_checksum = taker.number<std::uint32_t>();
  const std::uint32_t expected = crc32c(std::string_view(bytes).substr(0, bytes.size() - 4));
  header.checksum = taker.number<std::uint32_t>();
  check(header.checksum == expected, "the header does not match its checksum: the file is damaged");
  check_counts(header, source);
  return header;
}

BinaryLayout read_layout(const ByteSource& source) {
  BinaryLayout layout{.header = read_header(source), .sections = {}};
  std::string bytes(layout.header.directory_bytes, '\0');
  source.read(BinaryHeader::kBytes, bytes);
  check(crc32c(bytes) == layout.header.directory_checksum,
        "the directory does not match its checksum: the file is damaged");
  Taker taker(bytes);
  layout.sections = taken_sections(taker, layout.header.sections);
  check_kinds(layout);
  check_places(layout, source);
  take_checksums(taker, layout);
  return layout;
}

}  // namespace rgu
