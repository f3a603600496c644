#include "rgu/mdp/generators/inventory.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/mdp/generators/outcomes.hpp"

namespace rgu {
namespace {

void check_options(const InventoryOptions& options) {
  check_count("capacity", options.capacity);
  if (options.largest_order) check_count("largest order", *options.largest_order);
  constexpr Index kMostDemand = 1000000;
  check_count("largest demand", options.largest_demand);
  check(options.largest_demand <= kMostDemand, "largest demand is {}, must be at most {}",
        options.largest_demand, kMostDemand);
  const Index orders = options.largest_order.value_or(options.capacity);
  check_kernel_size({.states = options.capacity, .actions = orders});
  // An upper bound on the entries, from the numbers before 1 is added to each.
  const Index outcomes = std::min(options.capacity, options.largest_demand) + 1;
  check_kernel_size({.states = options.capacity + 1,
                     .actions = orders + 1,
                     .entries = (options.capacity + 1) * (orders + 1) * outcomes});
  check_positive("mean demand", options.mean_demand);
  check_nonnegative("price", options.price);
  check_nonnegative("unit cost", options.unit_cost);
  check_nonnegative("holding cost", options.holding_cost);
}

// P(D = d), d = 0 .. largest; the last takes the tail. By logarithms, log p_d = log p_{d-1} +
// log(mean / d), as p_0 = exp(-mean) underflows for large means.
Vector demand_law(double mean, Index largest) {
  Vector law = Vector::Zero(largest + 1);
  double log_probability = -mean;
  for (Index d = 0; d < largest; ++d) {
    if (d > 0) log_probability += std::log(mean / static_cast<double>(d));
    law(d) = std::exp(log_probability);
  }
  law(largest) = std::max(0.0, 1.0 - law.sum());
  return law / law.sum();
}

// What happens in a period that begins, after the order, with `stock` units.
struct Period {
  std::vector<Outcome> outcomes;
  double sold = 0;
  double left = 0;
  double lost = 0;
};

Period period_from(Index stock, const Vector& demand) {
  Period period;
  double sold_out = 0;
  for (Index d = 0; d < demand.size(); ++d) {
    const Index left = std::max<Index>(stock - d, 0);
    if (left > 0) period.outcomes.push_back({left, demand(d)});
    if (left == 0) sold_out += demand(d);
    period.sold += demand(d) * static_cast<double>(stock - left);
    period.left += demand(d) * static_cast<double>(left);
    period.lost += demand(d) * static_cast<double>(std::max<Index>(d - stock, 0));
  }
  period.outcomes.push_back({0, sold_out});
  return period;
}

}  // namespace

World inventory(const InventoryOptions& options) {
  check_options(options);
  const Index states = options.capacity + 1;
  const Index actions = options.largest_order.value_or(options.capacity) + 1;
  const Vector demand = demand_law(options.mean_demand, options.largest_demand);
  std::vector<Period> periods;  // by stock after the order
  for (Index y = 0; y < states; ++y) periods.push_back(period_from(y, demand));
  SparseMatrix kernel(states * actions, states);
  Matrix revenue(states, actions), ordering(states, actions), holding(states, actions),
      lost(states, actions);
  for (Index s = 0; s < states; ++s) {
    for (Index a = 0; a < actions; ++a) {
      const Index arrived = std::min(a, options.capacity - s);
      const Period& period = periods[static_cast<std::size_t>(s + arrived)];
      append_row(kernel, s * actions + a, period.outcomes);
      revenue(s, a) = options.price * period.sold;
      ordering(s, a) = options.unit_cost * static_cast<double>(arrived);
      holding(s, a) = options.holding_cost * period.left;
      lost(s, a) = period.lost;
    }
  }
  kernel.finalize();
  const Matrix reward = revenue - ordering - holding;
  return World{.mdp = FiniteMdp(std::move(kernel), Vector::Unit(states, 0), options.discount),
               .signals = {{"reward", reward},
                           {"revenue", revenue},
                           {"ordering", ordering},
                           {"holding", holding},
                           {"lost_sales", lost}}};
}

}  // namespace rgu
