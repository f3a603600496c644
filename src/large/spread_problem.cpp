#include "rgu/large/spread_problem.hpp"

#include "rgu/base/check.hpp"
#include "rgu/base/together.hpp"
#include "rgu/experiment/demonstrations.hpp"
#include "rgu/experiment/in_table.hpp"
#include "rgu/experiment/instance.hpp"
#include "rgu/experiment/instance_ambiguity.hpp"
#include "rgu/experiment/model_slice.hpp"
#include "rgu/mdp/world.hpp"

namespace rgu {
namespace {

// |xi - centre|_p <= radius, where the set is one around the nominal xi.
struct Ball {
  double radius = 0;
  double p = 2;
};

struct BallOf {
  Ball operator()(const SingletonConfig&) const { return {}; }
  Ball operator()(const LpBallConfig& set) const { return {.radius = set.radius, .p = set.p}; }
  Ball operator()(const FrobeniusConfig& set) const { return {.radius = set.radius}; }
  Ball operator()(const BoxConfig& set) const {
    check(set.radius.has_value(), "a box of a spread model has a 'radius', not two ends");
    return {.radius = *set.radius, .p = kInfinity};
  }
  template <class Other>
  Ball operator()(const Other&) const {
    throw InvalidInput(
        "for this utility the set of a spread model is singleton, lp-ball, box or frobenius");
  }
};

Ball ball_of(const AmbiguityConfig& config) {
  return in_table("ambiguity", [&] {
    check(config.centre.empty(), "a spread model has no 'centre' but the nominal one");
    return std::visit(BallOf{}, config.kind);
  });
}

// The radius of a ball of maps in which perturbations of rank one are Frobenius-bounded.
double map_radius(const AmbiguityConfig& config) {
  if (const auto* spectral = std::get_if<SpectralConfig>(&config.kind)) return spectral->radius;
  const Ball ball = ball_of(config);
  check(ball.radius == 0 || ball.p == 2,
        "ambiguity: for drift the set of a spread model is frobenius, spectral or an l2 ball");
  return ball.radius;
}

class UtilityMaker {
 public:
  UtilityMaker(const ProblemConfig& config, std::uint64_t seed, const SpreadModel& model)
      : config_(config), seed_(seed), model_(model), ranks_(model.ranks()) {}

  using Made = std::unique_ptr<SpreadUtility>;

  Made operator()(const RewardConfig& config) const {
    return spread_reward({.centre = signal_named(model_, config.signal)}, ranks_);
  }
  Made operator()(const RewardRobustConfig& config) const {
    const Ball ball = ball_of(config_.ambiguity);
    return spread_reward(
        {.centre = signal_named(model_, config.signal), .radius = ball.radius, .p = ball.p},
        ranks_);
  }
  Made operator()(const FeatureRewardConfig& config) const {
    SpreadCosts costs{.objective = Matrix::Zero(model_.own().size(), model_.actions())};
    for (const std::string& name : config.signals) {
      costs.constraints.push_back(-signal_named(model_, name));
    }
    costs.thresholds = Vector::Zero(std::ssize(config.signals));
    const Vector weights =
        Eigen::Map<const Vector>(config.weights.data(), std::ssize(config.weights));
    return constrained(std::move(costs), weights);
  }
  Made operator()(const ConstrainedConfig& config) const {
    const std::string objective = config.cost ? *config.cost : config.signal.value_or("reward");
    SpreadCosts costs{.objective = (config.cost ? 1.0 : -1.0) * signal_named(model_, objective),
                      .constraints = {},
                      .thresholds = Vector(std::ssize(config.constraints))};
    for (const ConstraintConfig& limit : config.constraints) {
      const double side = limit.at_most ? 1 : -1;
      costs.thresholds(std::ssize(costs.constraints)) =
          side * (limit.at_most ? *limit.at_most : limit.at_least.value());
      costs.constraints.push_back(side * signal_named(model_, limit.signal));
    }
    const Index count = costs.thresholds.size();
    return constrained(std::move(costs), Vector::Zero(count));
  }
  Made operator()(const EntropyConfig& config) const {
    return spread_entropy({.over = config.over, .delta = config.delta}, ranks_);
  }
  Made operator()(const QuadraticTargetConfig& config) const {
    const Ball ball = ball_of(config_.ambiguity);
    return spread_quadratic_target(
        {.centre = target(config.demonstrations), .radius = ball.radius, .p = ball.p}, ranks_);
  }
  Made operator()(const KlTargetConfig& config) const {
    const Ball ball = ball_of(config_.ambiguity);
    check(ball.radius == 0 || ball.p == kInfinity,
          "ambiguity: for kl-target the set of a spread model is a box or singleton");
    return spread_divergence({.target = marginal(config.over, target(config.demonstrations)),
                              .radius = ball.radius,
                              .masses = {.over = config.over, .delta = config.delta}},
                             ranks_);
  }
  Made operator()(const DriftConfig& config) const {
    check(config.smoothing == 0, "utility: drift on a spread model has no smoothing");
    Matrix features =
        std::visit([&](const auto& kind) { return own_features(kind); }, config.features);
    const Index columns = features.cols();
    check(config.dimension <= columns,
          "utility: dimension d of the drift is {}, must be at most the feature dimension {}",
          config.dimension, columns);
    return spread_drift({.features = std::move(features),
                         .centre = Matrix::Identity(config.dimension, columns),
                         .radius = map_radius(config_.ambiguity)},
                        ranks_);
  }
  template <class Other>
  Made operator()(const Other&) const {
    throw InvalidInput(
        "utility: a spread model takes reward, reward-robust, feature-reward, constrained, "
        "entropy, "
        "quadratic-target, kl-target and drift");
  }

