// Every variant of the loops against the plainest code for the same thing. Arrays are exactly as
// long as documented, so that the address sanitizer sees a step beyond the end.
#include "rgu/base/dense_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rgu/base/instruction_set.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/base/types.hpp"

namespace rgu {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

bool cpu_has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

struct Variant {
  const char* name;
  const DenseKernels* kernels;
};

std::vector<Variant> variants_of_this_cpu() {
  std::vector<Variant> variants = {{"portable", &portable_dense_kernels()}};
  if (cpu_has_avx2()) variants.push_back({"avx2", avx2_dense_kernels()});
  return variants;
}

class DenseKernelsLaws : public testing::TestWithParam<Variant> {
 protected:
  const DenseKernels& kernels() const { return *GetParam().kernels; }

  double exponential(double x) const {
    kernels().exponential(&x, 1);
    return x;
  }
};

INSTANTIATE_TEST_SUITE_P(EveryVariant, DenseKernelsLaws, testing::ValuesIn(variants_of_this_cpu()),
                         [](const auto& variant) { return variant.param.name; });

TEST(DenseKernels, TheChosenVariantIsThatOfTheInstructionSet) {
  const bool portable = instruction_set() == InstructionSet::kPortable;
  EXPECT_EQ(&dense_kernels(), portable ? &portable_dense_kernels() : avx2_dense_kernels());
}

// --- exp ---

// The distance of `value` from the exact e^x in units of the last place of e^x.
double ulps(double value, double x) {
  const long double exact = std::exp(static_cast<long double>(x));
  const auto rounded = static_cast<double>(exact);
  const double unit = std::nextafter(rounded, kInfinity) - rounded;
  return static_cast<double>(std::abs(static_cast<long double>(value) - exact) / unit);
}

TEST_P(DenseKernelsLaws, ExpIsWithinOneUlpOverItsWholeRange) {
  Rng rng(1);
  double worst = 0;
  std::vector<double> x(1000);
  // Ranges: near 0, one octave, ordinary logits, all normal results, subnormal results.
  for (const double least : {-1e-9, -0.7, -20.0, -708.0, -745.2}) {
    for (int batch = 0; batch < 40; ++batch) {
      for (double& value : x) value = rng.uniform(least, least < -708 ? -708.0 : 0.0);
      std::vector<double> result = x;
      kernels().exponential(result.data(), static_cast<Index>(result.size()));
      for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, ulps(result[i], x[i]));
    }
    EXPECT_LE(worst, 1.0) << "from " << least;
  }
  EXPECT_GT(worst, 0.4);  // the measure itself is alive: rounding alone costs up to half
}

TEST_P(DenseKernelsLaws, ExpIsRightAtTheEndsOfItsRange) {
  EXPECT_EQ(exponential(0.0), 1.0);
  EXPECT_EQ(exponential(-0.0), 1.0);
  EXPECT_EQ(exponential(-kTiny), 1.0);
  EXPECT_LE(ulps(exponential(-708.3964185322641), -708.3964185322641), 1.0);  // log of 2^-1022
  EXPECT_EQ(exponential(-745.0), kTiny);   // e^-745 = 1.14 * 2^-1074
  EXPECT_EQ(exponential(-745.13), kTiny);  // just above the half of it, at -745.1332
  EXPECT_EQ(exponential(-745.14), 0.0);
  EXPECT_EQ(exponential(-746.0), 0.0);
  EXPECT_EQ(exponential(-1e300), 0.0);
  EXPECT_EQ(exponential(-kInfinity), 0.0);
  EXPECT_TRUE(std::isnan(exponential(kNan)));
}

TEST_P(DenseKernelsLaws, ExpOfAnArrayIsExpOfItsEntriesForEveryLength) {
  Rng rng(2);
  for (Index size = 0; size <= 13; ++size) {
    std::vector<double> x(static_cast<std::size_t>(size));
    for (double& value : x) value = rng.uniform(-3, 0);
    std::vector<double> result = x;
    kernels().exponential(result.data(), size);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(result[i], exponential(x[i]));
  }
}

// --- softmax ---

TEST_P(DenseKernelsLaws, SoftmaxIsTheQuotientOfExponentialsForEveryShape) {
  Rng rng(3);
  for (Index rows = 1; rows <= 5; ++rows) {
    for (Index columns = 1; columns <= 9; ++columns) {
      Matrix logits(rows, columns);
      for (double& value : logits.reshaped()) value = 5 * rng.normal();
      Matrix pi = logits;
      kernels().softmax(pi.data(), rows, columns);
      for (Index s = 0; s < rows; ++s) {
        const double total = logits.row(s).array().exp().sum();
        for (Index a = 0; a < columns; ++a) {
          const double expected = std::exp(logits(s, a)) / total;
          EXPECT_NEAR(pi(s, a), expected, 4e-15 * expected);
        }
      }
    }
  }
}

TEST_P(DenseKernelsLaws, SoftmaxBearsHugeAndInfiniteLogits) {
  std::vector<double> logits = {1e308, -1e308, 1e308, 0, 800, -kInfinity};
  kernels().softmax(logits.data(), 2, 3);
  EXPECT_EQ(logits, (std::vector<double>{0.5, 0, 0.5, 0, 1, 0}));
}

TEST_P(DenseKernelsLaws, ANanMakesItsRowNanAndNoOther) {
  for (std::size_t place = 0; place < 5; ++place) {
    std::vector<double> logits(15, 1.0);
    logits[5 + place] = kNan;
    kernels().softmax(logits.data(), 3, 5);
    for (std::size_t i = 0; i < 15; ++i) {
      if (i / 5 == 1) {
        EXPECT_TRUE(std::isnan(logits[i])) << place << " " << i;
      } else {
        EXPECT_NEAR(logits[i], 0.2, 1e-16) << place << " " << i;
      }
    }
  }
}

