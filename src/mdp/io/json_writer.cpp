#include <cmath>
#include <nlohmann/json.hpp>

#include "rgu/mdp/io/json_file.hpp"
#include "rgu/mdp/io/written_world.hpp"

namespace rgu {
namespace {

constexpr Index kNumbersPerLine = 20;

std::string json_text(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    throw InvalidInput(fmt::format("signal name of {} bytes is not UTF-8", text.size()));
  }
}

void write_number(OutputFile& file, Index value) { file.number(value); }

// JSON reads -0 as the integer 0, which has no sign.
void write_number(OutputFile& file, double value) {
  if (value == 0 && std::signbit(value)) {
    file.text("-0.0");
  } else {
    file.number(value);
  }
}

// [number(0), ..., number(count - 1)]
template <class Number>
void write_array(OutputFile& file, Index count, Number number) {
  file.text("[");
  for (Index i = 0; i < count; ++i) {
    if (i > 0) file.text(i % kNumbersPerLine == 0 ? ",\n " : ",");
    write_number(file, number(i));
  }
  file.text("]");
}

// [[...], ...], one row of `matrix` after the other.
template <class Rows>
void write_rows(OutputFile& file, const Rows& matrix) {
  file.text("[");
  for (Index i = 0; i < matrix.rows(); ++i) {
    if (i > 0) file.text(",\n ");
    write_array(file, matrix.cols(), [&](Index j) { return matrix(i, j); });
  }
  file.text("]");
}

void write_kernel(OutputFile& file, const Matrix& kernel, Index actions) {
  file.text(",\n\"kernel\": [");
  for (Index row = 0; row < kernel.rows(); row += actions) {
    if (row > 0) file.text(",\n");
    write_rows(file, kernel.middleRows(row, actions));
  }
  file.text("]");
}

// One number for each stored entry, entry(row, i) with i its position in the kernel's arrays.
template <class Entry>
void write_entries(OutputFile& file, const SparseMatrix& kernel, Entry entry) {
  Index row = 0;
  write_array(file, kernel.nonZeros(), [&](Index i) {
    while (kernel.outerIndexPtr()[row + 1] <= i) ++row;
    return entry(row, i);
  });
}

void write_kernel(OutputFile& file, const SparseMatrix& kernel, Index actions) {
  file.text(",\n\"transitions\": {\n\"state\": ");
  write_entries(file, kernel, [&](Index row, Index) { return row / actions; });
  file.text(",\n\"action\": ");
  write_entries(file, kernel, [&](Index row, Index) { return row % actions; });
  file.text(",\n\"next\": ");
  write_entries(file, kernel, [&](Index, Index i) { return Index{kernel.innerIndexPtr()[i]}; });
  file.text(",\n\"probability\": ");
  write_entries(file, kernel, [&](Index, Index i) { return kernel.valuePtr()[i]; });
  file.text("}");
}

void write_signals(OutputFile& file, const World& world) {
  file.text(",\n\"signals\": {");
  const char* separator = "\n";
  for (const auto& [name, signal] : world.signals) {
    file.text(separator);
    file.text(json_text(name) + ": ");
    write_rows(file, signal);
    separator = ",\n";
  }
  file.text("}");
}

void write_grid(OutputFile& file, const GridLayout& grid) {
  file.text(fmt::format(",\n\"grid\": {{\"rows\": {}, \"columns\": {}, \"cell_of_state\": ",
                        grid.rows, grid.columns));
  write_array(file, std::ssize(grid.cell_of_state),
              [&](Index s) { return Index{grid.cell_of_state[static_cast<std::size_t>(s)]}; });
  file.text("}");
}

void check_writable(const World& world) {
  for (const auto& [name, signal] : world.signals) {
    json_text(name);
    check_signal(world.mdp, name, signal);
  }
  if (world.grid) check_grid(world.mdp, *world.grid);
}

}  // namespace

void write_json(const std::filesystem::path& path, const World& world) {
  check_writable(world);
  const FiniteMdp& mdp = world.mdp;
  OutputFile file(path);
  file.text(
      fmt::format("{{\n\"format\": \"rgu-model\",\n\"version\": 1,\n\"states\": {},\n"
                  "\"actions\": {},\n\"discount\": ",
                  mdp.states(), mdp.actions()));
  file.number(mdp.discount());
  file.text(",\n\"start\": ");
  write_array(file, mdp.states(), [&](Index s) { return mdp.start()(s); });
  std::visit([&](const auto& kernel) { write_kernel(file, kernel, mdp.actions()); }, mdp.kernel());
  if (!world.signals.empty()) write_signals(file, world);
  if (world.grid) write_grid(file, *world.grid);
  file.text("\n}\n");
  file.commit();
}

}  // namespace rgu
