// Gradients from trajectories that come from outside: of an environment whose model nobody knows.
#pragma once

#include <cstdint>
#include <vector>

#include "rgu/gradient/sampled_oracle.hpp"

namespace rgu {

// m trajectories of at most H steps; entry i * H + h belongs to step h of trajectory i. A
// trajectory that ended early has kEnded from there on, in both.
struct Trajectories {
  static constexpr std::int32_t kEnded = -1;

  Index horizon = 0;  // H
  std::vector<std::int32_t> states = {};
  std::vector<std::int32_t> actions = {};

  Index count() const { return horizon == 0 ? 0 : static_cast<Index>(states.size()) / horizon; }
};

// Throws InvalidInput unless there is a trajectory, states and actions are as many, all are in the
// shape, and those that have ended stay so.
void check_trajectories(const Trajectories& all, OccupancyShape shape);

// lambda_hat and the score weights as of TrajectorySampler, (S, A), the same sums.
Matrix occupancy_of(const Trajectories& all, OccupancyShape shape, double discount);
Matrix score_weights_of(const Trajectories& all, const Matrix& cost, double discount);

class TrajectorySource {
 public:
  virtual ~TrajectorySource() = default;
  // Plays the policy pi (S, A). All that is random in it is a function of the streams.
  virtual Trajectories draw(const Matrix& pi, BatchSize batch, StreamFamily streams) const = 0;
};

// SampledOracle with trajectories from a source. Keeps references to its parts.
class TrajectoryOracle final : public GradientOracle {
 public:
  struct Parts {
    const TrajectorySource& source;
    const PolicyClass& policy;
    const Utility& utility;
    double discount = 0;
  };
  // Throws InvalidInput unless 0 < discount < 1 and no batch is empty.
  TrajectoryOracle(const Parts& parts, SampledOracleOptions options);

  SaddleGradient estimate(const SaddlePoint& at, Rng& rng) const override;
  SaddleGradient estimate_nature(const SaddlePoint& at, Rng& rng) const override;

  // Of a fresh batch of the occupancy's size.
  Matrix occupancy(const Matrix& pi, Rng& rng) const;

 private:
  Trajectories drawn(const Matrix& pi, BatchSize batch, Rng& rng) const;
  OccupancyShape shape() const { return {parts_.utility.states(), parts_.utility.actions()}; }

  Parts parts_;
  SampledOracleOptions options_;
  double factor_;
};

}  // namespace rgu
