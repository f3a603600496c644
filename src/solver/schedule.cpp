#include "rgu/solver/schedule.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

double grown(Growth growth, double k) {
  switch (growth) {
    case Growth::kLog:
      return std::log(k + 1);
    case Growth::kLinear:
      return k;
    case Growth::kQuadratic:
      return (k + 1) * (k + 1);
  }
  return 0;
}

Index count_at(const std::vector<Index>& counts, Index k) {
  return counts[static_cast<std::size_t>(std::min(k, std::ssize(counts) - 1))];
}

// Compared with max before it becomes an integer, which a large product would not fit.
Index count_at(const GrowingCount& rule, Index k) {
  const double count =
      std::ceil(rule.base + rule.rate * grown(rule.growth, static_cast<double>(k)));
  if (count >= static_cast<double>(rule.max)) return rule.max;
  return static_cast<Index>(std::max(1.0, count));
}

void check_rule(std::string_view name, const std::vector<Index>& counts) {
  check(!counts.empty(), "{} is an empty list, must have at least one count", name);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    check(counts[i] >= 1, "{}[{}] is {}, must be at least 1", name, i, counts[i]);
  }
}

void check_rule(std::string_view name, const GrowingCount& rule) {
  check_finite(fmt::format("base of {}", name), rule.base);
  check_nonnegative(fmt::format("rate of {}", name), rule.rate);
  check_count(fmt::format("max of {}", name), rule.max);
}

}  // namespace

Index Schedule::at(Index k) const { return growing ? count_at(*growing, k) : count_at(values, k); }

void check_schedule(std::string_view name, const Schedule& schedule) {
  if (schedule.growing) return check_rule(name, *schedule.growing);
  check_rule(name, schedule.values);
}

}  // namespace rgu
