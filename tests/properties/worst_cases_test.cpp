// Worst cases: no member of the set does worse than an exact or certified answer says.
#include <cmath>

#include "laws/problems.hpp"
#include "properties/drawn.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/robustness/members.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {
namespace {

enum class Around { kL2, kL1, kMax, kL3, kEllipsoid };

void showValue(Around kind, std::ostream& out) { out << "set " << static_cast<int>(kind); }

std::shared_ptr<const ConvexSet> set_around(Around kind, const Vector& centre, double radius) {
  const auto ball = [&](double p) {
    return std::make_shared<LpBall>(LpBallShape{.centre = centre, .radius = radius, .p = p});
  };
  switch (kind) {
    case Around::kL2:
      return ball(2);
    case Around::kL1:
      return ball(1);
    case Around::kMax:
      return ball(kInfinity);
    case Around::kL3:
      return ball(3);
    case Around::kEllipsoid:
      break;
  }
  const Vector weights = Vector::LinSpaced(centre.size(), 0.1, 10);
  return std::make_shared<Ellipsoid>(
      WeightedBall{.centre = centre, .weights = weights, .radius = radius});
}

// A target must stay above -delta.
double largest_radius(const Utility& utility, double radius) {
  return dynamic_cast<const KlTarget*>(&utility) != nullptr ? std::min(radius, 1e-3) : radius;
}

struct Attacked {
  explicit Attacked(const drawn::Model& drawn) : rng(drawn.seed, 1) {
    const FiniteMdp mdp = made(drawn);
    const auto all = every_utility(mdp.states(), mdp.actions(), drawn.seed);
    const auto& [name, chosen] = all[*rc::gen::inRange<std::size_t>(0, all.size())];
    RC_LOG() << "utility " << name << '\n';
    utility = chosen;
    RC_PRE(utility->nature_dimension() > 0);
    lambda = occupancy(mdp, drawn::policy_of(mdp, rng));
    const Vector centre = normal_vector(utility->nature_dimension(), rng).cwiseAbs().array() + 0.1;
    using enum Around;
    set = set_around(*rc::gen::element(kL2, kL1, kMax, kL3, kEllipsoid), centre,
                     largest_radius(*utility, *drawn::radii()));
  }

  Rng rng;
  std::shared_ptr<const Utility> utility;
  std::shared_ptr<const ConvexSet> set;
  Matrix lambda;
};

// The accuracy that exact answers promise, relative to what f is there, and what rounding may do to
// the numbers that f is made of anywhere on the set.
double slack_of(const Attacked& at, const WorstCase& worst) {
  const UtilityGradient f = at.utility->evaluate(at.lambda, worst.nature);
  const double size =
      std::abs(f.value) + f.nature.norm() * (worst.nature.norm() + at.set->diameter());
  const double reach = norm_bound(*at.set);
  return 2e-9 * size + 1000 * kEps * at.utility->constants(reach).nature_gradient * reach;
}

RC_GTEST_PROP(WorstCaseProperties, NoMemberDoesWorse, (const drawn::Model& drawn)) {
  Attacked at(drawn);
  const WorstCase worst =
      worst_case(*at.utility, *at.set, at.lambda, {.iterations = 200, .starts = 3});
  RC_LOG() << worst.method << ", value " << worst.value << ", gap " << worst.gap << ", diameter "
           << at.set->diameter() << '\n';
  RC_ASSERT(std::isfinite(worst.value));
  RC_ASSERT(worst.value == at.utility->evaluate(at.lambda, worst.nature).value);
  RC_ASSERT(distance(*at.set, worst.nature) <=
            1e-9 * at.set->diameter() + 1000 * kEps * worst.nature.norm());
  RC_ASSERT((worst.kind == AnswerKind::kExact) <= (worst.gap == 0));
  const double slack = slack_of(at, worst);
  for (int k = 0; k < 30; ++k) {
    const Vector member = random_member(*at.set, at.rng);
    const double value = at.utility->evaluate(at.lambda, member).value;
    if (worst.kind != AnswerKind::kBestFound) RC_ASSERT(value <= worst.value + worst.gap + slack);
  }
  // The centre is a start of every search.
  const Vector centre = centre_of(*at.set);
  RC_ASSERT(at.utility->evaluate(at.lambda, centre).value <= worst.value + worst.gap + slack);
}

}  // namespace
}  // namespace rgu
