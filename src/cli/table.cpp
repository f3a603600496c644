#include "rgu/cli/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rgu/cli/terminal.hpp"
#include "rgu/report/summary.hpp"

namespace rgu {
namespace {

// Columns as people see them: bytes that continue a UTF-8 character take no room.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

bool looks_numeric(const std::string& text) {
  return !text.empty() && (text == "-" || text.find_first_of("0123456789") <= 1);
}

}  // namespace

std::string table(const std::vector<TableRow>& given) {
  if (given.empty()) return {};
  std::vector<TableRow> rows = given;
  for (TableRow& row : rows) {
    for (std::string& cell : row) cell = on_one_line(cell);
  }
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> right(columns, rows.size() > 1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], width(rows[r][c]));
      if (r > 0 && !looks_numeric(rows[r][c])) right[c] = false;
    }
  }
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string padding(widths[c] - width(row[c]), ' ');
      line += (c > 0 ? "  " : "") + (right[c] ? padding + row[c] : row[c] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string short_number(double value) {
  if (std::isnan(value)) return "-";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e-3 && size < 1e6) return fmt::format("{:.4f}", value);
  return fmt::format("{:.2e}", value);
}

std::string mean_and_deviation(const std::vector<double>& values) {
  const report::Spread spread = report::spread_of(values);
  if (std::isnan(spread.deviation)) return short_number(spread.mean);
  return fmt::format("{} ± {}", short_number(spread.mean), short_number(spread.deviation));
}

}  // namespace rgu
