#include <fmt/format.h>

#include "rgu/experiment/describe_kinds.hpp"

namespace rgu {
namespace {

constexpr std::array<Kind, 10> kUtilities = {{
    {"reward", "a known reward"},
    {"reward-robust", "an uncertain reward, free in every state and action"},
    {"feature-reward", "a reward that is an uncertain combination of signals"},
    {"constrained", "a reward or cost under limits on signals; xi are the multipliers"},
    {"entropy", "visit everything evenly"},
    {"quadratic-target", "imitate demonstrations, squared distance"},
    {"kl-target", "imitate demonstrations, Kullback-Leibler divergence"},
    {"drift", "explore all directions of a feature map that may drift"},
    {"variance", "risk: an uncertain reward and the price of its variance"},
    {"sum", "a weighted sum of utilities"},
}};
constexpr std::array<Kind, 2> kMarginals = {{{"states"}, {"state-actions"}}};
constexpr std::array<Kind, 2> kFeatures = {{
    {"normal", "random normal features"},
    {"signals", "signals of the world", "signals"},
}};

void describe_signal(FieldVisitor& visit, std::string& signal, std::string_view help) {
  visit.value({"signal", help}, &signal);
}

void describe_weighted(FieldVisitor& visit, std::vector<std::string>& signals,
                       std::vector<double>& weights) {
  visit.value({.name = "signals",
               .help = "signals that the reward combines",
               .presence = Presence::kRequired},
              &signals);
  visit.value(
      {.name = "weights", .help = "nominal weight of each signal", .presence = Presence::kRequired},
      &weights);
  visit.rule(weights.size() == signals.size(), "weights",
             fmt::format("weights has {} entries, must have {}, one for each signal",
                         weights.size(), signals.size()));
}

void describe_marginal(FieldVisitor& visit, Marginal& over, double& delta) {
  describe_enum(visit, {"over", "the masses that count"}, over, kMarginals);
  visit.value({"delta", "keeps logarithms finite where there is no mass", kPositive}, &delta);
}

void describe_one(FieldVisitor& visit, RewardConfig& config) {
  describe_signal(visit, config.signal, "signal to maximise");
}

void describe_one(FieldVisitor& visit, RewardRobustConfig& config) {
  describe_signal(visit, config.signal, "nominal reward");
}

void describe_one(FieldVisitor& visit, FeatureRewardConfig& config) {
  describe_weighted(visit, config.signals, config.weights);
}

void describe_one(FieldVisitor& visit, ConstraintConfig& config) {
  visit.value({.name = "signal",
               .help = "signal whose discounted average is limited",
               .presence = Presence::kRequired},
              &config.signal);
  visit.value({"at_most", "upper limit", kFinite}, &config.at_most);
  visit.value({"at_least", "lower limit", kFinite}, &config.at_least);
  visit.rule(config.at_most.has_value() != config.at_least.has_value(), "signal",
             "a constraint needs either 'at_most' or 'at_least'");
}

void describe_one(FieldVisitor& visit, ConstrainedConfig& config) {
  visit.value({"signal", "signal to maximise; without it and without `cost`: \"reward\""},
              &config.signal);
  visit.value({"cost", "signal to minimise"}, &config.cost);
  visit.rule(!config.signal || !config.cost, "cost",
             "'signal' is maximised and 'cost' is minimised: give one of them");
  describe_list(visit,
                {.name = "constraints",
                 .help = "list of {signal, at_most} or {signal, at_least}",
                 .presence = Presence::kRequired},
                config.constraints, [](auto& inner, auto& one) { describe_one(inner, one); });
}

void describe_one(FieldVisitor& visit, EntropyConfig& config) {
  describe_marginal(visit, config.over, config.delta);
}

void describe_one(FieldVisitor& visit, ExpertConfig& config) {
  constexpr Range kNumber = between(1, 1e9);
  describe_signal(visit, config.signal, "reward of the expert");
  visit.value({"trajectories", "number of demonstrations", kNumber}, &config.trajectories);
  visit.value({"horizon", "steps of each", kNumber}, &config.horizon);
}

void describe_demonstrations(FieldVisitor& visit, DemonstrationsConfig& config) {
  visit.value({"demonstrations", "CSV file with columns trajectory,step,state,action"},
              &config.file);
  visit.table({"expert", "demonstrations sampled from an optimal policy"},
              config.expert.has_value(), [&](FieldVisitor& inner, std::size_t) {
                if (!config.expert) config.expert.emplace();
                describe_one(inner, *config.expert);
              });
  visit.rule(config.file.has_value() != config.expert.has_value(), "type",
             "imitation needs either 'demonstrations' or 'expert'");
}

void describe_one(FieldVisitor& visit, QuadraticTargetConfig& config) {
  describe_demonstrations(visit, config.demonstrations);
}

void describe_one(FieldVisitor& visit, KlTargetConfig& config) {
  describe_demonstrations(visit, config.demonstrations);
  describe_marginal(visit, config.over, config.delta);
}

void describe_one(FieldVisitor& visit, NormalFeaturesConfig& config) {
  visit.value({"feature_dimension", "length of a feature, at least `dimension`", between(1, 1e4)},
              &config.feature_dimension);
}

void describe_one(FieldVisitor& visit, SignalFeaturesConfig& config) {
  visit.value({.name = "signals",
               .help = "signals that make up a feature",
               .presence = Presence::kRequired},
              &config.signals);
}

void describe_one(FieldVisitor& visit, DriftConfig& config) {
  visit.value({"dimension", "rows of the feature map W", between(1, 1e4)}, &config.dimension);
  visit.value({"smoothing", "b > 0 smooths the least eigenvalue; 0 does not", kNonnegative},
              &config.smoothing);
  describe_kinds(visit, {"features", "features of states and actions"}, config.features, kFeatures,
                 [](auto& inner, auto& one) { describe_one(inner, one); });
}

void describe_one(FieldVisitor& visit, VarianceConfig& config) {
  describe_weighted(visit, config.signals, config.weights);
  visit.value({"aversion", "price of the variance of the reward", kNonnegative}, &config.aversion);
}

void describe_one(FieldVisitor& visit, SumConfig& config) {
  describe_list(visit,
                {.name = "parts",
                 .help = "list of utilities, each with the keys of [utility] and `weight`",
                 .presence = Presence::kRequired},
                config.parts, [](FieldVisitor& inner, SumPart& part) {
                  inner.value({"weight", "factor of this part", kNonnegative}, &part.weight);
                  describe(inner, part.utility);
                });
}

}  // namespace

void describe(FieldVisitor& visit, UtilityConfig& config) {
  describe_kinds(visit,
                 {.name = "type", .help = "what is optimised", .presence = Presence::kRequired},
                 config.kind, kUtilities, [](auto& inner, auto& one) { describe_one(inner, one); });
  visit.value({"regularization", "mu of -(mu/2) |xi - nominal|^2; 0: none", kNonnegative},
              &config.regularization);
}

}  // namespace rgu
