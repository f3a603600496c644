#include <cmath>
#include <set>
#include <vector>

#include "rgu/mdp/io/json_fields.hpp"
#include "rgu/mdp/io/json_file.hpp"
#include "rgu/mdp/io/line_scanner.hpp"
#include "rgu/mdp/io/transition_list.hpp"
#include "rgu/mdp/io/written_world.hpp"

namespace rgu {
namespace {

// The fields of one section, asked for by name and kind.
class FieldReader {
 public:
  FieldReader(std::string_view file, const std::string& name, JsonSection& section)
      : file_(file), prefix_(name.empty() ? "" : name + "."), section_(section) {}

  Place place(const std::string& name) { return {file_, field(name).line}; }
  Place place() const { return {file_, section_.line}; }
  std::string full_name(const std::string& name) const { return prefix_ + printable(name); }

  JsonField& field(const std::string& name) {
    const auto found = section_.fields.find(name);
    check_at(found != section_.fields.end(), place(), "{} is missing", full_name(name));
    return found->second;
  }

  NumberArray& numbers(const std::string& name, Index rank) {
    JsonField& found = field(name);
    check_at(!found.text && found.numbers.rank() == rank, place(name), "{} must be {}",
             full_name(name),
             rank == 0 ? "a number" : fmt::format("numbers in {} level(s) of arrays", rank));
    return found.numbers;
  }

  double number(const std::string& name) { return numbers(name, 0).values[0]; }

  std::int32_t count(const std::string& name, std::int32_t least) {
    const NumberArray& found = numbers(name, 0);
    const double value = found.values[0];
    check_at(found.integers && value >= least && value <= kLargestId, place(name),
             "{} is {}, must be an integer in {} .. {}", full_name(name), value, least, kLargestId);
    return static_cast<std::int32_t>(value);
  }

  // (length) integers in 0 .. below - 1.
  struct Bounds {
    Index length = 0;
    Index below = 0;
  };
  std::vector<std::int32_t> ids(const std::string& name, const Bounds& bounds) {
    NumberArray& found = numbers(name, 1);
    check_length(name, found.shape[0], bounds.length);
    check_at(found.integers, place(name), "{} holds a fraction, must hold integers",
             full_name(name));
    const std::vector<double> values = std::move(found.values);  // large, and not needed twice
    std::vector<std::int32_t> ids;
    ids.reserve(values.size());
    for (const double value : values) {
      if (!(value >= 0 && value < static_cast<double>(bounds.below))) {
        fail_at(place(name), "{} holds {} at {}, must be in 0 .. {}", full_name(name), value,
                ids.size(), bounds.below - 1);
      }
      ids.push_back(static_cast<std::int32_t>(value));
    }
    return ids;
  }

  void check_length(const std::string& name, Index length, Index expected) {
    check_at(length == expected, place(name), "{} has length {}, must be {}", full_name(name),
             length, expected);
  }

