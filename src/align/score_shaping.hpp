// What PPO is given as the score of an answer.
#pragma once

#include <vector>

#include "rgu/align/config.hpp"
#include "rgu/align/objective.hpp"

namespace rgu::align {

// Mean and variance of all numbers seen so far, batch by batch [Chan1983].
struct RunningMoments {
  double count = 0;
  double mean = 0;
  double squares = 0;  // sum of squared distances from the mean

  void add(const Vector& values);
  double deviation() const;  // 1 while it is 0 or fewer than two numbers were seen
  bool operator==(const RunningMoments&) const = default;
};

// The columns of llm::PpoBatch::scores, and what their advantages are mixed by.
struct ShapedScores {
  Matrix columns = {};
  Vector mixing = {};
};

// With one critic: sum_i w_i r_i - sum_k xi_k c_k, divided by 1 + sum xi_k if so configured, then
// normalised by the running moments. With separate critics: the weighted reward and every cost,
// mixed by (1, -xi_1, ..) / (1 + sum xi_k). In both cases scores are then clipped, unfinished
// answers lose the penalty (in the first column), and the baseline of the prompt is taken off.
class ScoreShaping {
 public:
  // Throws InvalidInput where normalisation is asked for with separate critics, which would change
  // what the multipliers mean, or a prompt baseline with one answer a prompt.
  explicit ScoreShaping(const AlignConfig& config);

  Index columns() const;

  // Answers to one prompt follow each other. Adds the batch to the running moments.
  ShapedScores shaped(const Objective& objective, const AnswerScores& scores, const Vector& nature,
                      const std::vector<bool>& finished);

  const RunningMoments& moments() const { return moments_; }
  void restore(const RunningMoments& moments) { moments_ = moments; }

 private:
  ShapingConfig config_;
  bool separate_;
  Index constraints_;
  Index answers_;  // to each prompt
  RunningMoments moments_;
};

}  // namespace rgu::align
