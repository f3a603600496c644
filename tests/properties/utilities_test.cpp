// Gradients and declared shapes of every utility, at occupancies of random models: masses of 0 and
// of 1e-300 among them.
#include <cmath>

#include "laws/problems.hpp"
#include "properties/drawn.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {
namespace {

// One of the utilities, two occupancies and two xi.
struct Pair {
  explicit Pair(const drawn::Model& drawn) : rng(drawn.seed, 1) {
    const FiniteMdp mdp = made(drawn);
    const auto all = every_utility(mdp.states(), mdp.actions(), drawn.seed);
    utility = all[*rc::gen::inRange<std::size_t>(0, all.size())].utility;
    lambda = occupancy(mdp, drawn::policy_of(mdp, rng));
    other_lambda = occupancy(mdp, drawn::policy_of(mdp, rng));
    const double size = *rc::gen::element(1.0, 1e-12, 1e6);
    xi = positive(size);
    other_xi = positive(size);
  }

  Vector positive(double size) {
    return size * (normal_vector(utility->nature_dimension(), rng).cwiseAbs().array() + 0.1);
  }
  // Plain eigenvalues have kinks; where Drift is differentiable its own tests look.
  bool is_smooth() const { return dynamic_cast<const Drift*>(utility.get()) == nullptr; }
  double change(const UtilityGradient& at) const {
    return at.occupancy.cwiseProduct(other_lambda - lambda).sum();
  }

  Rng rng;
  std::shared_ptr<const Utility> utility;
  Matrix lambda, other_lambda;
  Vector xi, other_xi;
};

// What rounding may do to f and to <gradient, difference>.
double slack(const UtilityGradient& a, const UtilityGradient& b) {
  const double size = std::abs(a.value) + std::abs(b.value) + a.occupancy.cwiseAbs().maxCoeff() +
                      b.occupancy.cwiseAbs().maxCoeff();
  return 1e4 * kEps * size;
}

RC_GTEST_PROP(UtilityProperties, ConvexOnesLieAboveTheirTangents, (const drawn::Model& drawn)) {
  const Pair at(drawn);
  RC_PRE(at.utility->traits().convex_in_occupancy);
  const UtilityGradient here = at.utility->evaluate(at.lambda, at.xi);
  const UtilityGradient there = at.utility->evaluate(at.other_lambda, at.xi);
  RC_ASSERT(std::isfinite(here.value));
  RC_ASSERT(here.occupancy.allFinite());
  RC_ASSERT(there.value >= here.value + at.change(here) - slack(here, there));
}

RC_GTEST_PROP(UtilityProperties, ConcaveOnesLieBelowTheirTangentsInXi,
              (const drawn::Model& drawn)) {
  const Pair at(drawn);
  const UtilityTraits traits = at.utility->traits();
  RC_PRE(traits.nature != NatureShape::kNonconcave);
  RC_PRE(traits.nature != NatureShape::kNone);
  const UtilityGradient here = at.utility->evaluate(at.lambda, at.xi);
  const UtilityGradient there = at.utility->evaluate(at.lambda, at.other_xi);
  const Vector move = at.other_xi - at.xi;
  const double tangent =
      here.value + here.nature.dot(move) - 0.5 * traits.strong_concavity * move.squaredNorm();
  const double rounding = slack(here, there) + 1e4 * kEps * here.nature.norm() * at.xi.norm();
  RC_ASSERT(there.value <= tangent + rounding);
  if (traits.nature == NatureShape::kLinear) RC_ASSERT(there.value >= tangent - rounding);
}

// Along a segment of Lambda, from its middle. The third derivative of each is below 1e8 there: that
// of the logarithms, whose delta is 1e-3, at no mass.
RC_GTEST_PROP(UtilityProperties, GradientInTheOccupancyIsTheDerivative,
              (const drawn::Model& drawn)) {
  const Pair at(drawn);
  RC_PRE(at.is_smooth());
  const Matrix middle = 0.5 * (at.lambda + at.other_lambda);
  const Matrix half = 0.5 * (at.other_lambda - at.lambda);
  const double h = 1e-5;
  const UtilityGradient here = at.utility->evaluate(middle, at.xi);
  const UtilityGradient after = at.utility->evaluate(middle + h * half, at.xi);
  const UtilityGradient before = at.utility->evaluate(middle - h * half, at.xi);
  const double quotient = (after.value - before.value) / (2 * h);
  const double rounding = slack(after, before) / h;
  const double scale = 1 + here.occupancy.cwiseAbs().maxCoeff();
  RC_ASSERT(std::abs(quotient - here.occupancy.cwiseProduct(half).sum()) <=
            1e-3 * scale * half.lpNorm<1>() + rounding);
}

RC_GTEST_PROP(UtilityProperties, GradientInXiIsTheDerivative, (const drawn::Model& drawn)) {
  const Pair at(drawn);
  RC_PRE(at.utility->nature_dimension() > 0);
  RC_PRE(at.is_smooth());
  const double h = 1e-5;
  const Vector half = 0.5 * (at.other_xi - at.xi);
  const Vector middle = 0.5 * (at.other_xi + at.xi);
  const UtilityGradient here = at.utility->evaluate(at.lambda, middle);
  const UtilityGradient after = at.utility->evaluate(at.lambda, middle + h * half);
  const UtilityGradient before = at.utility->evaluate(at.lambda, middle - h * half);
  const double quotient = (after.value - before.value) / (2 * h);
  RC_ASSERT(std::abs(quotient - here.nature.dot(half)) <=
            1e-3 * here.nature.norm() * half.norm() + slack(after, before) / h);
}

}  // namespace
}  // namespace rgu
