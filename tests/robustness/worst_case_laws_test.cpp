// What every answer must satisfy, whichever rule gave it.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/robustness/rules.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/target.hpp"
#include "rgu/utility/variance.hpp"
#include "robustness/helpers.hpp"

namespace rgu {
namespace {

constexpr OccupancyShape kShape{.states = 3, .actions = 2};
constexpr Index kPairs = 6;

using UtilityPointer = std::shared_ptr<const Utility>;
using SetPointer = std::shared_ptr<const ConvexSet>;

struct LawCase {
  std::string name;
  UtilityPointer utility;
  SetPointer set;
  AnswerKind kind;
};
void PrintTo(const LawCase& example, std::ostream* out) { *out << example.name; }

template <class T, class... Args>
std::shared_ptr<const T> make(Args&&... args) {
  return std::make_shared<T>(std::forward<Args>(args)...);
}

SetPointer lp_ball(Index n, double p, double radius = 0.4) {
  Rng rng(11);
  return make<LpBall>(LpBallShape{.centre = normal_vector(n, rng), .radius = radius, .p = p});
}
SetPointer ellipsoid(Index n) {
  Rng rng(12);
  const Matrix root = normal_matrix(n, n, rng);
  return make<Ellipsoid>(QuadraticBall{.centre = normal_vector(n, rng),
                                       .matrix = root * root.transpose() + Matrix::Identity(n, n),
                                       .radius = 0.8});
}
SetPointer box(Index n) { return make<Box>(uniform_box(n, {.lower = 0.02, .upper = 0.5})); }
SetPointer simplex(Index n) { return make<ProbabilitySimplex>(n); }
SetPointer orthant(Index n) { return make<CappedOrthant>(n, 0.8); }
SetPointer polytope(Index n) {
  Matrix normals(2 * n + 1, n);
  normals << Matrix::Identity(n, n), -Matrix::Identity(n, n), Matrix::Ones(1, n);
  Vector offsets(2 * n + 1);
  offsets << Vector::Constant(n, 0.5), Vector::Zero(n), 1.1;
  return make<Polytope>(normals, offsets);
}
SetPointer intersection(Index n) { return make<IntersectionSet>(SetParts{simplex(n), box(n)}); }

UtilityPointer robust() { return make<RewardRobust>(kShape); }
UtilityPointer quadratic() { return make<QuadraticTarget>(kShape); }
UtilityPointer divergence() {
  return make<KlTarget>(
      KlTargetOptions{.shape = kShape, .over = Marginal::kStateActions, .delta = 0.01});
}
UtilityPointer variance(Index count, double aversion = 0.8) {
  Rng rng(13);
  VarianceOptions options{.features = {}, .aversion = aversion};
  for (Index k = 0; k < count; ++k) options.features.push_back(normal_matrix(3, 2, rng));
  return make<Variance>(options);
}
UtilityPointer constrained() {
  Rng rng(14);
  return make<Constrained>(ConstrainedCosts{normal_matrix(3, 2, rng),
                                            {normal_matrix(3, 2, rng), normal_matrix(3, 2, rng)},
                                            Vector{{0.1, -0.3}}});
}
UtilityPointer drift(Index dimension, double smoothing) {
  Rng rng(15);
  return make<Drift>(DriftOptions{.actions = 2,
                                  .features = normal_matrix(kPairs, 3, rng),
                                  .dimension = dimension,
                                  .smoothing = smoothing});
}
UtilityPointer regularized(UtilityPointer utility, double modulus) {
  const Index n = utility->nature_dimension();
  return make<NatureRegularized>(std::move(utility),
                                 NatureRegularization{modulus, Vector::Constant(n, 0.1)});
}
UtilityPointer sum(std::vector<WeightedUtility> parts) { return make<Sum>(std::move(parts)); }
UtilityPointer entropy() { return make<Entropy>(EntropyOptions{.shape = kShape}); }

constexpr AnswerKind kExact = AnswerKind::kExact;
constexpr AnswerKind kCertified = AnswerKind::kCertified;
constexpr AnswerKind kBestFound = AnswerKind::kBestFound;

std::vector<LawCase> linear_cases() {
  return {
      {"NoNature", entropy(), make<Singleton>(Vector(0)), kExact},
      {"Singleton", quadratic(), make<Singleton>(Vector::Constant(kPairs, 0.2)), kExact},
      {"RadiusZero", quadratic(), lp_ball(kPairs, 3, 0), kExact},
      {"LinearOnL1", robust(), lp_ball(kPairs, 1), kExact},
      {"LinearOnL3", robust(), lp_ball(kPairs, 3), kExact},
      {"LinearOnPolytope", robust(), polytope(kPairs), kExact},
      {"LinearOnIntersection", robust(), intersection(kPairs), kCertified},
      {"ConstrainedOnOrthant", constrained(), orthant(2), kExact},
      {"VarianceWithoutAversion", variance(3, 0), lp_ball(3, 1.5), kExact},
      {"RegularizedOnBall", regularized(robust(), 0.7), lp_ball(kPairs, 2), kExact},
      {"RegularizedOnPolytope", regularized(robust(), 0.7), polytope(kPairs), kExact},
      {"RegularizedConstrained", regularized(constrained(), 2), orthant(2), kExact},
  };
}

std::vector<LawCase> convex_cases() {
  return {
      {"QuadraticOnBall", quadratic(), lp_ball(kPairs, 2), kExact},
      {"QuadraticOnFrobenius", quadratic(), make<FrobeniusBall>(Matrix::Constant(3, 2, 0.1), 0.3),
       kExact},
      {"QuadraticOnBox", quadratic(), box(kPairs), kExact},
      {"QuadraticOnMaxBall", quadratic(), lp_ball(kPairs, UtilityConstants::kNone), kExact},
      {"QuadraticOnL1", quadratic(), lp_ball(kPairs, 1), kExact},
      {"QuadraticOnSimplex", quadratic(), simplex(kPairs), kExact},
      {"QuadraticOnOrthant", quadratic(), orthant(kPairs), kExact},
      {"QuadraticOnPolytope", quadratic(), polytope(kPairs), kBestFound},
      {"KlOnBox", divergence(), box(kPairs), kExact},
      {"KlOnSimplex", divergence(), simplex(kPairs), kExact},
      {"KlOnOrthant", divergence(), orthant(kPairs), kExact},
      {"KlOnIntersection", divergence(), intersection(kPairs), kBestFound},
      {"VarianceOnBall", variance(4), lp_ball(4, 2), kExact},
      {"VarianceOnEllipsoid", variance(4), ellipsoid(4), kExact},
      {"VarianceOnBox", variance(4), box(4), kExact},
      {"VarianceOnSimplex", variance(4), simplex(4), kExact},
      {"VarianceOnL3", variance(4), lp_ball(4, 3), kBestFound},
      {"RegularizedVarianceOnEllipsoid", regularized(variance(4), 0.5), ellipsoid(4), kExact},
      {"RegularizedVarianceOnBox", regularized(variance(4), 3), box(4), kBestFound},
  };
}

std::vector<LawCase> other_cases() {
  const auto product = [](SetParts parts) { return make<ProductSet>(std::move(parts)); };
  const SetPointer map = make<FrobeniusBall>(Matrix::Identity(2, 3), 0.3);
  return {
      {"Drift", drift(2, 0), map, kExact},
      {"SmoothedDrift", drift(2, 15), map, kCertified},
      {"DriftOfOneRowOnBox", drift(1, 0), box(3), kCertified},
      {"DriftOfOneRowOnIntersection", drift(1, 0), intersection(3), kCertified},
      {"DriftOfOneRowOnPolytope", drift(1, 0), polytope(3), kCertified},
      {"SumWithOneNature", sum({{2, entropy()}, {0.5, quadratic()}}), lp_ball(kPairs, 2), kExact},
      {"SumOnProduct", sum({{2, drift(2, 0)}, {1, entropy()}, {0.5, quadratic()}}),
       product({map, lp_ball(kPairs, 2)}), kExact},
      {"SumOfCertified", sum({{2, drift(2, 15)}, {0.5, quadratic()}}), product({map, box(kPairs)}),
       kCertified},
      {"SumOfBestFound", sum({{2, drift(2, 15)}, {0.5, quadratic()}}),
       product({map, polytope(kPairs)}), kBestFound},
      {"SumOnOneBall", sum({{1, drift(2, 0)}, {1, quadratic()}}), lp_ball(6 + kPairs, 2),
       kBestFound},
      {"SumOfRegularized", sum({{1, regularized(robust(), 1)}, {3, regularized(constrained(), 2)}}),
       lp_ball(kPairs + 2, 3), kCertified},
  };
}

class WorstCaseLaws : public testing::TestWithParam<LawCase> {
 protected:
  WorstCaseLaws() {
    Rng rng(21);
    occupancy_ = random_occupancy(kShape.states, kShape.actions, rng);
  }
  Matrix occupancy_;
};

TEST_P(WorstCaseLaws, TheAnswerIsAMemberWithItsValueAndNobodyBeatsValuePlusGap) {
  const auto& [name, utility, set, kind] = GetParam();
  const WorstCase worst = worst_case(*utility, *set, occupancy_);
  // A certificate whose gap is all rounding is exact.
  const bool better = kind == AnswerKind::kCertified && worst.kind == AnswerKind::kExact;
  EXPECT_TRUE(worst.kind == kind || better) << worst.method << ", gap " << worst.gap;
  EXPECT_TRUE(contains(*set, worst.nature));
  EXPECT_DOUBLE_EQ(worst.value, utility->evaluate(occupancy_, worst.nature).value);
  EXPECT_FALSE(worst.method.empty());
  EXPECT_GE(worst.gap, 0);
  if (kind == kExact) {
    EXPECT_EQ(worst.gap, 0);
  }
  EXPECT_EQ(std::isinf(worst.gap), kind == kBestFound);
  // Where nothing is promised, the search must at least beat chance.
  const double slack = (kind == kBestFound ? 0 : worst.gap) + 1e-9;
  EXPECT_LE(best_random_member(*utility, *set, occupancy_), worst.value + slack);
  if (set->dimension() == 0) return;
  const WorstCaseOptions options{.iterations = 1000, .starts = 40, .seed = 5};
  const WorstCase climbed = *best_of_many_starts({*utility, *set, occupancy_, options});
  EXPECT_LE(climbed.value, worst.value + slack);
  EXPECT_GE(climbed.value, worst.value - 1e-5 * (1 + std::abs(worst.value)));
}

TEST_P(WorstCaseLaws, TheAnswerIsTheSameWhenAskedTwice) {
  const auto& [name, utility, set, kind] = GetParam();
  const WorstCase one = worst_case(*utility, *set, occupancy_);
  const WorstCase two = worst_case(*utility, *set, occupancy_);
  EXPECT_EQ(one.value, two.value);
  EXPECT_EQ(one.nature, two.nature);
}

std::string name_of_case(const testing::TestParamInfo<LawCase>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Linear, WorstCaseLaws, testing::ValuesIn(linear_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Convex, WorstCaseLaws, testing::ValuesIn(convex_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Other, WorstCaseLaws, testing::ValuesIn(other_cases()), name_of_case);

}  // namespace
}  // namespace rgu
