#include "rgu/large/spread_evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/large/spread_kernel.hpp"
#include "rgu/mdp/policy.hpp"

namespace rgu {
namespace {

// One of the two blocks in which PETSc keeps the own rows: the own columns, or those of others that
// occur, numbered in order.
class KernelBlock {
 public:
  explicit KernelBlock(Mat block) : block_(block) {
    PetscInt rows = 0;
    PetscBool given = PETSC_FALSE;
    check_petsc(
        MatGetRowIJ(block_, 0, PETSC_FALSE, PETSC_FALSE, &rows, &begins_, &columns_, &given));
    check_petsc(MatSeqAIJGetArrayRead(block_, &values_));
  }
  ~KernelBlock() {
    PetscInt rows = 0;
    PetscBool given = PETSC_FALSE;
    MatSeqAIJRestoreArrayRead(block_, &values_);
    MatRestoreRowIJ(block_, 0, PETSC_FALSE, PETSC_FALSE, &rows, &begins_, &columns_, &given);
  }
  KernelBlock(const KernelBlock&) = delete;
  KernelBlock& operator=(const KernelBlock&) = delete;

  PetscInt begin(Index row) const { return begins_[row]; }
  PetscInt end(Index row) const { return begins_[row + 1]; }
  PetscInt column(PetscInt entry) const { return columns_[entry]; }
  double value(PetscInt entry) const { return values_[entry]; }

