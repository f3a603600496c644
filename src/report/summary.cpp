#include "rgu/report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/report/text.hpp"

namespace rgu::report {
namespace {

constexpr int kMostDecimals = 7;

std::string kinds_of(const std::vector<AnswerKind>& kinds) {
  std::string text;
  for (const AnswerKind kind :
       {AnswerKind::kExact, AnswerKind::kCertified, AnswerKind::kBestFound}) {
    const auto n = static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), kind));
    if (n == 0) continue;
    if (n == kinds.size()) return (n == 1 ? "" : "all ") + std::string(name_of(kind));
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, name_of(kind));
  }
  return text;
}

void check_seed(const RunRecord& run, const SeedRecord& seed) {
  const WorldRecord& world = world_of(run, seed);
  const Shape shape{world.states, world.actions};
  const std::string of = fmt::format(" of seed {}", seed.seed);
  if (seed.policy.size() > 0) check_shape("policy" + of, seed.policy, shape);
  if (seed.occupancy.size() > 0) check_shape("occupancy" + of, seed.occupancy, shape);
  const Vector& nature = seed.worst_case.nature;
  if (nature.size() > 0) {
    check_size("worst nature" + of, nature.size(), world.nature_rows * world.nature_columns);
  }
  check(seed.seconds.size() <= seed.metrics.size(),
        "seconds{} has {} entries, must be at most the {} of its metrics", of, seed.seconds.size(),
        seed.metrics.size());
}

void check_grid(const GridRecord& grid, Index states) {
  check_count("rows of the grid", grid.rows);
  check_count("columns of the grid", grid.columns);
  check_size("cell_of_state of the grid", static_cast<Index>(grid.cell_of_state.size()), states);
  const int cells = grid.rows * grid.columns;
  if (!grid.marks.empty()) {
    check_size("marks of the grid", static_cast<Index>(grid.marks.size()), cells);
  }
  for (std::size_t s = 0; s < grid.cell_of_state.size(); ++s) {
    const int cell = grid.cell_of_state[s];
    check(cell >= 0 && cell < cells, "cell of state {} is {}, must be in [0, {})", s, cell, cells);
  }
}

void check_world(const WorldRecord& world) {
  check(world.states >= 0 && world.actions >= 0, "states and actions are {} and {}, must be >= 0",
        world.states, world.actions);
  if (!world.action_names.empty()) {
    check_size("action names", static_cast<Index>(world.action_names.size()), world.actions);
  }
  if (world.nature_centre.size() > 0) {
    check_size("nominal nature", world.nature_centre.size(),
               world.nature_rows * world.nature_columns);
  }
  if (world.grid) check_grid(*world.grid, world.states);
}

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  Spread spread{std::nan(""), std::nan(""), 0};
  double sum = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++spread.count;
  }
  if (spread.count == 0) return spread;
  const auto n = static_cast<double>(spread.count);
  spread.mean = sum / n;
  if (spread.count < 2) return spread;
  double squares = 0;
  for (const double value : values) {
    if (std::isfinite(value)) squares += (value - spread.mean) * (value - spread.mean);
  }
  spread.deviation = std::sqrt(squares / (n - 1));
  return spread;
}

std::string text_of(const Spread& spread) {
  if (std::isnan(spread.deviation)) return number(spread.mean);
  const int decimals = spread.deviation > 0
                           ? 1 - static_cast<int>(std::floor(std::log10(spread.deviation)))
                           : kMostDecimals + 1;
  if (decimals > kMostDecimals || std::abs(spread.mean) >= 1e6) {
    return number(spread.mean) + " ± " + short_number(spread.deviation);
  }
  const int shown = std::max(decimals, 0);
  return fmt::format("{}{:.{}f} ± {:.{}f}", spread.mean < 0 ? "−" : "", std::abs(spread.mean),
                     shown, spread.deviation, shown);
}

