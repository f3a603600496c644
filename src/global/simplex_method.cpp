#include "rgu/global/simplex_method.hpp"

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <algorithm>
#include <vector>

#include "rgu/ambiguity/linear_program.hpp"

namespace rgu {
namespace {

constexpr double kTolerance = 1e-10;  // the smallest that Clp takes

// The rows, then x_j - t <= 0 for the ceilings, with t as the last column.
CoinPackedMatrix packed(const ConvexProgram& program) {
  const Index n = program.cost.size(), m = program.right.size();
  const Index capped = program.capped;
  std::vector<int> row, column;
  std::vector<double> value;
  const auto size = static_cast<std::size_t>(program.rows.nonZeros() + 2 * capped);
  row.reserve(size), column.reserve(size), value.reserve(size);
  for (Index i = 0; i < m; ++i) {
    for (SparseMatrix::InnerIterator entry(program.rows, i); entry; ++entry) {
      row.push_back(static_cast<int>(i));
      column.push_back(static_cast<int>(entry.col()));
      value.push_back(entry.value());
    }
  }
  for (Index j = 0; j < capped; ++j) {
    row.insert(row.end(), 2, static_cast<int>(m + j));
    column.push_back(static_cast<int>(j));
    column.push_back(static_cast<int>(n));
    value.push_back(1);
    value.push_back(-1);
  }
  CoinPackedMatrix matrix(/*colordered=*/true, row.data(), column.data(), value.data(),
                          static_cast<int>(value.size()));
  matrix.setDimensions(static_cast<int>(m + capped), static_cast<int>(n + (capped > 0 ? 1 : 0)));
  return matrix;
}

}  // namespace

std::optional<ProgramPoint> solve_by_simplex(const ConvexProgram& program) {
  const Index n = program.cost.size(), m = program.right.size(), capped = program.capped;
  const Index columns = n + (capped > 0 ? 1 : 0);
  Vector cost = Vector::Constant(columns, program.price);
  cost.head(n) = program.cost;
  const double unit = unit_of(cost.lpNorm<Eigen::Infinity>());
  cost /= unit;
  Vector lower = Vector::Zero(columns);
  for (Index j = 0; j < n; ++j) {
    if (program.is_free[static_cast<std::size_t>(j)]) lower(j) = -COIN_DBL_MAX;
  }
  const Vector upper = Vector::Constant(columns, COIN_DBL_MAX);
  Vector row_lower = Vector::Constant(m + capped, -COIN_DBL_MAX);
  Vector row_upper = Vector::Zero(m + capped);
  row_lower.head(m) = program.right;
  row_upper.head(m) = program.right;

  ClpSimplex simplex;
  simplex.setLogLevel(0);
  simplex.loadProblem(packed(program), lower.data(), upper.data(), cost.data(), row_lower.data(),
                      row_upper.data());
  simplex.setPerturbation(100);  // none: the vertex is wanted exactly
  simplex.setPrimalTolerance(kTolerance);
  simplex.setDualTolerance(kTolerance);
  simplex.dual();
  if (!simplex.isProvenOptimal()) simplex.primal();
  if (!simplex.isProvenOptimal()) return std::nullopt;
  const Eigen::Map<const Vector> x(simplex.primalColumnSolution(), columns);
  const Eigen::Map<const Vector> y(simplex.dualRowSolution(), m + capped);
  return ProgramPoint{.x = x.head(n),
                      .multipliers = unit * y.head(m),
                      .ceilings = (-unit * y.tail(capped)).cwiseMax(0.0)};
}

}  // namespace rgu
