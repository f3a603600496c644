#include "rgu/global/convexity_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/planning.hpp"
#include "rgu/robustness/members.hpp"
#include "rgu/utility/function.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/sum.hpp"

namespace rgu {
namespace {

constexpr double kOfNumbers = 1e-7;  // single precision passes
constexpr double kOfChange = 1e-6;
constexpr std::ptrdiff_t kNamed = 4;  // entries in a message

std::vector<Matrix> some_occupancies(const FiniteMdp& mdp, Rng& rng) {
  const Index states = mdp.states(), actions = mdp.actions();
  std::vector<Matrix> policies = {uniform_policy(states, actions)};
  for (int k = 0; k < 2; ++k) {
    Matrix pi = Matrix::NullaryExpr(states, actions, [&] { return rng.exponential(); });
    pi = pi.array().colwise() / pi.rowwise().sum().array();
    policies.push_back(std::move(pi));
  }
  std::vector<Index> action(static_cast<std::size_t>(states));
  for (int k = 0; k < 3; ++k) {
    for (Index& a : action) a = static_cast<Index>(rng.below(static_cast<std::uint64_t>(actions)));
    policies.push_back(deterministic_policy(action, actions));
  }
  std::vector<Matrix> occupancies;
  for (const Matrix& pi : policies) occupancies.push_back(occupancy(mdp, pi));
  return occupancies;
}

// What the rounding of f is in proportion to. Occupancies sum to 1.
double numbers_of(const UtilityGradient& f, const Vector& nature) {
  return std::abs(f.value) + f.occupancy.cwiseAbs().maxCoeff() + f.nature.norm() * nature.norm();
}

bool is_finite(const UtilityGradient& f) {
  return std::isfinite(f.value) && f.occupancy.allFinite() && f.nature.allFinite();
}

class Chords {
 public:
  Chords(const Utility& utility, const std::vector<Matrix>& ends, const Vector& nature)
      : utility_(utility), ends_(ends), nature_(nature) {
    for (const Matrix& end : ends) values_.push_back(utility.evaluate(end, nature));
  }

  std::optional<ConvexityViolation> violation(std::size_t i, std::size_t j, double share) const {
    const UtilityGradient& a = values_[i];
    const UtilityGradient& b = values_[j];
    const UtilityGradient between =
        utility_.evaluate((1 - share) * ends_[i] + share * ends_[j], nature_);
    if (!is_finite(a) || !is_finite(b) || !is_finite(between)) return std::nullopt;
    ConvexityViolation found{.first = ends_[i],
                             .second = ends_[j],
                             .share = share,
                             .nature = nature_,
                             .at_first = a.value,
                             .at_second = b.value,
                             .at_point = between.value};
    const auto [least, most] = std::minmax({a.value, b.value, between.value});
    const double numbers =
        std::max({numbers_of(a, nature_), numbers_of(b, nature_), numbers_of(between, nature_)});
    const double allowed = kOfNumbers * numbers + kOfChange * (most - least);
    if (!(found.at_point - found.chord() > allowed)) return std::nullopt;
    return found;
  }

