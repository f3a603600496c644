#include "rgu/utility/function.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

UtilityDeclaration declaration() {
  return {.shape = {.states = 2, .actions = 1},
          .nature_dimension = 1,
          .traits = {.convex_in_occupancy = true, .nature = NatureShape::kLinear}};
}

// f = xi lambda(0, 0).
UtilityGradient product(const Matrix& occupancy, const Vector& nature) {
  return {.value = nature(0) * occupancy(0, 0),
          .occupancy = Matrix{{nature(0)}, {0}},
          .nature = Vector{{occupancy(0, 0)}}};
}

TEST(FunctionUtility, ReturnsWhatItsFunctionReturns) {
  const FunctionUtility utility(product, declaration());
  const UtilityGradient gradient = utility.evaluate(Matrix{{0.25}, {0.75}}, Vector{{4}});
  EXPECT_DOUBLE_EQ(gradient.value, 1);
  EXPECT_EQ(gradient.occupancy, (Matrix{{4}, {0}}));
  EXPECT_EQ(gradient.nature, (Vector{{0.25}}));
  EXPECT_EQ(utility.traits().nature, NatureShape::kLinear);
}

TEST(FunctionUtility, KnowsNoConstantsUnlessTheyAreDeclared) {
  EXPECT_EQ(FunctionUtility(product, declaration()).constants(1).nature_gradient,
            UtilityConstants::kNone);
  UtilityDeclaration declared = declaration();
  declared.constants = [](double norm) { return UtilityConstants{.occupancy_gradient = norm}; };
  const UtilityConstants constants = FunctionUtility(product, declared).constants(3);
  EXPECT_EQ(constants.occupancy_gradient, 3);
  EXPECT_EQ(constants.cross_lipschitz, UtilityConstants::kNone);
}

TEST(FunctionUtility, RejectsReturnedGradientsOfAWrongShape) {
  const auto wrong_occupancy = [](const Matrix&, const Vector&) {
    return UtilityGradient{.value = 0, .occupancy = Matrix::Zero(1, 2), .nature = Vector::Zero(1)};
  };
  EXPECT_THAT(
      [&] {
        FunctionUtility(wrong_occupancy, declaration()).evaluate(Matrix::Zero(2, 1), Vector{{0}});
      },
      ThrowsMessage<InvalidInput>(HasSubstr("returned grad_lambda is 1 x 2, must be 2 x 1")));
  const auto wrong_nature = [](const Matrix& occupancy, const Vector&) {
    return UtilityGradient{.value = 0, .occupancy = occupancy, .nature = {}};
  };
  EXPECT_THAT(
      [&] {
        FunctionUtility(wrong_nature, declaration()).evaluate(Matrix::Zero(2, 1), Vector{{0}});
      },
      ThrowsMessage<InvalidInput>(HasSubstr("returned grad_xi has 0 entries, must have 1")));
}

TEST(FunctionUtility, RejectsAnEmptyFunction) {
  EXPECT_THAT([] { FunctionUtility utility(nullptr, declaration()); },
              ThrowsMessage<InvalidInput>(HasSubstr("function of the utility is empty")));
}

TEST(FunctionUtility, RejectsDeclarationsThatContradictThemselves) {
  const auto make = [](auto change) {
    return [change] {
      UtilityDeclaration bad = declaration();
      change(bad);
      FunctionUtility utility(product, bad);
    };
  };
  EXPECT_THAT(make([](auto& bad) { bad.traits.nature = NatureShape::kNone; }),
              ThrowsMessage<InvalidInput>(HasSubstr("exactly when xi has dimension 0; it has 1")));
  EXPECT_THAT(make([](auto& bad) { bad.nature_dimension = 0; }),
              ThrowsMessage<InvalidInput>(HasSubstr("exactly when xi has dimension 0; it has 0")));
  EXPECT_THAT(make([](auto& bad) { bad.nature_dimension = -1; }),
              ThrowsMessage<InvalidInput>(HasSubstr("dimension of xi is -1, must be at least 0")));
  EXPECT_THAT(
      make([](auto& bad) { bad.traits.strong_concavity = 0.5; }),
      ThrowsMessage<InvalidInput>(HasSubstr("strong concavity is 0.5, must be > 0 exactly")));
  EXPECT_THAT(make([](auto& bad) { bad.traits.nature = NatureShape::kStronglyConcave; }),
              ThrowsMessage<InvalidInput>(HasSubstr("strong concavity is 0, must be > 0 exactly")));
  EXPECT_THAT(make([](auto& bad) { bad.traits.strong_concavity = -1; }),
              ThrowsMessage<InvalidInput>(HasSubstr("strong concavity is -1")));
  EXPECT_THAT(make([](auto& bad) { bad.shape.states = 0; }),
              ThrowsMessage<InvalidInput>(HasSubstr("number of states is 0")));
}

}  // namespace
}  // namespace rgu
