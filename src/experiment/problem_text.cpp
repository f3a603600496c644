#include "rgu/experiment/problem_text.hpp"

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/mdp/io/written_world.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/target.hpp"
#include "rgu/utility/variance.hpp"

namespace rgu {
namespace {

// The T that `object` is, or null.
template <class T, class Base>
const T* as(const Base& object) {
  return dynamic_cast<const T*>(&object);
}

const char* name_of(Marginal over) {
  return over == Marginal::kStates ? "states" : "state-actions";
}

Json plain(const FiniteMdp& mdp) {
  Json offsets = Json::array();
  Json next = Json::array();
  Json probability = Json::array();
  for_each_transition(mdp, [&](Index state, Index action, Index to, double p) {
    const auto row = static_cast<std::size_t>(state * mdp.actions() + action);
    while (offsets.size() <= row) offsets.push_back(next.size());
    next.push_back(to);
    probability.push_back(to_json(p));
  });
  offsets.push_back(next.size());
  return {{"states", mdp.states()},        {"actions", mdp.actions()}, {"discount", mdp.discount()},
          {"start", to_json(mdp.start())}, {"offsets", offsets},       {"next", next},
          {"probability", probability}};
}

Json plain(const Utility& utility) {
  if (const auto* u = as<LinearReward>(utility)) {
    return {{"type", "reward"}, {"reward", to_json(u->reward())}};
  }
  if (as<RewardRobust>(utility) != nullptr) return {{"type", "reward-robust"}};
  if (const auto* u = as<FeatureRewardRobust>(utility)) {
    return {{"type", "feature-reward"}, {"features", to_json(u->features().table)}};
  }
  if (const auto* u = as<Constrained>(utility)) {
    return {{"type", "constrained"},
            {"objective", to_json(u->objective())},
            {"constraints", to_json(u->constraints().table)},
            {"thresholds", to_json(u->thresholds())}};
  }
  if (const auto* u = as<Entropy>(utility)) {
    return {{"type", "entropy"}, {"over", name_of(u->over())}, {"delta", u->delta()}};
  }
  if (const auto* u = as<KlTarget>(utility)) {
    return {{"type", "kl-target"}, {"over", name_of(u->over())}, {"delta", u->delta()}};
  }
  if (as<QuadraticTarget>(utility) != nullptr) return {{"type", "quadratic-target"}};
  if (const auto* u = as<Drift>(utility)) {
    return {{"type", "drift"},
            {"dimension", u->dimension()},
            {"smoothing", u->smoothing()},
            {"features", to_json(u->features())}};
  }
  if (const auto* u = as<Variance>(utility)) {
    return {{"type", "variance"},
            {"aversion", u->aversion()},
            {"features", to_json(u->features().table)}};
  }
  if (const auto* u = as<NatureRegularized>(utility)) {
    Json inner = plain(u->inner());
    if (inner.is_null()) return inner;
    return {{"type", "regularized"},
            {"modulus", u->regularization().modulus},
            {"centre", to_json(u->regularization().centre)},
            {"utility", std::move(inner)}};
  }
  const auto* sum = as<Sum>(utility);
  if (sum == nullptr) return nullptr;
  Json parts = Json::array();
  for (const WeightedUtility& part : sum->parts()) {
    Json inner = plain(*part.utility);
    if (inner.is_null()) return inner;
    parts.push_back({{"weight", part.weight},
                     {"dimension", part.utility->nature_dimension()},
                     {"utility", std::move(inner)}});
  }
  return {{"type", "sum"}, {"parts", std::move(parts)}};
}

Json plain(const ConvexSet& set);

Json plain(const SetParts& sets) {
  Json parts = Json::array();
  for (const auto& part : sets) {
    Json inner = plain(*part);
    if (inner.is_null()) return inner;
    inner["dimension"] = part->dimension();
    parts.push_back(std::move(inner));
  }
  return parts;
}

Json plain(const ConvexSet& set) {
  if (const auto* s = as<Singleton>(set)) {
    return {{"set", "singleton"}, {"centre", to_json(s->point())}};
  }
  if (const auto* s = as<LpBall>(set)) {
    return {{"set", "lp-ball"},
            {"p", to_json(s->p())},
            {"radius", s->radius()},
            {"centre", to_json(s->centre())}};
  }
  if (const auto* s = as<Ellipsoid>(set)) {
    Json json = {{"set", "ellipsoid"},
                 {"radius", s->radius()},
                 {"weights", to_json(s->weights())},
                 {"centre", to_json(s->centre())}};
    if (s->axes().size() > 0) json["axes"] = to_json(s->axes());
    return json;
  }
  if (const auto* s = as<Box>(set)) {
    return {{"set", "box"}, {"lower", to_json(s->lower())}, {"upper", to_json(s->upper())}};
  }
  if (const auto* s = as<CappedOrthant>(set)) {
    return {{"set", "capped-orthant"}, {"total", s->total()}};
  }
  if (as<ProbabilitySimplex>(set) != nullptr) return {{"set", "simplex"}};
  if (const auto* s = as<FrobeniusBall>(set)) {
    return {{"set", "frobenius"}, {"radius", s->radius()}, {"centre", to_json(s->centre())}};
  }
  if (const auto* s = as<SpectralBall>(set)) {
    return {{"set", "spectral"}, {"radius", s->radius()}, {"centre", to_json(s->centre())}};
  }
  if (const auto* s = as<Polytope>(set)) {
    return {{"set", "polytope"},
            {"normals", to_json(s->normals())},
            {"offsets", to_json(s->offsets())}};
  }
  Json json;
  Json parts;
  if (const auto* s = as<ProductSet>(set)) {
    json["set"] = "product";
    parts = plain(s->parts());
  } else if (const auto* both = as<IntersectionSet>(set)) {
    json["set"] = "intersection";
    parts = plain(both->parts());
  }
  if (parts.is_null()) return nullptr;
  json["parts"] = std::move(parts);
  return json;
}

Index numbers_in(const Json& json) {
  if (!json.is_structured()) return 1;
  Index count = 0;
  for (const Json& entry : json) count += numbers_in(entry);
  return count;
}

}  // namespace

std::string problem_text(const Instance& instance, Index limit) {
  // Before anything is made of a kernel that is too large.
  Index transitions = 0;
  for_each_transition(instance.world.mdp, [&](Index, Index, Index, double) { ++transitions; });
  if (2 * transitions > limit) return {};
  Json json = {{"utility", plain(*instance.utility)}, {"ambiguity", plain(*instance.ambiguity)}};
  if (json["utility"].is_null() || json["ambiguity"].is_null()) return {};
  if (numbers_in(json) > limit) return {};
  json["model"] = plain(instance.world.mdp);
  return numbers_in(json) > limit ? std::string() : json.dump() + '\n';
}

}  // namespace rgu
