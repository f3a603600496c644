#include "rgu/llm/decode/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "llm/decode/small_models.hpp"
#include "rgu/llm/decode/float_buffer.hpp"
#include "rgu/llm/decode/instruction_set.hpp"

namespace rgu::llm::decode {
namespace {

// -20 .. 20 densely, and far out.
std::vector<float> arguments() {
  std::vector<float> x;
  for (int i = -20000; i < 20000; ++i) x.push_back(static_cast<float>(i) * 1e-3f + 1e-4f);
  for (const float far : {-1e30f, -500.0f, -88.5f, -86.0f, -40.0f, 40.0f, 86.0f, 1e30f})
    x.push_back(far);
  x.resize(static_cast<std::size_t>(rounded_up(static_cast<Size>(x.size()), 16)), 0.0f);
  return x;
}

void expect_function(void (*kernel)(float*, Size), double (*exact)(double), double absolute,
                     double relative) {
  const std::vector<float> x = arguments();
  std::vector<float> y = x;
  kernel(y.data(), static_cast<Size>(y.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = exact(static_cast<double>(x[i]));
    ASSERT_NEAR(static_cast<double>(y[i]), expected, absolute + relative * std::abs(expected))
        << x[i];
  }
}

double exact_gelu(double x) { return x * 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double exact_gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double exact_silu(double x) { return x / (1 + std::exp(-x)); }

TEST(Kernels, ActivationsAreTheirFunctions) {
  for (const InstructionSet set : instruction_sets_of_cpu()) {
    const Kernels& kernels = kernels_of(set);
    expect_function(kernels.gelu, exact_gelu, 1e-8, 4e-7);
    expect_function(kernels.gelu_tanh, exact_gelu_tanh, 1e-8, 1e-6);
    expect_function(kernels.silu, exact_silu, 1e-8, 1e-6);
  }
}

TEST(Kernels, ExponentialsAreAccurate) {
  std::vector<float> x;
  for (int i = 0; i < 16 * 1000; ++i) x.push_back(static_cast<float>(-i) * 5e-3f);  // 0 .. -80
  std::vector<float> y(x.size());
  for (const InstructionSet set : instruction_sets_of_cpu()) {
    kernels_of(set).exponentials(x.data(), static_cast<Size>(x.size()), 0.0f, 1.0f, y.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = std::exp(static_cast<double>(x[i]));
      ASSERT_NEAR(static_cast<double>(y[i]), expected, 1.5e-7 * expected) << x[i];
    }
  }
}

TEST(Kernels, ExponentialsVanishFarBelowAndKeepWhatIsNotANumber) {
  for (const InstructionSet set : instruction_sets_of_cpu()) {
    std::vector<float> x(16, 0.0f);
    x[1] = -std::numeric_limits<float>::infinity();
    x[2] = -1000.0f;
    x[3] = std::numeric_limits<float>::quiet_NaN();
    kernels_of(set).exponentials(x.data(), 16, 0.0f, 1.0f, x.data());
    EXPECT_EQ(x[0], 1.0f);
    EXPECT_EQ(x[1], 0.0f);
    EXPECT_EQ(x[2], 0.0f);
    EXPECT_TRUE(std::isnan(x[3]));
  }
}

TEST(Kernels, PartsOfASoftmaxSumWhatIsThere) {
  for (const InstructionSet set : instruction_sets_of_cpu()) {
    std::vector<float> x(32, -std::numeric_limits<float>::infinity());
    EXPECT_EQ(kernels_of(set).softmax_part(x.data(), 32, 1.0f).sum, 0.0f);
    x[31] = 3.0f;
    x[7] = 1.0f;
    const SoftmaxPart part = kernels_of(set).softmax_part(x.data(), 32, 0.5f);
    EXPECT_EQ(part.max, 3.0f);
    EXPECT_NEAR(part.sum, 1 + std::exp(-1.0f), 1e-6f);
  }
}

struct ProductCase {
  Size rows;
  Size depth;
  Size panels;
};

// Against sums in double precision; and every row alone gives the same bits.
TEST(Kernels, ProductsAreSumsWhoseBitsDoNotDependOnTheRowsBeside) {
  for (const ProductCase& c : {ProductCase{1, 5, 1},
                               {1, 33, 9},
                               {2, 64, 5},
                               {3, 40, 4},
                               {5, 16, 3},
                               {12, 33, 2},
                               {13, 70, 3},
                               {40, 1100, 2},
                               {29, 513, 1}}) {
    Rng rng(static_cast<std::uint64_t>(c.rows * 1000 + c.depth));
    const auto fill = [&](FloatBuffer& buffer) {
      for (Size i = 0; i < buffer.size(); ++i) buffer.data()[i] = static_cast<float>(rng.normal());
    };
    FloatBuffer x(c.rows * c.depth), w(c.panels * c.depth * kPanel), bias(c.panels * kPanel);
    FloatBuffer start(c.rows * c.panels * kPanel), y(start.size()), alone(start.size());
    for (FloatBuffer* buffer : {&x, &w, &bias, &start}) fill(*buffer);
    const Size columns = c.panels * kPanel;
    for (const InstructionSet set : instruction_sets_of_cpu()) {
      for (const bool add : {false, true}) {
        std::copy_n(start.data(), start.size(), y.data());
        std::copy_n(start.data(), start.size(), alone.data());
        const Product product{.x = x.data(),
                              .x_stride = c.depth,
                              .rows = c.rows,
                              .weights = w.data(),
                              .depth = c.depth,
                              .panels = c.panels,
                              .bias = bias.data(),
                              .y = y.data(),
                              .y_stride = columns,
                              .add = add};
        kernels_of(set).product(product);
        for (Size i = 0; i < c.rows; ++i) {
          Product one = product;
          one.rows = 1;
          one.x += i * c.depth;
          one.y = alone.data() + i * columns;
          kernels_of(set).product(one);
          for (Size j = 0; j < columns; ++j) {
            double sum = static_cast<double>(bias.data()[j]) +
                         (add ? static_cast<double>(start.data()[i * columns + j]) : 0.0);
            for (Size k = 0; k < c.depth; ++k) {
              sum +=
                  static_cast<double>(x.data()[i * c.depth + k]) *
                  static_cast<double>(w.data()[(j / kPanel * c.depth + k) * kPanel + j % kPanel]);
            }
            ASSERT_NEAR(static_cast<double>(y.data()[i * columns + j]), sum,
                        1e-5 * static_cast<double>(c.depth + 10));
            ASSERT_EQ(y.data()[i * columns + j], alone.data()[i * columns + j]);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rgu::llm::decode
