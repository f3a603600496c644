#include <algorithm>
#include <cmath>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/base/crc32c.hpp"
#include "rgu/mdp/io/binary_file.hpp"
#include "rgu/mdp/io/binary_layout.hpp"
#include "rgu/mdp/io/line_scanner.hpp"
#include "rgu/mdp/io/written_world.hpp"

namespace rgu {
namespace {

constexpr std::uint64_t kMostIndex = std::numeric_limits<std::int32_t>::max();

// Numbers of a section, from `first` on, and how many.
struct NumberRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// Reads parts of sections, block by block, and checks each block that it reads.
class SectionReader {
 public:
  SectionReader(const ByteSource& source, const BinaryLayout& layout)
      : source_(source), layout_(layout) {}

  // Fills `out` with the section's numbers from number `first` on. The caller keeps within it.
  template <class Number>
  void numbers(const BinarySection& section, std::uint64_t first, std::span<Number> out) {
    bytes(section, first * sizeof(Number),
          {reinterpret_cast<char*>(out.data()), out.size() * sizeof(Number)});
  }

 private:
  void bytes(const BinarySection& section, std::uint64_t first, std::span<char> out) {
    const std::uint64_t block_bytes = layout_.header.block_bytes;
    while (!out.empty()) {
      const std::uint64_t block = first / block_bytes;
      const std::uint64_t skipped = first % block_bytes;
      load(section, block);
      const std::size_t taken = std::min<std::size_t>(out.size(), buffer_.size() - skipped);
      std::memcpy(out.data(), buffer_.data() + skipped, taken);
      out = out.subspan(taken);
      first += taken;
    }
  }

  void load(const BinarySection& section, std::uint64_t block) {
    const std::uint64_t block_bytes = layout_.header.block_bytes;
    const std::uint64_t begin = block * block_bytes;
    buffer_.resize(std::min(block_bytes, section.size - begin));
    source_.read(section.offset + begin, buffer_);
    check(crc32c(buffer_) == section.checksums[block],
          "bytes {} .. {} do not match their checksum: the file is damaged", section.offset + begin,
          section.offset + begin + buffer_.size() - 1);
  }

