#include "rgu/llm/torch/ppo_math.hpp"

#include <cmath>
#include <functional>

#include "models.hpp"
#include "rgu/base/check.hpp"
#include "rgu/llm/torch/ppo_passes.hpp"

namespace rgu::llm {
namespace {

constexpr double kTolerance = 1e-9;  // the golden numbers are float64

Vector vector_of_json(const nlohmann::json& list) { return vector_of(tensor_of_json(list)); }

// The numbers of TRL and of safe-rlhf stand in padded tables (B, L); those below are the entries
// where a mask is 1, row after row. Both take a row's answer to be one stretch.
struct Golden {
  nlohmann::json json = json_file(kReference / "ppo_golden.json");
  std::vector<std::pair<std::int64_t, std::int64_t>> stretches = {};  // [begin, end) of each row

  AnswerSpans spans() const {
    AnswerSpans spans;
    for (const auto& [begin, end] : stretches)
      spans.offsets.push_back(spans.tokens() + end - begin);
    return spans;
  }
  // `first` is the column of the whole table that the given one begins with.
  Vector entries(const nlohmann::json& table, std::int64_t first = 0) const {
    std::vector<at::Tensor> rows;
    for (std::size_t b = 0; b < stretches.size(); ++b) {
      const auto [begin, end] = stretches[b];
      rows.push_back(tensor_of_json(table[b]).narrow(0, begin - first, end - begin));
    }
    return vector_of(at::cat(rows));
  }
};

Golden trl_golden() {
  Golden golden;
  for (const nlohmann::json& row : golden.json["mask"]) {
    const auto mask = row.get<std::vector<double>>();
    const auto begin = std::find(mask.begin(), mask.end(), 1.0);
    const auto end = std::find(begin, mask.end(), 0.0);
    golden.stretches.emplace_back(begin - mask.begin(), end - mask.begin());
  }
  return golden;
}

// Every row from the same column on: prompts of one length.
Golden safe_rlhf_golden() {
  Golden golden;
  const auto start = golden.json["safe_rlhf"]["start"].get<std::int64_t>();
  for (const nlohmann::json& row : golden.json["safe_rlhf"]["sequence_mask"]) {
    const auto mask = row.get<std::vector<double>>();
    golden.stretches.emplace_back(start, std::find(mask.begin(), mask.end(), 0.0) - mask.begin());
  }
  return golden;
}

void expect_near(const Vector& found, const Vector& expected) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), kTolerance);
}

TEST(PpoMath, IsThatOfTrl) {
  const Golden golden = trl_golden();
  const nlohmann::json& all = golden.json;
  const nlohmann::json& trl = all["trl"];
  const AnswerSpans spans = golden.spans();
  ASSERT_EQ(spans.tokens(), 14);
  const Vector old = golden.entries(all["old_logprobs"]);
  const Vector kl = token_kl(KlEstimator::kK1, old, golden.entries(all["ref_logprobs"]));
  EXPECT_NEAR(kl.sum() / 3, trl["objective_kl"].get<double>(), kTolerance);
  const Vector rewards = shaped_rewards(spans, {.coefficient = trl["kl_coef"].get<double>(),
                                                .kl = kl,
                                                .scores = vector_of_json(all["score"])});
  expect_near(rewards, golden.entries(trl["rewards"]));
  const Vector values = golden.entries(all["values"]);
  const Advantages found = advantages(spans, rewards, values, {.discount = 1, .trace = 0.95});
  expect_near(found.advantages, golden.entries(trl["advantages_raw"]));
  expect_near(found.returns, golden.entries(trl["returns"]));
  const Vector white = whitened(found.advantages);
  expect_near(white, golden.entries(trl["advantages_whitened"]));

  const at::Tensor weights = averaging_weights(spans, Averaging::kTokens);
  const PolicyLoss policy = policy_loss({.fresh = tensor_of(golden.entries(all["new_logprobs"])),
                                         .old = tensor_of(old),
                                         .advantages = tensor_of(white),
                                         .weights = weights},
                                        0.2);
  const ValueLoss value = value_loss({.fresh = tensor_of(golden.entries(all["vpreds"])),
                                      .old = tensor_of(values),
                                      .returns = tensor_of(found.returns),
                                      .weights = weights},
                                     0.2);
  const double policy_number = policy.loss.item<double>(), value_number = value.loss.item<double>();
  EXPECT_NEAR(policy_number, trl["pg_loss"].get<double>(), kTolerance);
  EXPECT_NEAR(value_number, trl["vf_loss"].get<double>(), kTolerance);
  EXPECT_NEAR(policy_number + 0.1 * value_number, trl["total"].get<double>(), kTolerance);
  EXPECT_NEAR(policy.clip_fraction, trl["pg_clipfrac"].get<double>(), kTolerance);
  EXPECT_NEAR(value.clip_fraction, trl["vf_clipfrac"].get<double>(), kTolerance);
  EXPECT_NEAR(policy.approximate_kl, trl["approxkl"].get<double>(), kTolerance);
  EXPECT_NEAR(policy.policy_kl, trl["policykl"].get<double>(), kTolerance);
  EXPECT_NEAR(policy.mean_ratio, trl["mean_ratio"].get<double>(), kTolerance);

  // The golden steps are those of a batch of 128 and a horizon of 10,000: factor 0.99744.
  const KlStep step = {.kl = trl["objective_kl"].get<double>(), .sequences = 128};
  EXPECT_NEAR(controlled(0.2, step, {.kl_target = 6}), trl["kl_coef_after_target6"].get<double>(),
              kTolerance);
  EXPECT_NEAR(controlled(0.2, step, {.kl_target = 0.1}),
              trl["kl_coef_after_target0p1"].get<double>(), kTolerance);
}

