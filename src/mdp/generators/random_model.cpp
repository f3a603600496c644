#include "rgu/mdp/generators/random_model.hpp"

#include "rgu/base/check.hpp"

namespace rgu {

World random_model(const RandomModelOptions& options, Rng& rng) {
  check_count("number of states", options.states);
  check_count("number of actions", options.actions);
  checked_product({{"number of states", options.states},
                   {"number of actions", options.actions},
                   {"number of states", options.states}});
  Matrix kernel(options.states * options.actions, options.states);
  for (Index row = 0; row < kernel.rows(); ++row) {
    for (Index next = 0; next < kernel.cols(); ++next) kernel(row, next) = 1.0 - rng.uniform();
    kernel.row(row) /= kernel.row(row).sum();
  }
  const Vector start = Vector::Constant(options.states, 1.0 / static_cast<double>(options.states));
  return World{.mdp = FiniteMdp(std::move(kernel), start, options.discount)};
}

}  // namespace rgu
