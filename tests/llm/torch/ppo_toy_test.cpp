// A language model of four words that answers with one of them: descent-ascent with PPO against a
// linear programme.
#include <cmath>
#include <memory>

#include "models.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/llm/decode/decoder.hpp"
#include "rgu/llm/torch/ppo_trainer.hpp"
#include "rgu/solver/pgda.hpp"
#include "rgu/utility/constrained.hpp"

namespace rgu::llm {
namespace {

// max <r, p> over probabilities p of the four words, subject to <c, p> <= d:
//   r = (1, 0.5, 0.3, 0),  c = (1, 0, 0.4, 0.2),  d = 0.4.
// The dual is min over xi >= 0 of xi d + max_v (r_v - xi c_v). At xi = 1/2 the words have
// r - xi c = (0.5, 0.5, 0.1, -0.1): words 0 and 1 tie and the others are never used, so p_0 c_0 = d
// gives p = (0.4, 0.6, 0, 0), with reward 0.4 + 0.3 = 0.7. The dual's value is 0.2 + 0.5 = 0.7 too,
// so both are optimal. (xi is the only one: to either side of 1/2 one word alone is best.)
struct ToyProgramme {
  Eigen::Vector4d reward = {1, 0.5, 0.3, 0};
  Eigen::Vector4d cost = {1, 0, 0.4, 0.2};
  double threshold = 0.4;
  double best_reward = 0.7;
  double best_multiplier = 0.5;
};

ModelConfig four_words() {
  ModelConfig config = small_neox();
  config.vocabulary = 4;
  config.hidden = 12;
  config.layers = 1;
  config.intermediate = 16;
  config.max_positions = 4;
  return config;
}

// Its output weights are larger than those of the other tests, so that logits, which are
// bounded by the final norm, can differ enough for a word to be as good as never said.
Weights decided_weights(const ModelConfig& config) {
  Weights weights = lively_weights(config);
  std::vector<float> output = floats_of(weights.at("embed_out.weight"));
  for (float& value : output) value *= 1.5F;
  weights.put("embed_out.weight", std::move(output), {config.vocabulary, config.hidden});
  return weights;
}

constexpr std::size_t kAnswers = 128;
constexpr std::uint64_t kSeed = 1;

class ToyPlayer final : public PolicyPlayer {
 public:
  ToyPlayer(Transformer& model, const PpoOptions& options)
      : model_(model),
        decoder_(model.config(), weights_of(model), {.threads = 1}),
        trainer_(model, 1, options, kSeed) {}

  Index draw(Index iteration) override {
    decoder_.load(weights_of(model_));
    const std::vector<std::vector<TokenId>> prompts(kAnswers, prompt_);
    answers_ = decoder_.generate(
        prompts, {.sampling = {.max_new_tokens = 1},
                  .streams = {.seed = kSeed, .stream = static_cast<std::uint64_t>(iteration)}});
    const auto n = static_cast<Index>(answers_.size());
    Matrix objective(1, n), cost(1, n);
    for (Index i = 0; i < n; ++i) {
      const Index word = answers_[static_cast<std::size_t>(i)].tokens.front();
      objective(0, i) = -toy_.reward[word];
      cost(0, i) = toy_.cost[word];
    }
    utility_ = std::make_unique<Constrained>(ConstrainedCosts{
        .objective = objective, .constraints = {cost}, .thresholds = Vector{{toy_.threshold}}});
    return n;
  }

  SaddleGradient nature_gradient(const Vector& nature) const override {
    const UtilityGradient g = evaluated(nature);
    return {.value = g.value, .policy = {}, .nature = g.nature};
  }

  // The score of an answer is -grad_lambda f: its reward less the price of its cost.
  double descend(const Vector& nature) override {
    const UtilityGradient g = evaluated(nature);
    std::vector<Rollout> rollouts;
    for (const Sequence& answer : answers_) {
      rollouts.push_back({.prompt = prompt_, .answer = answer.tokens});
    }
    const PpoReport report =
        trainer_.update({.rollouts = rollouts, .scores = -g.occupancy.transpose()});
    return report.finite ? g.value : std::nan("");
  }

  Vector probabilities() const {
    const at::NoGradGuard no_gradients;
    const at::Tensor logits = model_.logits(model_.forward(ids_of({0})));
    return vector_of(at::softmax(logits[0][0].to(at::kDouble), -1));
  }

 private:
  UtilityGradient evaluated(const Vector& nature) const {
    const auto n = static_cast<Index>(answers_.size());
    return utility_->evaluate(Matrix::Constant(1, n, 1 / static_cast<double>(n)), nature);
  }

  ToyProgramme toy_;
  Transformer& model_;
  Decoder decoder_;
  PpoTrainer trainer_;
  std::vector<TokenId> prompt_ = {0};
  std::vector<Sequence> answers_;
  std::unique_ptr<Constrained> utility_;
};

// Descent-ascent on a problem that is linear in both players circles around the saddle point; what
// converges are the averages of its iterates. Judged are the exact probabilities and the
// multipliers, averaged over the last three quarters of the run. An epsilon far above the gradient
// makes AdamW plain gradient descent, and whitening is off: both would blow up the noise where all
// answers are nearly as good.
TEST(PpoToy, DescentAscentReachesTheOptimumOfTheLinearProgramme) {
  Transformer model(four_words(), decided_weights(four_words()));
  add_lively_adapter(model, {.rank = 4, .alpha = 8});
  ToyPlayer player(model, {.epochs = 2,
                           .minibatch = kAnswers,
                           .learning_rate = 0.3,
                           .beta1 = 0,
                           .epsilon = 1,
                           .whiten = false,
                           .kl_control = KlControl::kFixed,
                           .kl_coefficient = 0,
                           .early_stop_kl = 0});
  const ToyProgramme toy;
  const Box multipliers = uniform_box(1, {.lower = 0, .upper = 2});
  const Index iterations = 800;
  Vector words = Vector::Zero(4);
  double multiplier = 0, kept = 0;
  SolverState start;
  start.point.nature = Vector::Zero(1);
  const SolverResult result =
      pgda(player, multipliers, start, {.nature_step = 0.004, .inner_steps = 10},
           {.iterations = iterations}, [&](const Iteration& now) -> Verdict {
             if (4 * now.state.iteration <= iterations) return {};
             words += player.probabilities();
             multiplier += now.state.point.nature[0];
             ++kept;
             return {};
           });
  EXPECT_EQ(result.status, Status::kIterationLimit);
  words /= kept;
  multiplier /= kept;
  EXPECT_NEAR(toy.reward.dot(words), toy.best_reward, 0.02 * toy.best_reward);
  EXPECT_LE(toy.cost.dot(words), toy.threshold + 0.02);
  EXPECT_NEAR(multiplier, toy.best_multiplier, 0.1 * toy.best_multiplier);
}

}  // namespace
}  // namespace rgu::llm
