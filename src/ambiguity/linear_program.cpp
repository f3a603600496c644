#include "rgu/ambiguity/linear_program.hpp"

#include <fmt/format.h>

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <cmath>
#include <vector>

#include "rgu/base/check.hpp"

namespace rgu {

class LinearProgram::Model {
 public:
  ClpSimplex simplex;
};

namespace {

constexpr double kTolerance = 1e-10;  // the smallest that Clp takes
constexpr double kObjective = 16384;  // its largest coefficient: more makes the tolerance relative
                                      // to it smaller, and much more lets rounding exceed it

CoinPackedMatrix packed(const Matrix& rows) {
  CoinPackedMatrix matrix(/*colordered=*/false, 0, 0);
  matrix.setDimensions(0, static_cast<int>(rows.cols()));
  std::vector<int> index;
  std::vector<double> value;
  for (Index i = 0; i < rows.rows(); ++i) {
    index.clear();
    value.clear();
    for (Index j = 0; j < rows.cols(); ++j) {
      if (rows(i, j) == 0.0) continue;
      index.push_back(static_cast<int>(j));
      value.push_back(rows(i, j));
    }
    matrix.appendRow(static_cast<int>(index.size()), index.data(), value.data());
  }
  return matrix;
}

}  // namespace

LinearProgram::LinearProgram(const LinearConstraints& constraints)
    : model_(std::make_unique<Model>()) {
  ClpSimplex& simplex = model_->simplex;
  simplex.setLogLevel(0);
  const Vector no_lower = Vector::Constant(constraints.rows.rows(), -COIN_DBL_MAX);
  simplex.loadProblem(packed(constraints.rows), constraints.columns.lower.data(),
                      constraints.columns.upper.data(), nullptr, no_lower.data(),
                      constraints.offsets.data());
  simplex.setOptimizationDirection(-1);
  simplex.setPerturbation(100);  // none: small programs, and the vertex is wanted exactly
  simplex.setPrimalTolerance(kTolerance);
  simplex.setDualTolerance(kTolerance);
}

LinearProgram::~LinearProgram() = default;

double unit_of(double size) { return size > 0 ? std::exp2(std::ilogb(size)) : 1.0; }

LinearProgramSolution LinearProgram::maximise(const Vector& objective) {
  ClpSimplex& simplex = model_->simplex;
  const double unit = unit_of(objective.lpNorm<Eigen::Infinity>()) / kObjective;
  for (Index j = 0; j < objective.size(); ++j) {
    simplex.setObjectiveCoefficient(static_cast<int>(j), objective(j) / unit);
  }
  simplex.primal();
  if (!simplex.isProvenOptimal()) {
    throw NotConverged(fmt::format(
        "linear program with {} rows and {} columns ended without an optimum, status {}",
        simplex.numberRows(), simplex.numberColumns(), simplex.status()));
  }
  return {.point = Eigen::Map<const Vector>(simplex.primalColumnSolution(), objective.size()),
          .multipliers =
              unit *
              Eigen::Map<const Vector>(simplex.dualRowSolution(), simplex.numberRows()).cwiseAbs()};
}

}  // namespace rgu