 private:
  Made constrained(SpreadCosts costs, const Vector& nominal) const {
    const Nature nature{.nominal = nominal, .rows = nominal.size(), .parts = {}};
    std::shared_ptr<const ConvexSet> set =
        in_table("ambiguity", [&] { return make_set(config_.ambiguity, nature).set; });
    return spread_constrained(std::move(costs), std::move(set), ranks_);
  }

  // The draws of made_features in instance_utility.cpp that belong to the own rows: two words each.
  Matrix own_features(const NormalFeaturesConfig& config) const {
    const Index columns = config.feature_dimension;
    Matrix features(model_.own().size() * model_.actions(), columns);
    Rng rng(Rng::State{.seed = config_.model.seed.value_or(seed_),
                       .stream = kFeatureStream,
                       .position = 2 * static_cast<std::uint64_t>(model_.own().first *
                                                                  model_.actions() * columns)});
    for (double& x : features.reshaped<Eigen::RowMajor>()) x = rng.normal();
    return features;
  }
  Matrix own_features(const SignalFeaturesConfig& config) const {
    Matrix features(model_.own().size() * model_.actions(), std::ssize(config.signals));
    for (Index k = 0; k < features.cols(); ++k) {
      features.col(k) = flatten(signal_named(model_, config.signals[static_cast<std::size_t>(k)]));
    }
    return features;
  }

  Matrix target(const DemonstrationsConfig& config) const {
    check(config.file.has_value(),
          "utility: a spread model takes demonstrations from a file, not from an expert");
    const std::string text = read_text(*config.file);
    const Matrix whole = parse_demonstrations(
        {.file = config.file->native(), .text = text},
        {.states = model_.states(), .actions = model_.actions(), .discount = model_.discount()});
    return whole.middleRows(model_.own().first, model_.own().size());
  }

  const ProblemConfig& config_;
  std::uint64_t seed_;
  const SpreadModel& model_;
  Ranks& ranks_;
};

}  // namespace

SpreadProblem make_spread_problem(const ProblemConfig& config, std::uint64_t seed, Ranks& ranks) {
  WorldSlice slice = together(ranks, [&] {
    return in_table("model", [&] {
      const ModelSize size = model_size(config.model, seed);
      return make_slice(config.model, seed, own_states(size.states, ranks));
    });
  });
  SpreadProblem problem;
  problem.model = std::make_unique<SpreadModel>(std::move(slice), ranks);
  problem.utility = together(ranks, [&] {
    check(config.utility.regularization == 0,
          "utility: a spread model has no regularization, and here it is {}",
          config.utility.regularization);
    return std::visit(UtilityMaker(config, seed, *problem.model), config.utility.kind);
  });
  return problem;
}

}  // namespace rgu
