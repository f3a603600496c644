// A utility of one's own: spread over the states, with a price xi(a) for each action a. Only the
// value is written down; both gradients come from it and are printed beside the formula by hand.
#include <fmt/format.h>

#include "rgu/utility/custom.hpp"

// f_xi(lambda) = sum_s d(s)^2 + sum_{s,a} xi(a) lambda(s,a), with d(s) = sum_a lambda(s,a).
struct PricedSpread {
  template <class T>
  T operator()(const rgu::OccupancyView<T>& lambda, const rgu::NatureView<T>& xi) const {
    T total = 0;
    for (rgu::Index s = 0; s < lambda.states(); ++s) {
      T mass = 0;
      for (rgu::Index a = 0; a < lambda.actions(); ++a) {
        mass += lambda(s, a);
        total += xi(a) * lambda(s, a);
      }
      total += mass * mass;
    }
    return total;
  }
};

int main() {
  const rgu::CustomUtility utility(
      PricedSpread{},
      {.shape = {.states = 2, .actions = 2},
       .nature_dimension = 2,
       .traits = {.convex_in_occupancy = true, .nature = rgu::NatureShape::kLinear}});
  const rgu::Matrix lambda{{0.1, 0.2}, {0.3, 0.4}};  // d = (0.3, 0.7)
  const rgu::Vector xi{{5, -1}};
  const rgu::UtilityGradient f = utility.evaluate(lambda, xi);
  fmt::print("value         {:.4f}, by hand {:.4f}\n", f.value, 0.09 + 0.49 + 5 * 0.4 - 0.6);
  fmt::print("d/d lambda_01 {:.4f}, by hand {:.4f}\n", f.occupancy(0, 1), 2 * 0.3 - 1);
  fmt::print("d/d xi_0      {:.4f}, by hand {:.4f}\n", f.nature(0), 0.1 + 0.3);
}
