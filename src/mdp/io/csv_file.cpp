#include "rgu/mdp/io/csv_file.hpp"

#include <algorithm>
#include <array>

#include "rgu/mdp/io/line_scanner.hpp"
#include "rgu/mdp/io/transition_list.hpp"
#include "rgu/mdp/io/written_world.hpp"

namespace rgu {
namespace {

constexpr std::array<std::string_view, 5> kColumns = {"idstatefrom", "idaction", "idstateto",
                                                      "probability", "reward"};
using ColumnOrder = std::array<std::size_t, kColumns.size()>;  // place in the line -> kColumns

std::string_view without_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

std::string_view header_name(LineScanner& scanner) {
  if (scanner.accept('"')) return scanner.until('"', "column name");
  return scanner.word();
}

ColumnOrder read_header(LineScanner& scanner) {
  if (!scanner.next_line()) {
    fail_at({scanner.place().file, 1}, "the file is empty, must begin with a header line");
  }
  ColumnOrder order{};
  std::array<bool, kColumns.size()> seen{};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    if (i > 0) {
      check_at(scanner.accept(','), scanner.place(), "header {} must name {} columns",
               excerpt(scanner.line()), kColumns.size());
    }
    const std::string_view name = header_name(scanner);
    const auto found = std::find(kColumns.begin(), kColumns.end(), name);
    check_at(found != kColumns.end(), scanner.place(), "column {} must be one of {}", excerpt(name),
             fmt::join(kColumns, ", "));
    order[i] = static_cast<std::size_t>(found - kColumns.begin());
    check_at(!seen[order[i]], scanner.place(), "column {} is named twice", name);
    seen[order[i]] = true;
  }
  check_at(scanner.at_end(), scanner.place(), "header {} must name {} columns",
           excerpt(scanner.line()), kColumns.size());
  return order;
}

void read_field(LineScanner& scanner, std::size_t column, ListedTransition& transition) {
  switch (column) {
    case 0:
      transition.state = scanner.id(kColumns[column]);
      break;
    case 1:
      transition.action = scanner.id(kColumns[column]);
      break;
    case 2:
      transition.next = scanner.id(kColumns[column]);
      break;
    case 3:
      transition.probability = scanner.probability(kColumns[column]);
      break;
    default:
      transition.reward = scanner.finite(kColumns[column]);
  }
}

ListedTransition read_transition(LineScanner& scanner, const ColumnOrder& order) {
  ListedTransition transition;
  transition.line = static_cast<std::uint32_t>(scanner.place().line);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && !scanner.accept(',')) {
      fail_at(scanner.place(), "line {} has fewer than {} fields", excerpt(scanner.line()),
              order.size());
    }
    read_field(scanner, order[i], transition);
  }
  if (!scanner.at_end()) {
    fail_at(scanner.place(), "line {} has more than {} fields", excerpt(scanner.line()),
            order.size());
  }
  return transition;
}

}  // namespace

World parse_csv(const NamedText& source, const ReadOptions& options) {
  const double discount = required_discount(source.file, options);
  LineScanner scanner({source.file, without_mark(source.text)});
  const ColumnOrder order = read_header(scanner);
  Listing listing{.file = source.file,
                  .transitions = {},
                  .repeated = RepeatedTransitions::kSum,
                  .missing_actions = options.missing_actions,
                  .dead_states = options.dead_states};
  while (scanner.next_line()) listing.transitions.push_back(read_transition(scanner, order));
  listing.last_line = scanner.place().line;
  Tabulation table = tabulate(std::move(listing));
  const Index states = table.kernel.cols();
  Vector start =
      options.start.value_or(Vector::Constant(states, 1.0 / static_cast<double>(states)));
  return World{.mdp = FiniteMdp(std::move(table.kernel), std::move(start), discount),
               .signals = {{"reward", std::move(table.reward)}}};
}

World read_csv(const std::filesystem::path& path, const ReadOptions& options) {
  const std::string text = read_text(path);
  return parse_csv({.file = path.native(), .text = text}, options);
}

void write_csv(const std::filesystem::path& path, const World& world, const WriteOptions& options) {
  const Matrix reward = written_reward(world, options);
  OutputFile file(path);
  file.text(fmt::format("{}\n", fmt::join(kColumns, ",")));
  for_each_transition(world.mdp, [&](Index s, Index a, Index next, double probability) {
    for (const Index id : {s, a, next}) {
      file.number(id);
      file.text(",");
    }
    file.number(probability);
    file.text(",");
    file.number(reward(s, a));
    file.text("\n");
  });
  file.commit();
}

}  // namespace rgu
