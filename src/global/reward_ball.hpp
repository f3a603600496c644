// Balls of rewards, as an interior-point method sees them.
#pragma once

#include <optional>

#include "rgu/base/types.hpp"

namespace rgu {

struct EnvelopeProblem;

// Gamma(lambda) = -<centre, lambda> + max <w, lambda> over the w that the adversary may take off:
// |w|_p <= radius, and w <= most where that is given. The worst rewards are centre - w with w >= 0,
// since lambda >= 0. Where processes share a model: the rows of their own states.
struct RewardBall {
  Matrix centre = {};  // (S, A)
  double radius = 0;   // > 0
  double p = 2;        // in [1, infinity)
  Matrix most = {};    // (S, A), >= 0, only with p = 1; empty: no such limit
};

// RewardRobust on an l_p ball, or on the common points of an l_1 ball and boxes that hold its
// centre; empty for all else, and where Gamma is linear (p = infinity, radius 0).
std::optional<RewardBall> reward_ball_of(const EnvelopeProblem& problem);

}  // namespace rgu
