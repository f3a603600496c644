#include "rgu/global/interior_point.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rgu/base/rng.hpp"
#include "rgu/global/simplex_method.hpp"

namespace rgu {
namespace {

SparseMatrix sparse(const Matrix& dense) { return dense.sparseView(); }

ProgramPoint solved(const ConvexProgram& program) {
  InteriorPoint point(program, Vector::Ones(program.cost.size()));
  for (int k = 0; k < 200 && point.gap() > 1e-13 && point.advance(); ++k) {
  }
  EXPECT_LE(point.gap(), 1e-8);
  EXPECT_LE(point.primal_residual(), 1e-9);
  EXPECT_LE(point.dual_residual(), 1e-9);
  return point.point();
}

double objective(const ConvexProgram& program, const Vector& x) {
  double sum = program.cost.dot(x);
  for (const SmoothTerm& term : program.smooth) sum += term.value(x(term.variable));
  if (program.capped > 0) sum += program.price * x.head(program.capped).maxCoeff();
  return sum;
}

// sum x log(x + d) on the simplex is least where all are equal.
TEST(InteriorPoint, OfEntropyIsUniform) {
  ConvexProgram program{.rows = sparse(Matrix::Ones(1, 5)),
                        .right = Vector::Ones(1),
                        .cost = Vector::Zero(5),
                        .is_free = std::vector<char>(5, 0),
                        .smooth = {}};
  for (Index j = 0; j < 5; ++j) {
    program.smooth.push_back(
        {.kind = SmoothTerm::Kind::kEntropy, .variable = j, .parameter = 1e-6});
  }
  const ProgramPoint point = solved(program);
  for (Index j = 0; j < 5; ++j) EXPECT_NEAR(point.x(j), 0.2, 1e-8);
}

// Nearest to (1, 1/2, -3) on the simplex is (3/4, 1/4, 0).
TEST(InteriorPoint, OfSquaresIsTheProjection) {
  ConvexProgram program{.rows = sparse(Matrix::Ones(1, 3)),
                        .right = Vector::Ones(1),
                        .cost = Vector::Zero(3),
                        .is_free = std::vector<char>(3, 0),
                        .smooth = {}};
  const double target[] = {1, 0.5, -3};
  for (Index j = 0; j < 3; ++j) {
    program.smooth.push_back(
        {.kind = SmoothTerm::Kind::kSquare, .variable = j, .parameter = target[j]});
  }
  const ProgramPoint point = solved(program);
  EXPECT_NEAR(point.x(0), 0.75, 1e-7);
  EXPECT_NEAR(point.x(1), 0.25, 1e-7);
  EXPECT_NEAR(point.x(2), 0, 1e-7);
}

// -x_1 + 2 max x on the simplex of 4: all below t = 1/4 costs 1/2 - x_1; x = (1, 0, 0, 0) costs 1;
// so 1/4 each is best, at 1/4. With a price of 1/2 it is x_1 = 1: -1/2.
TEST(InteriorPoint, UnderACeilingIsTheHandSolvedOne) {
  ConvexProgram program{.rows = sparse(Matrix::Ones(1, 4)),
                        .right = Vector::Ones(1),
                        .cost = Vector{{-1, 0, 0, 0}},
                        .is_free = std::vector<char>(4, 0),
                        .smooth = {},
                        .capped = 4,
                        .price = 2};
  ProgramPoint point = solved(program);
  EXPECT_NEAR(objective(program, point.x), 0.25, 1e-8);
  EXPECT_NEAR(point.ceilings.sum(), 2, 1e-8);
  program.price = 0.5;
  point = solved(program);
  EXPECT_NEAR(point.x(0), 1, 1e-7);
  EXPECT_NEAR(objective(program, point.x), -0.5, 1e-8);
}

// Random programs with free variables, at costs from 1e-6 to 1e6, with and without ceilings.
TEST(InteriorPoint, AgreesWithTheSimplexMethod) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    const Index n = 6 + static_cast<Index>(seed % 15), m = 2 + static_cast<Index>(seed % 4);
    const double size = std::pow(10.0, static_cast<double>(seed % 13) - 6);
    Matrix rows(m, n);
    for (Index i = 0; i < rows.size(); ++i) rows.data()[i] = rng.normal();
    rows.row(0).setOnes();  // bounded, as long as x >= 0
    Vector inside(n), cost(n);
    for (Index j = 0; j < n; ++j) {
      inside(j) = rng.uniform();
      cost(j) = size * rng.normal();
    }
    ConvexProgram program{.rows = sparse(rows),
                          .right = rows * inside,
                          .cost = cost,
                          .is_free = std::vector<char>(static_cast<std::size_t>(n), 0),
                          .smooth = {}};
    if (seed % 2 == 1) {
      program.capped = n / 2;
      program.price = size * rng.uniform();
    }
    const auto vertex = solve_by_simplex(program);
    ASSERT_TRUE(vertex.has_value());
    const ProgramPoint point = solved(program);
    const double least = objective(program, vertex->x);
    EXPECT_NEAR(objective(program, point.x), least, 1e-7 * (size + std::abs(least))) << seed;
    // Both have multipliers that prove it.
    for (const ProgramPoint* each : {&point, &*vertex}) {
      Vector slack = cost - program.rows.transpose() * each->multipliers;
      slack.head(program.capped) += each->ceilings;
      EXPECT_GE(slack.minCoeff(), -1e-7 * size) << seed;
      EXPECT_NEAR(program.right.dot(each->multipliers), least, 1e-6 * (size + std::abs(least)));
    }
  }
}

}  // namespace
}  // namespace rgu