 private:
  Mat block_;
  const PetscInt* begins_ = nullptr;
  const PetscInt* columns_ = nullptr;
  const double* values_ = nullptr;
};

struct CompressedRows {
  std::vector<PetscInt> begins = {0};
  std::vector<PetscInt> columns = {};
  std::vector<double> values = {};
};

// Rows of -g P_pi, merged and in the order of the columns; with the identity where asked for.
CompressedRows policy_rows(const KernelBlock& block, const Matrix& pi, double discount,
                           bool identity) {
  CompressedRows rows;
  const Index actions = pi.cols();
  std::size_t room = identity ? static_cast<std::size_t>(pi.rows()) : 0;
  for (Index row = 0; row < pi.size(); ++row) {
    if (pi.data()[row] != 0) room += static_cast<std::size_t>(block.end(row) - block.begin(row));
  }
  rows.begins.reserve(static_cast<std::size_t>(pi.rows()) + 1);
  rows.columns.reserve(room);
  rows.values.reserve(room);
  std::vector<std::pair<PetscInt, double>> entries;
  for (Index s = 0; s < pi.rows(); ++s) {
    entries.clear();
    if (identity) entries.emplace_back(static_cast<PetscInt>(s), 1.0);
    for (Index a = 0; a < actions; ++a) {
      const double weight = -discount * pi(s, a);
      if (weight == 0) continue;
      const Index row = s * actions + a;
      for (PetscInt e = block.begin(row); e < block.end(row); ++e) {
        entries.emplace_back(block.column(e), weight * block.value(e));
      }
    }
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::size_t first = rows.columns.size();
    for (const auto& [column, value] : entries) {
      if (rows.columns.size() > first && rows.columns.back() == column) {
        rows.values.back() += value;
      } else {
        rows.columns.push_back(column);
        rows.values.push_back(value);
      }
    }
    rows.begins.push_back(static_cast<PetscInt>(rows.columns.size()));
  }
  return rows;
}

std::string complaint_about(const Matrix& pi, const SpreadModel& model) {
  try {
    check_policy(pi, model.own().size(), model.actions());
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return {};
}

void check_policy_together(const Matrix& pi, const SpreadModel& model) {
  const std::vector<std::string> complaints = model.ranks().gather(complaint_about(pi, model));
  for (std::size_t rank = 0; rank < complaints.size(); ++rank) {
    check(complaints[rank].empty(), "rank {}: {}", rank, complaints[rank]);
  }
}

}  // namespace

// The arrays are the matrix's: it is destroyed before them.
struct SpreadEvaluation::System {
  CompressedRows own;     // columns of this rank, numbered from its first
  CompressedRows others;  // columns of other ranks, by their numbers in the whole
  OwnedMat matrix;
  OwnedKsp solver;
  OwnedVec right;
  OwnedVec solution;
};

SpreadEvaluation::SpreadEvaluation(const SpreadModel& model, Matrix pi, double residual)
    : model_(model), pi_(std::move(pi)), residual_(residual), system_(std::make_unique<System>()) {
  check_policy_together(pi_, model);
  check_positive("residual", residual);
  System& system = *system_;
  Mat own = nullptr, others = nullptr;
  const PetscInt* numbers = nullptr;  // of the columns of others
  check_petsc(MatMPIAIJGetSeqAIJ(model.kernel().matrix.get(), &own, &others, &numbers));
  system.own = policy_rows(KernelBlock(own), pi_, model.discount(), true);
  system.others = policy_rows(KernelBlock(others), pi_, model.discount(), false);
  for (PetscInt& column : system.others.columns) column = numbers[column];
  const auto rows = static_cast<PetscInt>(model.own().size());
  const auto all = static_cast<PetscInt>(model.states());
  Mat matrix = nullptr;
  check_petsc(MatCreateMPIAIJWithSplitArrays(
      PETSC_COMM_WORLD, rows, rows, all, all, system.own.begins.data(), system.own.columns.data(),
      system.own.values.data(), system.others.begins.data(), system.others.columns.data(),
      system.others.values.data(), &matrix));
  system.matrix.reset(matrix);
  system.right = left_vector(matrix);
  system.solution = right_vector(matrix);
  KSP solver = nullptr;
  check_petsc(KSPCreate(PETSC_COMM_WORLD, &solver));
  system.solver.reset(solver);
  check_petsc(KSPSetOperators(solver, matrix, matrix));
  check_petsc(KSPSetType(solver, KSPBCGS));
  check_petsc(KSPSetInitialGuessNonzero(solver, PETSC_TRUE));
  PC preconditioner = nullptr;
  check_petsc(KSPGetPC(solver, &preconditioner));
  check_petsc(PCSetType(preconditioner, PCNONE));
  check_petsc(KSPSetFromOptions(solver));
}

SpreadEvaluation::~SpreadEvaluation() = default;

// Flow: |right - A' x|_1; values: |right - A x|_inf.
Vector SpreadEvaluation::solved(Side side, const Vector& right, double tolerance,
                                const Vector& guess) const {
  const System& system = *system_;
  const bool flow = side == Side::kFlow;
  const NormType kind = flow ? NORM_1 : NORM_INFINITY;
  Vec b = system.right.get(), x = system.solution.get();
  const OwnedVec kept = right_vector(system.matrix.get());
  const OwnedVec left_over = right_vector(system.matrix.get());
  copy(right.data(), b);
  copy(guess.data(), x);
  const auto norm_of = [&](Vec vector) {
    double norm = 0;
    check_petsc(VecNorm(vector, kind, &norm));
    return norm;
  };
  const auto residual = [&] {
    const auto product = flow ? MatMultTranspose : MatMult;
    check_petsc(product(system.matrix.get(), x, left_over.get()));
    check_petsc(VecAYPX(left_over.get(), -1, b));
    return norm_of(left_over.get());
  };
  const double scale = norm_of(b);
  if (scale == 0) return Vector::Zero(right.size());
  double reached = residual();
  for (int round = 0; round < 10 && reached > tolerance; ++round) {
    // PETSc looks at |residual|_2: it must fall as the norm that counts has to.
    double length = 0;
    check_petsc(VecNorm(left_over.get(), NORM_2, &length));
    const double target = 0.3 * std::min(tolerance / reached, 1.0) * length;
    check_petsc(KSPSetTolerances(system.solver.get(), 0, target, PETSC_DEFAULT, 1000));
    check_petsc(VecCopy(x, kept.get()));
    check_petsc(flow ? KSPSolveTranspose(system.solver.get(), b, x)
                     : KSPSolve(system.solver.get(), b, x));
    const double now = residual();
    if (now < 0.5 * reached) {
      reached = now;
      continue;
    }
    if (!(now < reached)) {  // or not a number
      check_petsc(VecCopy(kept.get(), x));
      reached = residual();
    } else {
      reached = now;
    }
    break;
  }
  // Below this, rounding in the product hides the residual.
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * (norm_of(x) + scale);
  while (reached > std::max(tolerance, rounding)) {
    check_petsc(VecAXPY(x, 1, left_over.get()));
    reached = residual();
  }
  return own_entries(x);
}

Vector SpreadEvaluation::state_occupancy() const {
  const Vector source = (1 - model_.discount()) * model_.start();
  Vector d = solved(Side::kFlow, source, residual_, model_.start());
  // Rounding may leave entries below 0 where nothing goes.
  return d.cwiseMax(0.0);
}

Matrix SpreadEvaluation::occupancy() const { return state_occupancy().asDiagonal() * pi_; }

Vector policy_cost(const Matrix& pi, const Matrix& cost) {
  return pi.cwiseProduct(cost).rowwise().sum();
}

Vector SpreadEvaluation::value(const Matrix& cost) const {
  check_shape("cost", cost, {model_.own().size(), model_.actions()});
  const Vector own = policy_cost(pi_, cost);
  const double scale =
      largest(model_.ranks(), own.size() > 0 ? own.lpNorm<Eigen::Infinity>() : 0.0);
  return solved(Side::kValues, own, residual_ * scale, own);
}

Vector SpreadEvaluation::value_within(const Vector& policy_cost, double tolerance,
                                      const Vector& guess) const {
  return solved(Side::kValues, policy_cost, tolerance, guess);
}

Matrix SpreadEvaluation::action_value(const Matrix& cost) const {
  return cost + model_.discount() * model_.expected_next(value(cost));
}

double flow_residual(const SpreadModel& model, const Matrix& occupancy) {
  const Vector imbalance = occupancy.rowwise().sum() - (1 - model.discount()) * model.start() -
                           model.discount() * model.push_forward(occupancy);
  double worst = 0;
  if (imbalance.size() > 0) {
    worst = std::max(imbalance.lpNorm<Eigen::Infinity>(), std::max(0.0, -occupancy.minCoeff()));
  }
  return largest(model.ranks(), worst);
}

}  // namespace rgu