// The golden multiplier updates are left out: they ascend in log xi, log xi <- log xi + rate (C -
// d) xi, which never reaches 0. Nature here is projected ascent in xi itself, tested with the
// solvers.
TEST(PpoMath, IsThatOfSafeRlhf) {
  const Golden golden = safe_rlhf_golden();
  const nlohmann::json& all = golden.json;
  const nlohmann::json& safe = all["safe_rlhf"];
  const AnswerSpans spans = golden.spans();
  const auto start = safe["start"].get<std::int64_t>();
  const double coefficient = safe["kl_coeff"].get<double>();
  const Vector old = golden.entries(all["old_logprobs"]);
  const Vector kl = token_kl(KlEstimator::kK1, old, golden.entries(all["ref_logprobs"]));
  const Vector rewards = shaped_rewards(
      spans, {.coefficient = coefficient, .kl = kl, .scores = vector_of_json(all["score"])});
  const Vector costs = shaped_rewards(
      spans, {.coefficient = -coefficient, .kl = kl, .scores = vector_of_json(all["cost"])});
  expect_near(rewards, golden.entries(safe["rewards"]));
  expect_near(costs, golden.entries(safe["costs"]));
  const Vector values = golden.entries(all["values"]);
  const Vector cost_values = golden.entries(all["cost_values"]);
  const Advantages reward = advantages(spans, rewards, values, {});
  const Advantages cost = advantages(spans, costs, cost_values, {});
  expect_near(reward.advantages, golden.entries(safe["reward_adv"], start));
  expect_near(reward.returns, golden.entries(safe["reward_ret"], start));
  expect_near(cost.advantages, golden.entries(safe["cost_adv"], start));
  expect_near(cost.returns, golden.entries(safe["cost_ret"], start));

  const at::Tensor weights = averaging_weights(spans, Averaging::kSequences);
  const double xi = safe["lam"].get<double>();
  const std::vector<Vector> both = {reward.advantages, cost.advantages};
  const Vector mix = Vector{{1 / (1 + xi), -xi / (1 + xi)}};
  const PolicyLoss policy = policy_loss({.fresh = tensor_of(golden.entries(all["new_logprobs"])),
                                         .old = tensor_of(old),
                                         .advantages = tensor_of(mixed(both, mix)),
                                         .weights = weights},
                                        0.2);
  EXPECT_NEAR(policy.loss.item<double>(), safe["actor_loss"].get<double>(), kTolerance);
  const auto critic_loss = [&](const char* fresh, const Vector& before, const Vector& returns) {
    return value_loss({.fresh = tensor_of(golden.entries(all[fresh])),
                       .old = tensor_of(before),
                       .returns = tensor_of(returns),
                       .weights = weights},
                      5)
        .loss.item<double>();
  };
  EXPECT_NEAR(critic_loss("vpreds", values, reward.returns),
              safe["reward_critic_loss"].get<double>(), kTolerance);
  EXPECT_NEAR(critic_loss("cost_vpreds", cost_values, cost.returns),
              safe["cost_critic_loss"].get<double>(), kTolerance);
}

// x = log p - log q = log 2 and -log 2, where exp(-x) = 1/2 and 2.
TEST(PpoMath, EstimatorsAreTheirFormulas) {
  const double l = std::log(2.0);
  const Vector p = Vector{{-1, -2}}, q = Vector{{-1 - l, -2 + l}};
  expect_near(token_kl(KlEstimator::kK1, p, q), Vector{{l, -l}});
  expect_near(token_kl(KlEstimator::kAbsolute, p, q), Vector{{l, l}});
  expect_near(token_kl(KlEstimator::kSquared, p, q), Vector{{l * l / 2, l * l / 2}});
  expect_near(token_kl(KlEstimator::kK3, p, q), Vector{{l - 0.5, 1 - l}});
  EXPECT_THROW(token_kl(KlEstimator::kFull, p, q), InvalidInput);
}

// Two answers, of 1 and 2 tokens; discount 1/2, trace 1/2:
//   answer 0: delta = 3 - 1 = 2 = A, R = 3;
//   answer 1: delta_1 = 4 - 2 = 2 = A_1, delta_0 = 1 + 2/2 - 1 = 1, A_0 = 1 + 2/4 = 3/2.
TEST(PpoMath, AdvantagesByHandEndWithTheirAnswer) {
  const AnswerSpans spans = {.offsets = {0, 1, 3}};
  const Advantages found =
      advantages(spans, Vector{{3, 1, 4}}, Vector{{1, 1, 2}}, {.discount = 0.5, .trace = 0.5});
  expect_near(found.advantages, Vector{{2, 1.5, 2}});
  expect_near(found.returns, Vector{{3, 2.5, 4}});
  expect_near(vector_of(averaging_weights(spans, Averaging::kTokens)),
              Vector::Constant(3, 1.0 / 3));
  expect_near(vector_of(averaging_weights(spans, Averaging::kSequences)),
              Vector{{0.5, 0.25, 0.25}});
}

