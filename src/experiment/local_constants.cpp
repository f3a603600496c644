#include "rgu/experiment/local_constants.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/experiment/stored_run.hpp"
#include "rgu/experiment/theory_numbers.hpp"
#include "rgu/experiment/theory_schedule.hpp"
#include "rgu/gradient/exact_oracle.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/solver/state_file.hpp"

namespace rgu {
namespace {

constexpr double kDifference = 1e-5;  // of points, for a direction of length 1
constexpr double kTolerance = 1e-6;   // relative change of a norm that ends the power iteration
constexpr int kMostSteps = 300;

using Linear = std::function<Vector(const Vector&)>;

// |M| by power iteration on M'M.
double operator_norm(const Linear& map, const Linear& adjoint, Index columns, Rng& rng) {
  if (columns == 0) return 0;
  Vector v = normal_vector(columns, rng).normalized();
  double norm = 0;
  for (int i = 0; i < kMostSteps; ++i) {
    const Vector image = map(v);
    const double last = norm;
    norm = image.norm();
    if (std::isnan(norm)) return norm;
    const Vector next = adjoint(image);
    const double length = next.norm();
    if (length == 0 || std::abs(norm - last) <= kTolerance * norm) return norm;
    v = next / length;
  }
  return norm;
}

// The Hessian of f at a point, theta first, by its products with vectors.
class Hessian {
 public:
  Hessian(const Instance& instance, const SaddlePoint& at)
      : oracle_(instance.world.mdp, *instance.policy, *instance.utility), at_(at) {}

  Index policy() const { return at_.policy.size(); }
  Index nature() const { return at_.nature.size(); }

  Vector times(const Vector& v) const {
    return (gradient(kDifference * v) - gradient(-kDifference * v)) / (2 * kDifference);
  }

  // A block: `to` rows of the product with a vector that is 0 but for its `from` part.
  enum class Part { kPolicy, kNature };
  Linear block(Part to, Part from) const {
    return [this, to, from](const Vector& v) {
      Vector whole = Vector::Zero(policy() + nature());
      part(whole, from) = v;
      Vector product = times(whole);
      return Vector(part(product, to));
    };
  }

 private:
  // NaN where f is not defined, as a KL target with a mass below 0.
  Vector gradient(const Vector& offset) const {
    Vector whole(policy() + nature());
    try {
      const SaddleGradient g = oracle_.gradient({.policy = at_.policy + offset.head(policy()),
                                                 .nature = at_.nature + offset.tail(nature())});
      whole << g.policy, g.nature;
    } catch (const InvalidInput&) {
      whole.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    return whole;
  }

  Eigen::Ref<Vector> part(Vector& whole, Part which) const {
    if (which == Part::kPolicy) return whole.head(policy());
    return whole.tail(nature());
  }

  ExactOracle oracle_;
  const SaddlePoint& at_;
};

}  // namespace

// With H = [[A, B], [B', C]] the Hessian of f and c the scale of the policy gradient, the Jacobian
// of F is J = diag(c, -1) H, so that |J v| = |diag(c, 1) H v|.
LocalConstants local_constants(const Instance& instance, const SaddlePoint& at, ConstantScale scale,
                               std::uint64_t seed) {
  check_size("theta", at.policy.size(), instance.parameters->dimension());
  check_size("xi", at.nature.size(), instance.ambiguity->dimension());
  using enum Hessian::Part;
  const Hessian hessian(instance, at);
  const double c = scale == ConstantScale::kPaper ? 1 / (1 - instance.world.mdp.discount()) : 1;
  const auto scaled = [&](Vector v) {
    v.head(hessian.policy()) *= c;
    return v;
  };
  Rng rng(seed);
  const auto norm = [&](Hessian::Part to, Hessian::Part from) {
    const Index columns = from == kPolicy ? hessian.policy() : hessian.nature();
    return operator_norm(hessian.block(to, from), hessian.block(from, to), columns, rng);
  };
  const double cross = norm(kPolicy, kNature);
  const double own = norm(kPolicy, kPolicy);
  const double nature = norm(kNature, kNature);
  const double field = operator_norm([&](const Vector& v) { return scaled(hessian.times(v)); },
                                     [&](const Vector& w) { return hessian.times(scaled(w)); },
                                     hessian.policy() + hessian.nature(), rng);
  return {.policy_policy = c * own,
          .policy_nature = c * cross,
          .nature_policy = cross,
          .nature_nature = nature,
          .field = field};
}

std::vector<LocalPoint> local_constants_of_run(const ProblemConfig& config,
                                               const RunFolder& folder) {
  const ConstantScale scale = constant_scale(config.gradient.policy_gradient);
  std::vector<LocalPoint> out;
  for (const std::uint64_t seed : seeds_with_policy(folder, config)) {
    const Instance instance = make_instance(config, seed);
    if (is_over_occupancies(resolved(config, instance))) continue;
    const auto text = read_checkpoint(folder.seed(seed));
    check(text.has_value(), "{} has no checkpoint that is whole", folder.seed(seed).string());
    const SolverState state = parse_state(member(parse_json(*text), "state").dump());
    out.push_back({.seed = seed,
                   .point = "last iterate",
                   .constants = local_constants(instance, state.point, scale, seed)});
    out.push_back({.seed = seed,
                   .point = "drawn iterate",
                   .constants = local_constants(instance, state.drawn, scale, seed)});
  }
  return out;
}

}  // namespace rgu