Summary summary_of(const RunRecord& run) {
  Summary summary;
  for (const SeedRecord& seed : run.seeds) summary.unsolved += seed.solved ? 0 : 1;
  const bool none_solved = summary.unsolved == run.seeds.size();
  std::vector<double> worst, nominal, price;
  std::vector<AnswerKind> kinds;
  double lowest = HUGE_VAL;
  for (std::size_t i = 0; i < run.seeds.size(); ++i) {
    const SeedRecord& seed = run.seeds[i];
    if (!seed.solved && !none_solved) continue;
    const double value = shown_value(seed.worst_case.value);
    worst.push_back(value);
    nominal.push_back(seed.nominal);
    price.push_back(value - seed.nominal);
    kinds.push_back(seed.worst_case.kind);
    if (value < lowest) {
      lowest = value;
      summary.best = i;
    }
  }
  summary.worst = spread_of(worst);
  summary.nominal = spread_of(nominal);
  summary.price = spread_of(price);
  summary.kinds = kinds_of(kinds);
  return summary;
}

std::string optimality_text(const RunRecord& run) {
  std::size_t proven = 0;
  double farthest = 0, share = 0;
  for (const SeedRecord& seed : run.seeds) {
    const double gap = std::max(0.0, seed.optimality_gap());
    if (!seed.certificate.exists() || !std::isfinite(seed.optimality_gap())) continue;
    ++proven;
    farthest = std::max(farthest, gap);
    const double least = std::abs(seed.certificate.lower_bound);
    share = std::max(share, least > 0 ? gap / least : HUGE_VAL);
  }
  if (proven == 0) return "";
  const std::string relative =
      std::isfinite(share) ? fmt::format(" ({}% of it)", short_number(100 * share)) : "";
  return fmt::format("It is proven that {} within {}{} of the global optimum.",
                     proven == 1 ? "its worst case is"
                                 : fmt::format("the worst cases of {} seeds are all", proven),
                     short_number(farthest), relative);
}

std::string baseline_text(const RunRecord& run) {
  std::size_t compared = 0, lower = 0;
  double gain = 0;
  std::string losers;
  for (const SeedRecord& seed : run.seeds) {
    double difference = seed.baseline_worst_case - seed.worst_case.value;
    if (!std::isfinite(difference)) continue;
    if (std::abs(difference) <= 1e-9 * std::max(1.0, std::abs(seed.worst_case.value))) {
      difference = 0;  // rounding
    }
    ++compared;
    gain += difference;
    if (difference > 0) ++lower;
    if (difference < 0) losers += fmt::format("{}{}", losers.empty() ? "" : ", ", seed.seed);
  }
  if (compared == 0) return "";
  std::string text = fmt::format(
      "Against the policy trained ignoring the ambiguity, the worst case is lower on {} of {} and "
      "by {} on average.",
      lower, compared == 1 ? "1 seed" : fmt::format("{} seeds", compared),
      short_number(shown_value(gain / static_cast<double>(compared))));
  if (!losers.empty()) {
    const bool several = losers.find(',') != std::string::npos;
    text += fmt::format(" On {} {} it is higher: there this method has not paid.",
                        several ? "seeds" : "seed", losers);
  }
  return text;
}

std::string published_text(const RunRecord& run) {
  std::size_t compared = 0, lower = 0;
  double gain = 0;
  for (const SeedRecord& seed : run.seeds) {
    const double difference = seed.published_worst_case - seed.worst_case.value;
    if (!std::isfinite(difference)) continue;
    ++compared;
    gain += difference;
    if (difference > 1e-9 * std::max(1.0, std::abs(seed.worst_case.value))) ++lower;
  }
  if (compared == 0) return "";
  return fmt::format(
      "Against prox-extragradient as published, the worst case is lower on {} of {} and by {} on "
      "average.",
      lower, compared == 1 ? "1 seed" : fmt::format("{} seeds", compared),
      short_number(shown_value(gain / static_cast<double>(compared))));
}

std::string kind_text(const WorstCaseRecord& worst_case) {
  std::string text(name_of(worst_case.kind));
  if (worst_case.kind == AnswerKind::kCertified) text += ", gap " + short_number(worst_case.gap);
  return text;
}

void check_shapes(const RunRecord& run) {
  check_world(run);
  for (const SeedRecord& seed : run.seeds) {
    if (seed.world) check_world(*seed.world);
    check_seed(run, seed);
  }
}

}  // namespace rgu::report