TEST(PpoMath, WhitenedNumbersHaveMeanZeroAndDeviationOne) {
  const Vector white = whitened(Vector{{1, 2, 3}});  // mean 2, variance 1
  expect_near(white, Vector{{-1, 0, 1}} / std::sqrt(1 + 1e-8));
  EXPECT_EQ(whitened(Vector{{5}})[0], 0);
}

TEST(PpoMath, TheControllerIsClippedAndCanBeFixed) {
  const PpoOptions options = {.kl_target = 2, .kl_horizon = 100};
  EXPECT_DOUBLE_EQ(controlled(1, {.kl = 2, .sequences = 10}, options), 1);
  EXPECT_DOUBLE_EQ(controlled(1, {.kl = 2.2, .sequences = 10}, options), 1.01);
  EXPECT_DOUBLE_EQ(controlled(1, {.kl = 50, .sequences = 10}, options), 1.02);
  EXPECT_DOUBLE_EQ(controlled(1, {.kl = -50, .sequences = 10}, options), 0.98);
  const PpoOptions fixed = {.kl_control = KlControl::kFixed, .kl_target = 2, .kl_horizon = 100};
  EXPECT_EQ(controlled(1, {.kl = 50, .sequences = 10}, fixed), 1);
}

// Central differences at random points, some of them clipped; no two terms tie there.
void expect_gradient(const at::Tensor& at,
                     const std::function<at::Tensor(const at::Tensor&)>& loss) {
  const at::Tensor x = at.clone().requires_grad_();
  loss(x).backward();
  const at::Tensor gradient = x.grad();
  EXPECT_GT(gradient.abs().max().item<double>(), 1e-3);
  EXPECT_EQ(gradient.abs().min().item<double>(), 0);  // somewhere the clip holds
  for (std::int64_t i = 0; i < at.numel(); ++i) {
    at::Tensor above = at.clone(), below = at.clone();
    above.data_ptr<double>()[i] += 1e-6;
    below.data_ptr<double>()[i] -= 1e-6;
    const double expected = (loss(above) - loss(below)).item<double>() / 2e-6;
    EXPECT_NEAR(gradient[i].item<double>(), expected, 1e-8) << i;
  }
}

TEST(PpoMath, GradientsOfTheLossesAreThoseOfFiniteDifferences) {
  Rng rng(4);
  const auto draw = [&](double scale) { return tensor_of(Vector(scale * normal_vector(40, rng))); };
  const at::Tensor weights = draw(1).abs(), old = draw(1), advantage = draw(1);
  const at::Tensor fresh = old + draw(0.4);
  expect_gradient(fresh, [&](const at::Tensor& x) {
    return policy_loss({.fresh = x, .old = old, .advantages = advantage, .weights = weights}, 0.2)
        .loss;
  });
  expect_gradient(fresh, [&](const at::Tensor& x) {
    return value_loss({.fresh = x, .old = old, .returns = advantage, .weights = weights}, 0.2).loss;
  });
}

TEST(PpoOptions, EachIsCheckedAndNamed) {
  check_options({});
  const auto expect_named = [](const PpoOptions& options, const std::string& name) {
    try {
      check_options(options);
      FAIL() << name;
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  };
  const double nan = std::nan("");
  expect_named({.epochs = 0}, "epochs");
  expect_named({.minibatch = 0}, "minibatch");
  expect_named({.minibatch = 2, .accumulation = 3}, "accumulation");
  expect_named({.learning_rate = nan}, "learning_rate");
  expect_named({.warmup_steps = -1}, "warmup_steps");
  expect_named({.critic_warmup_steps = -1}, "critic_warmup_steps");
  expect_named({.beta1 = 1}, "beta1");
  expect_named({.beta2 = -0.1}, "beta2");
  expect_named({.epsilon = 0}, "epsilon");
  expect_named({.weight_decay = -1}, "weight_decay");
  expect_named({.gradient_clip = -1}, "gradient_clip");
  expect_named({.ratio_clip = 0}, "ratio_clip");
  expect_named({.value_clip = nan}, "value_clip");
  expect_named({.value_weight = -1}, "value_weight");
  expect_named({.discount = 1.1}, "discount");
  expect_named({.trace = nan}, "trace");
  expect_named({.kl_coefficient = -1}, "kl_coefficient");
  expect_named({.kl_target = 0}, "kl_target");
  expect_named({.kl_horizon = 0}, "kl_horizon");
  expect_named({.early_stop_kl = -1}, "early_stop_kl");
  expect_named({.ratio_limit = 0.5}, "ratio_limit");
  expect_named({.value_dropout = 1}, "value_dropout");
}

}  // namespace
}  // namespace rgu::llm
