// A shop with one product: how much to order, when demand is random and unmet demand is lost
// [Puterman1994, Sec. 3.2].
#pragma once

#include <optional>

#include "rgu/mdp/world_slice.hpp"

namespace rgu {

struct InventoryOptions {
  Index capacity = 10;                                // largest stock, at least 1
  std::optional<Index> largest_order = std::nullopt;  // at least 1; default: capacity
  double mean_demand = 4;                             // of the Poisson law, > 0
  Index largest_demand = 20;                          // 1 .. 1000000
  double price = 8;                                   // of a unit sold
  double unit_cost = 4;                               // of a unit ordered
  double holding_cost = 1;                            // of a unit left at the end of a period
  double discount = 0.95;
};

// State: the stock 0 .. capacity at the beginning of a period. Action: the order, 0 ..
// largest_order, which arrives at once and is cut to the room there is: the stock becomes
// y = min(s + a, capacity), so large orders in well-stocked states are copies of the largest that
// fits. Then demand D comes, Poisson with P(D = largest_demand) taking all the mass from there on;
// min(y, D) units are sold and max(y - D, 0) are left. The start is an empty shop, state 0.
//
// Signals (S, A), expectations over D: "revenue" = price * units sold; "ordering" = unit_cost *
// units that arrived; "holding" = holding_cost * units left; "lost_sales" = units of demand not
// met; "reward" = revenue - ordering - holding. An uncertain reward is a combination of the others.
//
// Sparse kernel. Throws InvalidInput unless the fields are in the ranges given, 0 < discount < 1,
// prices and costs are finite and >= 0, and the kernel fits 32-bit indices.
World inventory(const InventoryOptions& options = {});

// The slice of the same model, bit for bit, made alone. Throws also on a range outside the states.
WorldSlice inventory_slice(const InventoryOptions& options, const StateRange& own);

ModelSize inventory_size(const InventoryOptions& options);

}  // namespace rgu