// --- products with the kernel ---

Matrix uniform_matrix(Index rows, Index columns, Rng& rng) {
  Matrix matrix(rows, columns);
  for (double& value : matrix.reshaped()) value = rng.uniform();
  return matrix;
}

TEST_P(DenseKernelsLaws, TheDiscountedSystemIsIdentityMinusTheMixedRows) {
  Rng rng(4);
  for (const Index states : {1, 2, 3, 4, 5, 7, 8, 10, 33}) {
    for (const Index actions : {1, 2, 5}) {
      for (const Index padding : {0, 3}) {
        const Matrix kernel = uniform_matrix(states * actions, states, rng);
        const Matrix pi = uniform_matrix(states, actions, rng);
        Eigen::MatrixXd system = Eigen::MatrixXd::Constant(states + padding, states, kNan);
        kernels().discounted_system({.kernel = kernel.data(),
                                     .policy = pi.data(),
                                     .states = states,
                                     .actions = actions,
                                     .discount = 0.9},
                                    system.data(), states + padding);
        Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(states + padding, states);
        for (Index s = 0; s < states; ++s) {
          expected(s, s) = 1;
          for (Index a = 0; a < actions; ++a) {
            expected.col(s).head(states) -=
                0.9 * pi(s, a) * kernel.row(s * actions + a).transpose();
          }
        }
        EXPECT_LE((system - expected).cwiseAbs().maxCoeff(), 1e-14) << states << " " << actions;
      }
    }
  }
}

TEST_P(DenseKernelsLaws, AffineIsOffsetPlusScaledProductForEveryShape) {
  Rng rng(5);
  for (Index rows = 1; rows <= 9; ++rows) {
    for (const Index columns : {1, 2, 3, 4, 5, 6, 7, 8, 10, 31}) {
      const Matrix matrix = uniform_matrix(rows, columns, rng);
      const Vector x = normal_vector(columns, rng);
      const Vector offset = normal_vector(rows, rng);
      Vector result(rows);
      kernels().affine({matrix.data(), rows, columns}, x.data(), offset.data(), -0.7,
                       result.data());
      const Vector expected = offset - 0.7 * (matrix * x);
      EXPECT_LE((result - expected).cwiseAbs().maxCoeff(), 1e-14) << rows << " " << columns;
    }
  }
}

// --- LU ---

struct Factors {
  explicit Factors(Index order)
      : stride((order + kDenseWidth - 1) / kDenseWidth * kDenseWidth),
        factor(Eigen::MatrixXd::Zero(stride, order)),
        transpose(Eigen::MatrixXd::Zero(stride, order)),
        reciprocal(order) {}
  SwaplessLu view() {
    return {factor.data(), transpose.data(), reciprocal.data(), reciprocal.size(), stride};
  }
  Index stride;
  Eigen::MatrixXd factor, transpose;
  Vector reciprocal;
};

// [4 2; 2 3] = [1 0; 1/2 1] diag(4, 2) [1 1/2; 0 1]. With b = (8, 8): x = (1, 2).
TEST_P(DenseKernelsLaws, FactorsOfTheTwoByTwoMatrixAreTheHandSolvedOnes) {
  Factors lu(2);
  lu.factor.topRows(2) << 4, 2, 2, 3;
  ASSERT_EQ(kernels().factorise(lu.view()), 0);
  EXPECT_EQ(lu.factor(1, 0), 0.5);
  EXPECT_EQ(lu.factor(0, 1), 0.5);
  EXPECT_EQ(lu.transpose(1, 0), 0.5);
  EXPECT_EQ(lu.transpose(0, 1), 0.5);
  EXPECT_EQ(lu.reciprocal, Vector({{0.25, 0.5}}));
  Vector x = Vector::Zero(lu.stride);
  x.head(2) << 8, 8;
  kernels().solve(lu.view(), x.data());
  EXPECT_EQ(x.head(2), Vector({{1, 2}}));
}

TEST_P(DenseKernelsLaws, BothSolvesLeaveNoResidualForEveryOrder) {
  Rng rng(6);
  for (Index order = 1; order <= 33; ++order) {
    Eigen::MatrixXd matrix = uniform_matrix(order, order, rng).array() - 0.5;
    matrix.diagonal().array() += static_cast<double>(order);
    Factors lu(order);
    lu.factor.topRows(order) = matrix;
    ASSERT_EQ(kernels().factorise(lu.view()), 0);
    const Vector right = normal_vector(order, rng);
    Vector x = Vector::Zero(lu.stride);
    x.head(order) = right;
    kernels().solve(lu.view(), x.data());
    EXPECT_LE((matrix * x.head(order) - right).norm(), 1e-14 * static_cast<double>(order));
    x.setZero();
    x.head(order) = right;
    kernels().solve_transposed(lu.view(), x.data());
    EXPECT_LE((matrix.transpose() * x.head(order) - right).norm(),
              1e-14 * static_cast<double>(order));
  }
}

TEST_P(DenseKernelsLaws, FactoriseNamesTheFirstPivotThatIsZeroOrNan) {
  for (const double bad : {0.0, kNan}) {
    Factors lu(6);
    lu.factor.topRows(6).setIdentity();
    lu.factor(4, 4) = bad;
    EXPECT_EQ(kernels().factorise(lu.view()), 5);
  }
}

}  // namespace
}  // namespace rgu
