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
  check_positive("mean demand", options.mean_demand);
  check_nonnegative("price", options.price);
  check_nonnegative("unit cost", options.unit_cost);
  check_nonnegative("holding cost", options.holding_cost);
  // From the numbers before 1 is added to each, so that adding it cannot overflow.
  const Index orders = options.largest_order.value_or(options.capacity);
  check_kernel_size({.states = options.capacity, .actions = orders, .own = 1});
}

// An upper bound on the entries: those of a row are the stocks that demand may leave.
void check_slice_size(const InventoryOptions& options, const ModelSize& size, Index own) {
  const Index outcomes = std::min(options.capacity, options.largest_demand) + 1;
  check_kernel_size({.states = size.states, .actions = size.actions, .own = own});
  check_kernel_size({.states = size.states,
                     .actions = size.actions,
                     .entries = own * size.actions * outcomes,
                     .own = own});
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

// What happens after the orders of a range of states, by stock after the order.
class Periods {
 public:
  Periods(const InventoryOptions& options, const StateRange& own, Index actions)
      : first_(own.first) {
    if (own.size() == 0) return;
    const Vector demand = demand_law(options.mean_demand, options.largest_demand);
    const Index most = std::min(own.last + actions - 2, options.capacity);
    for (Index y = first_; y <= most; ++y) periods_.push_back(period_from(y, demand));
  }
  const Period& operator[](Index stock) const {
    return periods_[static_cast<std::size_t>(stock - first_)];
  }

 private:
  Index first_;
  std::vector<Period> periods_;
};

WorldSlice made_slice(const InventoryOptions& options, const StateRange& own) {
  const auto [states, actions] = inventory_size(options);
  check_range(own, states);
  check_slice_size(options, {states, actions}, own.size());
  const Periods periods(options, own, actions);
  SparseMatrix rows(own.size() * actions, states);
  Matrix revenue(own.size(), actions), ordering(own.size(), actions), holding(own.size(), actions),
      lost(own.size(), actions);
  for (Index i = 0; i < own.size(); ++i) {
    const Index s = own.first + i;
    for (Index a = 0; a < actions; ++a) {
      const Index arrived = std::min(a, options.capacity - s);
      const Period& period = periods[s + arrived];
      append_row(rows, i * actions + a, period.outcomes);
      revenue(i, a) = options.price * period.sold;
      ordering(i, a) = options.unit_cost * static_cast<double>(arrived);
      holding(i, a) = options.holding_cost * period.left;
      lost(i, a) = period.lost;
    }
  }
  rows.finalize();
  const Matrix reward = revenue - ordering - holding;
  Vector start = Vector::Zero(own.size());
  if (own.first == 0 && own.size() > 0) start(0) = 1;
  WorldSlice slice{.states = states,
                   .actions = actions,
                   .discount = options.discount,
                   .own = own,
                   .rows = {},
                   .start = std::move(start),
                   .signals = {{"reward", reward},
                               {"revenue", revenue},
                               {"ordering", ordering},
                               {"holding", holding},
                               {"lost_sales", lost}}};
  slice.rows.swap(rows);
  return slice;
}

}  // namespace

ModelSize inventory_size(const InventoryOptions& options) {
  check_options(options);
  return {options.capacity + 1, options.largest_order.value_or(options.capacity) + 1};
}

World inventory(const InventoryOptions& options) {
  return world_of(made_slice(options, {0, inventory_size(options).states}));
}

WorldSlice inventory_slice(const InventoryOptions& options, const StateRange& own) {
  WorldSlice slice = made_slice(options, own);
  check_slice(slice);
  return slice;
}

}  // namespace rgu