 private:
  const Utility& utility_;
  const std::vector<Matrix>& ends_;
  const Vector& nature_;
  std::vector<UtilityGradient> values_;
};

std::string named(const Vector& nature) {
  if (nature.size() == 0) return "";
  const Vector shown = nature.head(std::min<Index>(nature.size(), kNamed));
  return fmt::format(" at xi = [{:.6g}{}]", fmt::join(shown.begin(), shown.end(), ", "),
                     shown.size() < nature.size() ? ", .." : "");
}

// The largest entries of an occupancy, as "0.5 at (s=3, a=1), ..".
std::string largest_entries(const Matrix& occupancy) {
  std::vector<Index> order(static_cast<std::size_t>(occupancy.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto count = std::min(kNamed, std::ssize(order));
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](Index i, Index j) { return occupancy.data()[i] > occupancy.data()[j]; });
  std::string text;
  for (auto at = order.begin(); at != order.begin() + count; ++at) {
    const double mass = occupancy.data()[*at];
    if (mass <= 0) break;
    text += fmt::format("{}{:.4g} at (s={}, a={})", text.empty() ? "" : ", ", mass,
                        *at / occupancy.cols(), *at % occupancy.cols());
  }
  return text + (count < std::ssize(order) ? ", .." : "");
}

}  // namespace

bool is_declared(const Utility& utility) {
  if (const auto* sum = dynamic_cast<const Sum*>(&utility)) {
    return std::any_of(sum->parts().begin(), sum->parts().end(),
                       [](const WeightedUtility& part) { return is_declared(*part.utility); });
  }
  if (const auto* regularized = dynamic_cast<const NatureRegularized*>(&utility)) {
    return is_declared(regularized->inner());
  }
  return dynamic_cast<const DeclaredUtility*>(&utility) != nullptr;
}

std::optional<ConvexityViolation> find_convexity_violation(const FiniteMdp& mdp,
                                                           const Utility& utility,
                                                           const ConvexSet& ambiguity,
                                                           std::uint64_t seed) {
  check_size("states of the utility", utility.states(), mdp.states());
  check_size("actions of the utility", utility.actions(), mdp.actions());
  check_size("dimension of the ambiguity set", ambiguity.dimension(), utility.nature_dimension());
  if (mdp.actions() == 1) return std::nullopt;  // there is one occupancy
  Rng rng(seed);
  const std::vector<Matrix> ends = some_occupancies(mdp, rng);
  const std::vector<Vector> natures = {centre_of(ambiguity), random_member(ambiguity, rng),
                                       random_member(ambiguity, rng)};
  std::vector<Chords> chords;
  for (const Vector& nature : natures) chords.emplace_back(utility, ends, nature);
  std::size_t turn = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (std::size_t j = i + 1; j < ends.size(); ++j, ++turn) {
      for (const double share : {0.5, 0.25}) {
        if (auto found = chords[turn % chords.size()].violation(i, j, share)) return found;
      }
    }
  }
  return std::nullopt;
}

void check_convexity(const FiniteMdp& mdp, const Utility& utility, const ConvexSet& ambiguity) {
  const std::optional<ConvexityViolation> found = find_convexity_violation(mdp, utility, ambiguity);
  if (!found) return;
  const bool middle = found->share == 0.5;
  throw InvalidInput(fmt::format(
      "the utility was declared convex in the occupancy, but it is not:{} f({}) = {:.6g} exceeds "
      "{} = {:.6g}, where occupancy a has {}, and occupancy b has {}",
      named(found->nature), middle ? "(a+b)/2" : "(3a+b)/4", found->at_point,
      middle ? "(f(a)+f(b))/2" : "(3f(a)+f(b))/4", found->chord(), largest_entries(found->first),
      largest_entries(found->second)));
}

void check_above_tangent(const Utility& utility, const Vector& nature, const Matrix& touching,
                         const Matrix& other) {
  const UtilityGradient at = utility.evaluate(touching, nature);
  const UtilityGradient there = utility.evaluate(other, nature);
  if (!is_finite(at) || !is_finite(there)) return;
  const double rise = at.occupancy.cwiseProduct(other - touching).sum();
  const double tangent = at.value + rise;
  const double numbers = std::max(numbers_of(at, nature), numbers_of(there, nature));
  const double change = std::max(std::abs(rise), std::abs(there.value - at.value));
  if (tangent - there.value <= kOfNumbers * numbers + kOfChange * change) return;
  throw InvalidInput(fmt::format(
      "the utility was declared convex in the occupancy, but it is not, or its gradient is "
      "wrong:{} f(b) = {:.6g} is below its tangent at a, f(a) + <gradient, b - a> = {:.6g}, where "
      "occupancy a has {}, and occupancy b has {}",
      named(nature), there.value, tangent, largest_entries(touching), largest_entries(other)));
}

}  // namespace rgu
