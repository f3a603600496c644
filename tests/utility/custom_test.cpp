#include "rgu/utility/custom.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "laws/utility_laws.hpp"
#include "rgu/base/check.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/sum.hpp"
#include "utility/custom_functions.hpp"

namespace rgu {
namespace {

using laws::UtilityCase;
using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_functions::declaration, testing_functions::Huber, testing_functions::StateEntropy,
    testing_functions::WeightedSquares;

// Every operation of Active, none of them at a kink for arguments in (0.05, 0.95).
struct EveryOperation {
  template <class T>
  T operator()(const OccupancyView<T>& lambda, const NatureView<T>& xi) const {
    using std::abs, std::acos, std::asin, std::atan, std::cos, std::cosh, std::erf, std::exp,
        std::fabs, std::fmax, std::fmin, std::log, std::log10, std::max, std::min, std::pow,
        std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
    T x = lambda(0, 0);  // a copy, which is recorded too
    const T& y = lambda(1, 0);
    const auto z = xi(0) + 1.5;
    T total = +x - (-y) + 2 * x + x * 3 - 1 - x + (1 + y) / 2 + 1 / z + x / z + x * y;
    total += exp(x) + log(y) + log10(x) + sqrt(y) + sin(x) + cos(y) + tan(x) + asin(x) + acos(y);
    total += atan(x) + sinh(y) + cosh(x) + tanh(y) + erf(x) + fabs(x - 2) + abs(y - 3);
    total += fmax(x, z) + fmin(y, z) + max(x * x, z * z) + min(x * y, z + y);
    total += pow(x, 2.5) + pow(x, y) + pow(1.7, y);
    total -= x;
    total *= y;
    total /= z;
    if (x < z && z > y && x <= z && z >= y && !(x == z) && x != z) total += x;
    return total > T(-1e9) ? total : x;
  }
};

std::vector<UtilityCase> custom_cases() {
  const OccupancyShape shape{.states = 3, .actions = 2};
  // |lambda| <= 1 on the simplex, and exp(xi_s) <= exp(norm).
  UtilityDeclaration squares = declaration(shape, 3);
  squares.constants = [](double norm) {
    const double e = std::exp(norm);
    return UtilityConstants{2 * e, 2 * e, e, e, 2 * e};
  };
  // The huber slope lies in [0, threshold] and has slope at most 1.
  UtilityDeclaration huber = declaration({.states = 4, .actions = 1}, 0, NatureShape::kNone);
  huber.constants = [](double) { return UtilityConstants{0.2 * 2, 1, 0, 0, 0}; };
  const auto entropy = declaration({.states = 1, .actions = 5}, 0, NatureShape::kNone);
  const auto custom = std::make_shared<CustomUtility<WeightedSquares>>(WeightedSquares{}, squares);
  return {
      {"WeightedSquares", custom, 0.8},
      {"Huber", std::make_shared<CustomUtility<Huber>>(Huber{}, huber)},
      {"EntropyOfOneState", std::make_shared<CustomUtility<StateEntropy>>(StateEntropy{}, entropy)},
      {"InASum", std::make_shared<Sum>(std::vector<WeightedUtility>{{0.5, custom}, {2, custom}}),
       0.8},
  };
}

class CustomUtilityLaws : public testing::TestWithParam<UtilityCase> {};

TEST_P(CustomUtilityLaws, Hold) {
  laws::expect_gradients_are_derivatives(GetParam());
  laws::expect_declared_convexity(GetParam());
  laws::expect_declared_shape_in_nature(GetParam());
  laws::expect_declared_constants_dominate(GetParam());
  laws::expect_bad_arguments_throw(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Custom, CustomUtilityLaws, testing::ValuesIn(custom_cases()),
                         [](const auto& test) { return test.param.name; });

// f = lambda_1^2 e^xi_1 + lambda_2^2 e^xi_2 at lambda = (1, 2), xi = (0, log 3): 1 + 12. In lambda
// (2, 12), in xi (1, 12).
TEST(CustomUtility, MatchesTheHandSolvedCase) {
  const CustomUtility utility(WeightedSquares{}, declaration({.states = 2, .actions = 1}, 2));
  const UtilityGradient gradient = utility.evaluate(Matrix{{1}, {2}}, Vector{{0, std::log(3.0)}});
  EXPECT_NEAR(gradient.value, 13, 1e-14);
  EXPECT_TRUE(gradient.occupancy.isApprox(Matrix{{2}, {12}}, 1e-14));
  EXPECT_TRUE(gradient.nature.isApprox(Vector{{1, 12}}, 1e-14));
}

TEST(CustomUtility, AgreesWithTheUtilityWrittenByHand) {
  const OccupancyShape shape{.states = 4, .actions = 3};
  const CustomUtility custom(StateEntropy{}, declaration(shape, 0, NatureShape::kNone));
  const Entropy entropy({.shape = shape, .over = Marginal::kStates, .delta = 0.1});
  Rng rng(1);
  for (int trial = 0; trial < 10; ++trial) {
    const Matrix occupancy = as_matrix(uniform_vector(12, rng), 4, 3);
    const UtilityGradient mine = custom.evaluate(occupancy, Vector());
    const UtilityGradient theirs = entropy.evaluate(occupancy, Vector());
    EXPECT_NEAR(mine.value, theirs.value, 1e-14);
    EXPECT_TRUE(mine.occupancy.isApprox(theirs.occupancy, 1e-13));
    EXPECT_EQ(mine.nature.size(), 0);
  }
  EXPECT_EQ(custom.recordings(), 1);
}

// Against central differences of the same function with T = double.
TEST(CustomUtility, DifferentiatesEveryOperation) {
  const CustomUtility utility(EveryOperation{}, declaration({.states = 2, .actions = 1}, 1));
  Rng rng(2);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> at{rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9)};
    const auto value = [&] {
      return EveryOperation{}(OccupancyView<double>(at.data(), {.states = 2, .actions = 1}),
                              NatureView<double>(at.data() + 2, 1));
    };
    const UtilityGradient gradient = utility.evaluate(Matrix{{at[0]}, {at[1]}}, Vector{{at[2]}});
    EXPECT_NEAR(gradient.value, value(), 1e-12);
    const Vector slopes{{gradient.occupancy(0, 0), gradient.occupancy(1, 0), gradient.nature(0)}};
    for (std::size_t i = 0; i < 3; ++i) {
      const double kept = at[i];
      at[i] = kept + 1e-5;
      const double above = value();
      at[i] = kept - 1e-5;
      const double below = value();
      at[i] = kept;
      EXPECT_NEAR(slopes(static_cast<Index>(i)), (above - below) / 2e-5, 1e-6);
    }
  }
}

TEST(CustomUtility, ThatIgnoresItsArgumentsHasZeroGradients) {
  const auto constant = []<class T>(const OccupancyView<T>&, const NatureView<T>&) { return T(7); };
  const CustomUtility utility(constant, declaration({.states = 2, .actions = 1}, 1));
  const UtilityGradient gradient = utility.evaluate(Matrix{{1}, {2}}, Vector{{3}});
  EXPECT_EQ(gradient.value, 7);
  EXPECT_TRUE(gradient.occupancy.isZero(0));
  EXPECT_TRUE(gradient.nature.isZero(0));
}

TEST(CustomUtility, PassesNumbersThatAreNoneThrough) {
  const CustomUtility utility(Huber{},
                              declaration({.states = 2, .actions = 1}, 0, NatureShape::kNone));
  EXPECT_TRUE(std::isnan(utility.evaluate(Matrix{{std::nan("")}, {0.1}}, Vector()).value));
  EXPECT_DOUBLE_EQ(utility.evaluate(Matrix{{0.1}, {0.1}}, Vector()).value, 0.01);
}

TEST(CustomUtility, WhatTheFunctionThrowsPassesThroughAndLeavesItUsable) {
  const auto picky = []<class T>(const OccupancyView<T>& lambda, const NatureView<T>&) {
    T x = lambda(0, 0) * 2;
    if (x > 10) throw std::runtime_error("too large");
    return x;
  };
  const CustomUtility utility(picky,
                              declaration({.states = 1, .actions = 1}, 0, NatureShape::kNone));
  EXPECT_THAT([&] { utility.evaluate(Matrix{{6}}, Vector()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("too large")));
  EXPECT_EQ(utility.evaluate(Matrix{{4}}, Vector()).value, 8);
  EXPECT_THROW(utility.evaluate(Matrix{{6}}, Vector()), std::runtime_error);
  EXPECT_EQ(utility.evaluate(Matrix{{3}}, Vector()).occupancy(0, 0), 2);
}

TEST(CustomUtility, ChecksItsDeclarationAndArguments) {
  EXPECT_THAT([] { CustomUtility utility(Huber{}, declaration({.states = 0, .actions = 1}, 0)); },
              ThrowsMessage<InvalidInput>(HasSubstr("number of states is 0")));
  EXPECT_THAT([] { CustomUtility utility(Huber{}, declaration({.states = 1, .actions = 1}, 0)); },
              ThrowsMessage<InvalidInput>(HasSubstr("exactly when xi has dimension 0")));
  const CustomUtility utility(WeightedSquares{}, declaration({.states = 2, .actions = 1}, 2));
  EXPECT_THAT([&] { utility.evaluate(Matrix::Zero(1, 2), Vector::Zero(2)); },
              ThrowsMessage<InvalidInput>(HasSubstr("occupancy is 1 x 2, must be 2 x 1")));
  static_assert(!std::is_copy_constructible_v<CustomUtility<Huber>>);
  static_assert(!std::is_move_constructible_v<CustomUtility<Huber>>);
}

}  // namespace
}  // namespace rgu