 private:
  std::string_view file_;
  std::string prefix_;
  JsonSection& section_;
};

struct Sizes {
  Index states = 0;
  Index actions = 0;
};

SparseMatrix read_sparse(FieldReader& reader, std::string_view file, const Sizes& sizes) {
  const Index count = reader.numbers("probability", 1).shape[0];
  const std::vector<double> probability = std::move(reader.numbers("probability", 1).values);
  const auto state = reader.ids("state", {.length = count, .below = sizes.states});
  const auto action = reader.ids("action", {.length = count, .below = sizes.actions});
  const auto next = reader.ids("next", {.length = count, .below = sizes.states});
  const Place place = reader.place("probability");
  Listing listing{.file = file,
                  .transitions = {},
                  .states = sizes.states,
                  .actions = sizes.actions,
                  .last_line = place.line};
  listing.transitions.reserve(probability.size());
  for (std::size_t i = 0; i < probability.size(); ++i) {
    if (!(probability[i] >= 0)) {
      fail_at(place, "transitions.probability holds {} at {}, must be >= 0", probability[i], i);
    }
    listing.transitions.push_back({.state = state[i],
                                   .action = action[i],
                                   .next = next[i],
                                   .line = static_cast<std::uint32_t>(place.line),
                                   .probability = probability[i]});
  }
  return tabulate(std::move(listing)).kernel;
}

Matrix read_dense(FieldReader& reader, const Sizes& sizes) {
  const NumberArray& kernel = reader.numbers("kernel", 3);
  const Index rows = sizes.states * sizes.actions;
  check_at(kernel.shape == std::vector<Index>{sizes.states, sizes.actions, sizes.states},
           reader.place("kernel"), "kernel is {} x {} x {}, must be {} x {} x {}", kernel.shape[0],
           kernel.shape[1], kernel.shape[2], sizes.states, sizes.actions, sizes.states);
  Matrix dense = Eigen::Map<const Matrix>(kernel.values.data(), rows, sizes.states);
  for (Index row = 0; row < rows; ++row) {
    const std::span<const double> values(&dense(row, 0), static_cast<std::size_t>(sizes.states));
    if (is_distribution(values)) continue;
    check_distribution(
        reader.place("kernel"),
        fmt::format("transition row s={} a={}", row / sizes.actions, row % sizes.actions), values);
  }
  return dense;
}

TransitionKernel read_kernel(FieldReader& top, std::string_view file, JsonSections& sections,
                             const Sizes& sizes) {
  const bool dense = sections[""].fields.contains("kernel");
  const auto sparse = sections.find("transitions");
  check_at(dense || sparse != sections.end(), top.place(), "transitions is missing");
  if (!dense) {
    FieldReader reader(file, "transitions", sparse->second);
    return read_sparse(reader, file, sizes);
  }
  check_at(sparse == sections.end(), top.place("kernel"),
           "both kernel and transitions are given, must be one of them");
  return read_dense(top, sizes);
}

Vector read_start(FieldReader& top, const Sizes& sizes) {
  const NumberArray& start = top.numbers("start", 1);
  top.check_length("start", start.shape[0], sizes.states);
  check_distribution(top.place("start"), "start", start.values);
  return Eigen::Map<const Vector>(start.values.data(), sizes.states);
}

double read_discount(FieldReader& top) {
  const double discount = top.number("discount");
  check_at(discount > 0 && discount < 1, top.place("discount"),
           "discount is {}, must lie strictly between 0 and 1", discount);
  return discount;
}

std::map<std::string, Matrix> read_signals(std::string_view file, JsonSection& section,
                                           const Sizes& sizes) {
  FieldReader reader(file, "signals", section);
  std::map<std::string, Matrix> signals;
  for (const auto& entry : section.fields) {
    const NumberArray& values = reader.numbers(entry.first, 2);
    check_at(values.shape == std::vector<Index>{sizes.states, sizes.actions},
             reader.place(entry.first), "{} is {} x {}, must be {} x {}",
             reader.full_name(entry.first), values.shape[0], values.shape[1], sizes.states,
             sizes.actions);
    signals[entry.first] =
        Eigen::Map<const Matrix>(values.values.data(), sizes.states, sizes.actions);
  }
  return signals;
}

GridLayout read_grid(std::string_view file, JsonSection& section, const Sizes& sizes) {
  FieldReader reader(file, "grid", section);
  GridLayout grid;
  grid.rows = reader.count("rows", 1);
  grid.columns = reader.count("columns", 1);
  const Index cells = Index{grid.rows} * grid.columns;
  check_at(cells <= kLargestId, reader.place("rows"), "grid has {} cells, must have at most {}",
           cells, kLargestId);
  grid.cell_of_state = reader.ids("cell_of_state", {.length = sizes.states, .below = cells});
  const std::size_t distinct =
      std::set<int>(grid.cell_of_state.begin(), grid.cell_of_state.end()).size();
  check_at(distinct == grid.cell_of_state.size(), reader.place("cell_of_state"),
           "grid.cell_of_state names {} cells for {} states, must be as many", distinct,
           grid.cell_of_state.size());
  return grid;
}

}  // namespace

World parse_json(const NamedText& source, const ReadOptions& options) {
  JsonSections sections = parse_json_fields(source);
  FieldReader top(source.file, "", sections[""]);
  check_at(top.field("format").text.has_value(), top.place("format"), "format must be a text");
  top.number("version");
  // Neither size is believed: the arrays that must match them are there before they are used.
  const Sizes sizes{.states = top.count("states", 1), .actions = top.count("actions", 1)};
  Vector start = read_start(top, sizes);
  const double discount = read_discount(top);
  TransitionKernel kernel = read_kernel(top, source.file, sections, sizes);
  World world{.mdp = FiniteMdp(std::move(kernel), options.start.value_or(std::move(start)),
                               options.discount.value_or(discount))};
  if (sections.contains("signals")) {
    world.signals = read_signals(source.file, sections["signals"], sizes);
  }
  if (sections.contains("grid")) world.grid = read_grid(source.file, sections["grid"], sizes);
  return world;
}

World read_json(const std::filesystem::path& path, const ReadOptions& options) {
  const std::string text = read_text(path);
  return parse_json({.file = path.native(), .text = text}, options);
}

}  // namespace rgu
