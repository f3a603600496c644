#include "rgu/experiment/demonstrations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/base/thread_pool.hpp"
#include "rgu/experiment/instance.hpp"
#include "rgu/experiment/instance_model.hpp"
#include "rgu/mdp/io/line_scanner.hpp"
#include "rgu/mdp/planning.hpp"
#include "rgu/mdp/sampler.hpp"

namespace rgu {
namespace {

constexpr std::array<std::string_view, 4> kColumns = {"trajectory", "step", "state", "action"};
constexpr std::string_view kHeader = "trajectory,step,state,action";

using Order = std::array<std::size_t, kColumns.size()>;  // place in the line -> column

struct Row {
  std::array<std::int32_t, kColumns.size()> fields;  // in the order of kColumns
  Index line = 0;

  // By trajectory, then by step. NOLINTNEXTLINE(modernize-use-nullptr): it sees a 0 in <=>
  auto operator<=>(const Row&) const = default;
};

Order read_header(LineScanner& lines) {
  check_at(lines.next_line(), lines.place(), "no header line, must be {}", kHeader);
  Order order{};
  std::array<bool, kColumns.size()> seen{};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string_view word = lines.word();
    const auto column = std::find(kColumns.begin(), kColumns.end(), word);
    check_at(column != kColumns.end(), lines.place(), "column {} is {}, must be one of {}", i + 1,
             excerpt(word), kHeader);
    order[i] = static_cast<std::size_t>(column - kColumns.begin());
    check_at(!std::exchange(seen[order[i]], true), lines.place(), "column {} occurs twice", word);
    const bool last = i + 1 == order.size();
    check_at(last || lines.accept(','), lines.place(), "has {} columns, must have {}", i + 1,
             kHeader);
  }
  check_at(lines.at_end(), lines.place(), "has more columns than {}", kHeader);
  return order;
}

Row read_row(LineScanner& lines, const Order& order, const DemonstratedModel& model) {
  Row row{.fields = {}, .line = lines.place().line};
  for (std::size_t i = 0; i < order.size(); ++i) {
    row.fields[order[i]] = lines.id(kColumns[order[i]]);
    check_at(i + 1 == order.size() || lines.accept(','), lines.place(), "needs a ',' after {}",
             kColumns[order[i]]);
  }
  check_at(lines.at_end(), lines.place(), "has more than {} fields", order.size());
  check_at(row.fields[2] < model.states, lines.place(), "state is {}, must be in 0 .. {}",
           row.fields[2], model.states - 1);
  check_at(row.fields[3] < model.actions, lines.place(), "action is {}, must be in 0 .. {}",
           row.fields[3], model.actions - 1);
  return row;
}

// rows: sorted.
void check_steps(std::string_view file, const std::vector<Row>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [trajectory, step, state, action] = rows[i].fields;
    const bool first = i == 0 || rows[i - 1].fields[0] != trajectory;
    const Index expected = first ? 0 : Index{rows[i - 1].fields[1]} + 1;
    const Place place{file, rows[i].line};
    check_at(step >= expected, place, "trajectory {} has step {} twice", trajectory, step);
    check_at(step == expected, place, "trajectory {} has step {} but no step {}", trajectory, step,
             expected);
  }
}

Matrix expert_occupancy(const ExpertConfig& expert, const World& world, std::uint64_t seed) {
  const Matrix& reward = signal_named(world, expert.signal);
  const Plan plan = optimal_plan(world.mdp, -reward);
  ThreadPool pool(1);
  const TrajectorySampler sampler(world.mdp, pool);
  const Matrix policy = deterministic_policy(plan.action, world.mdp.actions());
  const Matrix occupancy =
      sampler.occupancy(policy, {.trajectories = expert.trajectories, .horizon = expert.horizon},
                        Rng(seed, kDemonstrationStream).fork());
  return occupancy / occupancy.sum();
}

}  // namespace

Matrix parse_demonstrations(const NamedText& source, const FiniteMdp& mdp) {
  return parse_demonstrations(
      source, DemonstratedModel{
                  .states = mdp.states(), .actions = mdp.actions(), .discount = mdp.discount()});
}

Matrix parse_demonstrations(const NamedText& source, const DemonstratedModel& model) {
  LineScanner lines(source);
  const Order order = read_header(lines);
  std::vector<Row> rows;
  while (lines.next_line()) rows.push_back(read_row(lines, order, model));
  check_at(!rows.empty(), lines.place(), "has no steps after the header");
  std::sort(rows.begin(), rows.end());
  check_steps(source.file, rows);
  Matrix occupancy = Matrix::Zero(model.states, model.actions);
  for (const Row& row : rows) {
    occupancy(row.fields[2], row.fields[3]) += std::pow(model.discount, row.fields[1]);
  }
  return occupancy / occupancy.sum();
}

Matrix demonstrated_occupancy(const DemonstrationsConfig& config, const World& world,
                              std::uint64_t seed) {
  if (!config.file) return expert_occupancy(config.expert.value(), world, seed);
  const std::string file = config.file->string();
  const std::string text = read_text(*config.file);
  return parse_demonstrations({.file = file, .text = text}, world.mdp);
}

}  // namespace rgu