  const ByteSource& source_;
  const BinaryLayout& layout_;
  std::string buffer_;  // at most one block
};

// Do the sizes of a part fit the 32-bit indices of a kernel in memory? Only after this are they
// numbers of type Index.
void check_fits(const BinaryHeader& header, std::uint64_t states_kept) {
  check(header.states <= kMostIndex && states_kept <= kMostIndex / header.actions,
        "{} states, {} of them with {} actions, do not fit the 32-bit indices of a kernel in "
        "memory, must be at most {} states and state-action pairs",
        header.states, states_kept, header.actions, kMostIndex);
}

// The columns of each row: below S, rising.
void check_columns(const SparseMatrix& rows, const BinaryHeader& header, Index first_row) {
  for (Index row = 0; row < rows.rows(); ++row) {
    std::int64_t last = -1;
    for (Index i = rows.outerIndexPtr()[row]; i < rows.outerIndexPtr()[row + 1]; ++i) {
      const std::int32_t column = rows.innerIndexPtr()[i];
      if (column > last && column < rows.cols()) {
        last = column;
        continue;
      }
      const auto actions = static_cast<Index>(header.actions);
      throw InvalidInput(fmt::format(
          "transition row s={} a={} names the next state {} after {}, must be rising and below {}",
          (first_row + row) / actions, (first_row + row) % actions,
          static_cast<std::uint32_t>(column), last, rows.cols()));
    }
  }
}

// Where the rows first .. first + count - 1 begin among the entries, and where the last ends.
std::vector<std::uint64_t> row_offsets(SectionReader& reader, const BinaryLayout& layout,
                                       const NumberRange& range) {
  std::vector<std::uint64_t> offsets(range.count + 1);
  reader.numbers<std::uint64_t>(*layout.find(SectionKind::kRowOffsets), range.first, offsets);
  const BinaryHeader& header = layout.header;
  const bool begins = range.first > 0 || offsets.front() == 0;
  const bool ends = range.first + range.count < header.states * header.actions ||
                    offsets.back() == header.transitions;
  check(begins && ends && offsets.back() <= header.transitions &&
            std::is_sorted(offsets.begin(), offsets.end()),
        "the row offsets do not rise from 0 to the number of transitions, {}", header.transitions);
  const std::uint64_t entries = offsets.back() - offsets.front();
  check(entries <= kMostIndex,
        "{} transitions do not fit the 32-bit indices of a kernel in memory, must be at most {}",
        entries, kMostIndex);
  return offsets;
}

SparseMatrix sparse_rows(SectionReader& reader, const BinaryLayout& layout,
                         const NumberRange& range) {
  const std::vector<std::uint64_t> offsets = row_offsets(reader, layout, range);
  const std::uint64_t first = offsets.front();
  const std::size_t entries = offsets.back() - first;
  SparseMatrix rows(static_cast<Index>(range.count), static_cast<Index>(layout.header.states));
  rows.resizeNonZeros(static_cast<Index>(entries));
  for (std::size_t row = 0; row < offsets.size(); ++row) {
    rows.outerIndexPtr()[row] = static_cast<std::int32_t>(offsets[row] - first);
  }
  reader.numbers<std::int32_t>(*layout.find(SectionKind::kColumns), first,
                               {rows.innerIndexPtr(), entries});
  reader.numbers<double>(*layout.find(SectionKind::kProbabilities), first,
                         {rows.valuePtr(), entries});
  check_columns(rows, layout.header, static_cast<Index>(range.first));
  return rows;
}

Matrix dense_rows(SectionReader& reader, const BinaryLayout& layout, const NumberRange& range) {
  const std::uint64_t states = layout.header.states;
  Matrix rows(static_cast<Index>(range.count), static_cast<Index>(states));
  reader.numbers<double>(*layout.find(SectionKind::kProbabilities), range.first * states,
                         {rows.data(), static_cast<std::size_t>(rows.size())});
  return rows;
}

Vector start_of(SectionReader& reader, const BinaryLayout& layout, const StateRange& own) {
  Vector start(own.size());
  reader.numbers<double>(*layout.find(SectionKind::kStart), static_cast<std::uint64_t>(own.first),
                         {start.data(), static_cast<std::size_t>(start.size())});
  return start;
}

std::map<std::string, Matrix> signals_of(SectionReader& reader, const BinaryLayout& layout,
                                         const StateRange& own) {
  const auto actions = static_cast<Index>(layout.header.actions);
  std::map<std::string, Matrix> signals;
  for (const BinarySection& section : layout.sections) {
    if (section.kind != SectionKind::kSignal) continue;
    Matrix values(own.size(), actions);
    reader.numbers<double>(section, static_cast<std::uint64_t>(own.first * actions),
                           {values.data(), static_cast<std::size_t>(values.size())});
    check_finite(fmt::format("signal {}", excerpt(section.name)), values);
    signals[section.name] = std::move(values);
  }
  return signals;
}

std::optional<GridLayout> grid_of(SectionReader& reader, const BinaryLayout& layout,
                                  const FiniteMdp& mdp) {
  const BinarySection* section = layout.find(SectionKind::kGrid);
  if (section == nullptr) return std::nullopt;
  std::vector<std::uint32_t> numbers(static_cast<std::size_t>(mdp.states()) + 2);
  reader.numbers<std::uint32_t>(*section, 0, numbers);
  const std::uint64_t cells = std::uint64_t{numbers[0]} * numbers[1];
  check(cells >= 1 && cells <= kLargestId, "grid is {} x {}, must have 1 .. {} cells", numbers[0],
        numbers[1], kLargestId);
  GridLayout grid{.rows = static_cast<int>(numbers[0]),
                  .columns = static_cast<int>(numbers[1]),
                  .cell_of_state = {}};
  for (std::size_t i = 2; i < numbers.size(); ++i) {
    check(numbers[i] < cells, "grid cell of state {} is {}, must be below {}", i - 2, numbers[i],
          cells);
    grid.cell_of_state.push_back(static_cast<int>(numbers[i]));
  }
  check_grid(mdp, grid);
  return grid;
}

World whole(const ByteSource& source, const ReadOptions& options) {
  const BinaryLayout layout = read_layout(source);
  const BinaryHeader& header = layout.header;
  check_fits(header, header.states);
  SectionReader reader(source, layout);
  const StateRange all{0, static_cast<Index>(header.states)};
  const NumberRange rows{0, header.states * header.actions};
  TransitionKernel kernel = layout.is_dense() ? TransitionKernel(dense_rows(reader, layout, rows))
                                              : TransitionKernel(sparse_rows(reader, layout, rows));
  Vector start = start_of(reader, layout, all);
  World world{.mdp = FiniteMdp(std::move(kernel), options.start.value_or(std::move(start)),
                               options.discount.value_or(header.discount))};
  world.signals = signals_of(reader, layout, all);
  world.grid = grid_of(reader, layout, world.mdp);
  return world;
}

SparseMatrix kept_rows(SectionReader& reader, const BinaryLayout& layout,
                       const NumberRange& range) {
  if (!layout.is_dense()) return sparse_rows(reader, layout, range);
  check(range.count <= kMostIndex / layout.header.states,
        "{} rows of a dense kernel of {} states do not fit the 32-bit indices of a slice",
        range.count, layout.header.states);
  return dense_rows(reader, layout, range).sparseView(0.0, 0.0);
}

WorldSlice part(const ByteSource& source, const StateRange& own, const ReadOptions& options) {
  const BinaryLayout layout = read_layout(source);
  const BinaryHeader& header = layout.header;
  check_fits(header, 0);
  const auto states = static_cast<Index>(header.states);
  check_range(own, states);
  check_fits(header, static_cast<std::uint64_t>(own.size()));
  if (options.start) check_size("start distribution", options.start->size(), states);
  SectionReader reader(source, layout);
  const NumberRange rows{static_cast<std::uint64_t>(own.first) * header.actions,
                         static_cast<std::uint64_t>(own.size()) * header.actions};
  Vector start = start_of(reader, layout, own);
  if (options.start) start = options.start->segment(own.first, own.size());
  WorldSlice slice{.states = states,
                   .actions = static_cast<Index>(header.actions),
                   .discount = options.discount.value_or(header.discount),
                   .own = own,
                   .rows = kept_rows(reader, layout, rows),
                   .start = std::move(start),
                   .signals = signals_of(reader, layout, own)};
  check_slice(slice);
  return slice;
}

// read(); an InvalidInput that it throws gets the file's name in front.
template <class Read>
auto named(const ByteSource& source, const Read& read) {
  try {
    return read();
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", source.name(), error.what()));
  }
}

}  // namespace

World read_binary(const std::filesystem::path& path, const ReadOptions& options) {
  const FileBytes file(path);
  return named(file, [&] { return whole(file, options); });
}

World parse_binary(const NamedText& source, const ReadOptions& options) {
  const TextBytes text(source);
  return named(text, [&] { return whole(text, options); });
}

WorldSlice read_binary_slice(const std::filesystem::path& path, const StateRange& own,
                             const ReadOptions& options) {
  const FileBytes file(path);
  return named(file, [&] { return part(file, own, options); });
}

WorldSlice parse_binary_slice(const NamedText& source, const StateRange& own,
                              const ReadOptions& options) {
  const TextBytes text(source);
  return named(text, [&] { return part(text, own, options); });
}

std::uint32_t binary_checksum(const std::filesystem::path& path) {
  const FileBytes file(path);
  return named(file, [&] { return read_header(file).checksum; });
}

ModelSize binary_size(const std::filesystem::path& path) {
  const FileBytes file(path);
  const BinaryHeader header = named(file, [&] { return read_header(file); });
  return {static_cast<Index>(header.states), static_cast<Index>(header.actions)};
}

}  // namespace rgu
