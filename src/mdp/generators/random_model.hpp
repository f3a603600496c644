// The random model of the paper's experiment [RGU, Sec. implementation].
#pragma once

#include "rgu/base/rng.hpp"
#include "rgu/mdp/world.hpp"

namespace rgu {

// The defaults are the paper's.
struct RandomModelOptions {
  Index states = 10;
  Index actions = 5;
  double discount = 0.95;
};

// Every P(s'|s,a) is drawn independently and strictly positive, then each row is divided by its
// sum; the start distribution is uniform. The paper does not name the law of the draws: it is
// uniform on (0, 1] here. Dense kernel; no signals. Throws InvalidInput unless S, A >= 1 and 0 <
// discount < 1.
World random_model(const RandomModelOptions& options, Rng& rng);

}  // namespace rgu
