#include "rgu/align/objective.hpp"

#include <gtest/gtest.h>

#include "laws/throws.hpp"
#include "rgu/align/score_shaping.hpp"
#include "rgu/base/rng.hpp"

namespace rgu::align {
namespace {

AlignConfig config_of(std::size_t rewards, std::size_t constraints) {
  AlignConfig config;
  for (std::size_t i = 0; i < rewards; ++i) config.rewards.push_back({.name = std::to_string(i)});
  for (std::size_t k = 0; k < constraints; ++k) {
    config.constraints.push_back({.scorer = {.name = std::to_string(k)},
                                  .threshold = 0.1 * static_cast<double>(k + 1),
                                  .most_multiplier = 2 + static_cast<double>(k)});
  }
  return config;
}

Matrix random_matrix(Index rows, Index columns, Rng& rng) {
  Matrix matrix(rows, columns);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = rng.normal();
  return matrix;
}

AnswerScores random_scores(const AlignConfig& config, Index answers) {
  Rng rng(4);
  return {.rewards = random_matrix(answers, static_cast<Index>(config.rewards.size()), rng),
          .costs = random_matrix(answers, static_cast<Index>(config.constraints.size()), rng)};
}

// f = -sum_i w_i mean r_i + sum_k xi_k (mean c_k - d_k), written out.
double by_hand(const AlignConfig& config, const AnswerScores& scores, const Vector& weights,
               const Vector& multipliers) {
  double f = 0;
  for (Index i = 0; i < scores.rewards.cols(); ++i) f -= weights[i] * scores.rewards.col(i).mean();
  for (Index k = 0; k < scores.costs.cols(); ++k) {
    f += multipliers[k] *
         (scores.costs.col(k).mean() - config.constraints[static_cast<std::size_t>(k)].threshold);
  }
  return f;
}

TEST(AlignObjective, IsTheLagrangianOfThePaper) {
  for (const auto& [rewards, constraints] :
       {std::pair{1, 0}, std::pair{1, 1}, std::pair{1, 2}, std::pair{3, 0}, std::pair{3, 2}}) {
    const AlignConfig config =
        config_of(static_cast<std::size_t>(rewards), static_cast<std::size_t>(constraints));
    const Objective objective(config);
    const AnswerScores scores = random_scores(config, 12);
    Vector nature = objective.start();
    EXPECT_EQ(nature.size(), (rewards > 1 ? rewards : 0) + constraints);
    for (Index i = 0; i < nature.size(); ++i) nature[i] += 0.1 * static_cast<double>(i + 1);
    const UtilityGradient f = objective.evaluate(scores, nature);
    const Vector weights = objective.weights(nature);
    const Vector multipliers = objective.multipliers(nature);
    EXPECT_NEAR(f.value, by_hand(config, scores, weights, multipliers), 1e-14);
    for (Index k = 0; k < multipliers.size(); ++k) {
      EXPECT_NEAR(f.nature.tail(multipliers.size())[k],
                  scores.costs.col(k).mean() - 0.1 * static_cast<double>(k + 1), 1e-14);
    }
    const Vector adjusted = scores.rewards * weights - scores.costs * multipliers;
    EXPECT_LT((objective.adjusted_scores(scores, nature) - adjusted).norm(), 1e-13);
  }
}

// The largest f over a fine grid of nature's choices, against the closed form.
TEST(AlignObjective, EnvelopeIsTheMaximumOverTheAmbiguitySet) {
  for (const double regularization : {0.0, 0.8}) {
    AlignConfig config = config_of(2, 1);
    config.nature.ensemble_radius = 0.3;
    config.nature.regularization = regularization;
    const Objective objective(config);
    const AnswerScores scores = random_scores(config, 9);
    double best = -1e9;
    for (int i = 0; i <= 200; ++i) {
      const double shift = 0.3 / std::sqrt(2) * (i / 100.0 - 1);  // w = (1/2 + shift, 1/2 - shift)
      for (int j = 0; j <= 200; ++j) {
        const Vector nature = (Vector(3) << 0.5 + shift, 0.5 - shift, 2 * j / 200.0).finished();
        best = std::max(best, objective.evaluate(scores, nature).value);
      }
    }
    EXPECT_GE(objective.envelope(scores), best - 1e-12);
    EXPECT_NEAR(objective.envelope(scores), best, 1e-3);
  }
}

TEST(AlignObjective, AmbiguityIsBoxTimesSimplexInABall) {
  AlignConfig config = config_of(3, 2);
  config.nature.ensemble_radius = 0.2;
  const Objective objective(config);
  const Vector far = (Vector(5) << 9, 0, 0, -4, 100).finished();
  const Vector near = objective.ambiguity().project(far);
  EXPECT_NEAR(near.head(3).sum(), 1, 1e-9);
  EXPECT_NEAR((near.head(3).array() - 1.0 / 3).matrix().norm(), 0.2, 1e-9);
  EXPECT_EQ(near[3], 0);
  EXPECT_EQ(near[4], 3);
}

TEST(AlignObjective, AFixedPenaltyLeavesNatureNoChoice) {
  AlignConfig config = config_of(1, 1);
  config.constraints[0].least_multiplier = config.constraints[0].most_multiplier = 0.7;
  const Objective objective(config);
  EXPECT_EQ(objective.start(), Vector::Constant(1, 0.7));
  EXPECT_EQ(objective.ambiguity().project(Vector::Constant(1, 9)), Vector::Constant(1, 0.7));
}

TEST(ScoreShaping, DividesClipsAndPunishes) {
  AlignConfig config = config_of(1, 1);
  config.shaping.clip = 1;
  config.shaping.missing_eos_penalty = 0.25;
  config.sampling.answers = 2;
  const Objective objective(config);
  const AnswerScores scores{.rewards = (Matrix(2, 1) << 3, 0.5).finished(),
                            .costs = (Matrix(2, 1) << 0, 1).finished()};
  ScoreShaping shaping(config);
  const Vector nature = Vector::Constant(1, 0.5);
  const ShapedScores shaped = shaping.shaped(objective, scores, nature, {true, false});
  EXPECT_EQ(shaped.mixing, Vector::Ones(1));
  EXPECT_NEAR(shaped.columns(0, 0), 1, 1e-15);               // 3 / 1.5 = 2, cut at 1
  EXPECT_NEAR(shaped.columns(1, 0), 0 / 1.5 - 0.25, 1e-15);  // (0.5 - 0.5 * 1) / 1.5, unfinished
}

TEST(ScoreShaping, TakesTheMeanOfTheOtherAnswersOff) {
  AlignConfig config = config_of(1, 0);
  config.sampling.answers = 3;
  config.shaping.prompt_baseline = true;
  const Objective objective(config);
  const AnswerScores scores{.rewards = (Matrix(6, 1) << 1, 2, 6, 0, 0, 3).finished(),
                            .costs = Matrix(6, 0)};
  ScoreShaping shaping(config);
  const ShapedScores shaped = shaping.shaped(objective, scores, Vector(), {});
  const Vector expected = (Vector(6) << 1 - 4, 2 - 3.5, 6 - 1.5, -1.5, -1.5, 3).finished();
  EXPECT_LT((shaped.columns.col(0) - expected).norm(), 1e-14);
}

TEST(ScoreShaping, MixesSeparateScoresAsSafeRlhf) {
  AlignConfig config = config_of(1, 2);
  config.ppo.critics = llm::Critics::kSeparate;
  const Objective objective(config);
  const AnswerScores scores = random_scores(config, 8);
  ScoreShaping shaping(config);
  EXPECT_EQ(shaping.columns(), 3);
  const Vector nature = (Vector(2) << 0.5, 1.5).finished();
  const ShapedScores shaped = shaping.shaped(objective, scores, nature, {});
  EXPECT_LT((shaped.mixing - (Vector(3) << 1 / 3.0, -0.5 / 3, -1.5 / 3).finished()).norm(), 1e-15);
  const Vector mixed = shaped.columns * shaped.mixing;
  EXPECT_LT((mixed - objective.adjusted_scores(scores, nature) / 3).norm(), 1e-14);
}

TEST(ScoreShaping, NormalisesByAllScoresSeenSoFar) {
  AlignConfig config = config_of(1, 0);
  config.shaping.normalisation = ShapingConfig::Normalisation::kStandardise;
  const Objective objective(config);
  ScoreShaping shaping(config);
  const AnswerScores first{.rewards = (Matrix(2, 1) << 1, 3).finished(), .costs = Matrix(2, 0)};
  const AnswerScores second{.rewards = (Matrix(2, 1) << 5, 7).finished(), .costs = Matrix(2, 0)};
  shaping.shaped(objective, first, Vector(), {});
  const ShapedScores shaped = shaping.shaped(objective, second, Vector(), {});
  const double deviation = std::sqrt(20.0 / 3);  // of 1, 3, 5, 7
  EXPECT_NEAR(shaped.columns(0, 0), (5 - 4) / deviation, 1e-14);
  EXPECT_NEAR(shaped.columns(1, 0), (7 - 4) / deviation, 1e-14);
}

TEST(ScoreShaping, RefusesWhatWouldMeanSomethingElse) {
  AlignConfig config = config_of(1, 1);
  config.ppo.critics = llm::Critics::kSeparate;
  config.shaping.normalisation = ShapingConfig::Normalisation::kScale;
  expect_invalid([&] { ScoreShaping{config}; }, "shaping.normalisation");
  config = config_of(1, 1);
  config.shaping.prompt_baseline = true;
  config.sampling.answers = 1;
  expect_invalid([&] { ScoreShaping{config}; }, "sampling.answers");
}

}  // namespace
}  // namespace rgu::align
