#include <algorithm>
#include <functional>

#include "rgu/base/check.hpp"
#include "rgu/base/crc32c.hpp"
#include "rgu/mdp/io/binary_file.hpp"
#include "rgu/mdp/io/binary_layout.hpp"
#include "rgu/mdp/io/written_world.hpp"

namespace rgu {
namespace {

// Takes the bytes of a section, piece by piece.
using Sink = std::function<void(std::string_view)>;

// A section and how to give its bytes, which is done twice: for the checksums that the directory in
// front of it holds, and for the file. So nothing is held in memory twice.
struct WrittenSection {
  SectionKind kind = SectionKind::kStart;
  std::string name = {};
  std::uint64_t size = 0;
  std::function<void(const Sink&)> give;
};

constexpr std::size_t kPiece = std::size_t{1} << 16;  // numbers

template <class Number>
void give_numbers(const Sink& sink, std::span<const Number> numbers) {
  for (; !numbers.empty(); numbers = numbers.subspan(std::min(kPiece, numbers.size()))) {
    const auto piece = numbers.first(std::min(kPiece, numbers.size()));
    sink({reinterpret_cast<const char*>(piece.data()), piece.size_bytes()});
  }
}

// `numbers` is a view: it must live until the file is written.
template <class Number>
WrittenSection section_of(SectionKind kind, std::span<const Number> numbers,
                          const std::string& name = {}) {
  return {.kind = kind,
          .name = name,
          .size = numbers.size_bytes(),
          .give = [numbers](const Sink& sink) { give_numbers(sink, numbers); }};
}

template <class Dense>
std::span<const double> numbers_of(const Dense& dense) {
  return {dense.data(), static_cast<std::size_t>(dense.size())};
}

// In memory the offsets have 4 bytes, in the file 8.
WrittenSection row_offsets(const SparseMatrix& kernel) {
  const std::span<const std::int32_t> offsets(kernel.outerIndexPtr(),
                                              static_cast<std::size_t>(kernel.rows()) + 1);
  const auto give = [offsets](const Sink& sink) {
    std::vector<std::uint64_t> wide;
    for (std::size_t i = 0; i < offsets.size(); i += kPiece) {
      const auto piece = offsets.subspan(i, std::min(kPiece, offsets.size() - i));
      wide.assign(piece.begin(), piece.end());
      give_numbers<std::uint64_t>(sink, wide);
    }
  };
  return {.kind = SectionKind::kRowOffsets, .size = 8 * offsets.size(), .give = give};
}

WrittenSection grid_section(const GridLayout& grid) {
  std::vector<std::uint32_t> numbers = {static_cast<std::uint32_t>(grid.rows),
                                        static_cast<std::uint32_t>(grid.columns)};
  numbers.insert(numbers.end(), grid.cell_of_state.begin(), grid.cell_of_state.end());
  return {.kind = SectionKind::kGrid,
          .size = 4 * numbers.size(),
          .give = [numbers = std::move(numbers)](const Sink& sink) {
            give_numbers<std::uint32_t>(sink, numbers);
          }};
}

// In the order of their kinds.
std::vector<WrittenSection> sections_of(const World& world) {
  const FiniteMdp& mdp = world.mdp;
  std::vector<WrittenSection> sections;
  sections.push_back(section_of(SectionKind::kStart, numbers_of(mdp.start())));
  if (mdp.is_sparse()) {
    const SparseMatrix& kernel = mdp.sparse_kernel();
    sections.push_back(row_offsets(kernel));
    sections.push_back(
        section_of<double>(SectionKind::kProbabilities,
                           {kernel.valuePtr(), static_cast<std::size_t>(kernel.nonZeros())}));
  } else {
    sections.push_back(section_of(SectionKind::kProbabilities, numbers_of(mdp.dense_kernel())));
  }
  for (const auto& [name, signal] : world.signals) {
    sections.push_back(section_of(SectionKind::kSignal, numbers_of(signal), name));
  }
  if (mdp.is_sparse()) {
    const SparseMatrix& kernel = mdp.sparse_kernel();
    sections.push_back(section_of<std::int32_t>(
        SectionKind::kColumns,
        {kernel.innerIndexPtr(), static_cast<std::size_t>(kernel.nonZeros())}));
  }
  if (world.grid) sections.push_back(grid_section(*world.grid));
  return sections;
}

std::vector<std::uint32_t> checksums_of(const WrittenSection& section, std::size_t block_bytes) {
  std::vector<std::uint32_t> checksums;
  std::string block;
  section.give([&](std::string_view piece) {
    while (!piece.empty()) {
      const std::size_t taken = std::min(piece.size(), block_bytes - block.size());
      block += piece.substr(0, taken);
      piece.remove_prefix(taken);
      if (block.size() < block_bytes) continue;
      checksums.push_back(crc32c(block));
      block.clear();
    }
  });
  if (!block.empty()) checksums.push_back(crc32c(block));
  return checksums;
}

// The reader refuses rows that are not in order, so that every reader may rely on it.
void check_order(const SparseMatrix& kernel, Index actions) {
  for (Index row = 0; row < kernel.rows(); ++row) {
    Index last = -1;
    for (SparseMatrix::InnerIterator entry(kernel, row); entry; ++entry) {
      check(entry.col() > last, "transition row s={} a={} lists its next states out of order",
            row / actions, row % actions);
      last = entry.col();
    }
  }
}

void check_writable(const World& world, const BinaryOptions& options) {
  check(std::has_single_bit(options.block_bytes) && options.block_bytes >= 64 &&
            options.block_bytes <= 1u << 26,
        "block size is {}, must be a power of two in 64 .. 2^26", options.block_bytes);
  for (const auto& [name, signal] : world.signals) check_signal(world.mdp, name, signal);
  if (world.grid) check_grid(world.mdp, *world.grid);
  if (world.mdp.is_sparse()) check_order(world.mdp.sparse_kernel(), world.mdp.actions());
}

}  // namespace

void write_binary(const std::filesystem::path& path, const World& world,
                  const BinaryOptions& options) {
  check_writable(world, options);
  const FiniteMdp& mdp = world.mdp;
  BinaryLayout layout{.header = {.states = static_cast<std::uint64_t>(mdp.states()),
                                 .actions = static_cast<std::uint64_t>(mdp.actions()),
                                 .transitions = static_cast<std::uint64_t>(mdp.transitions()),
                                 .discount = mdp.discount(),
                                 .block_bytes = options.block_bytes},
                      .sections = {}};
  OutputFile file(path);
  const std::vector<WrittenSection> sections = sections_of(world);
  for (const WrittenSection& section : sections) {
    layout.sections.push_back({.kind = section.kind,
                               .name = section.name,
                               .size = section.size,
                               .checksums = checksums_of(section, options.block_bytes)});
  }
  file.text(encoded(layout));
  for (const WrittenSection& section : sections) {
    section.give([&](std::string_view piece) { file.text(piece); });
  }
  file.commit();
}

}  // namespace rgu
