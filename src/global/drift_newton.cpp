#include "rgu/global/drift_newton.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/lapack.hpp"

extern "C" {
void dtrsv_(const char* uplo, const char* trans, const char* diag, const int* n, const double* a,
            const int* lda, double* x, const int* incx);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* beta, double* c, const int* ldc);
}

namespace rgu {

namespace {

using Columns = Eigen::MatrixXd;

constexpr Index kBlock = 256;       // pairs whose rows are multiplied out at once
constexpr int kRefinements = 3;     // at most
constexpr double kRefined = 1e-10;  // a relative correction that needs no other
// Of the diagonal, if rounding has made the normal matrix indefinite.
constexpr double kLifts[] = {0, 1e-13, 1e-10};

// Calls visit(s, coefficient) for the entries of row i of B; a state may come twice.
template <class Visit>
void for_each_entry(const FiniteMdp& mdp, Index i, const Visit& visit) {
  visit(i / mdp.actions(), 1.0);
  for (SparseMatrix::InnerIterator entry(mdp.sparse_kernel(), i); entry; ++entry) {
    visit(Index{entry.col()}, -mdp.discount() * entry.value());
  }
}

// normal += rows' * rows, on the lower triangle.
void add_gram(const Matrix& rows, Index count, Eigen::Ref<Columns> normal) {
  const int width = static_cast<int>(rows.cols()), depth = static_cast<int>(count);
  const int stride = static_cast<int>(normal.outerStride());
  const double one = 1;
  dsyrk_("L", "N", &width, &depth, &one, rows.data(), &width, &one, normal.data(), &stride);
}

// corner += the matrix of dQ -> W dQ W in packed form, on the lower triangle. Its entry for
// (i, j), (k, l) is (W_ik W_jl + W_il W_jk)/2, times sqrt(2) for each pair off the diagonal.
void add_metric(const Columns& metric, Eigen::Ref<Columns> corner) {
  const Index r = metric.rows();
  Index column = 0;
  for (Index l = 0; l < r; ++l) {
    for (Index k = 0; k <= l; ++k, ++column) {
      const double own = k == l ? 0.5 : 0.5 * std::numbers::sqrt2;
      double* out = corner.col(column).data();
      const double* to_k = metric.col(k).data();
      const double* to_l = metric.col(l).data();
      Index row = l * (l + 1) / 2;
      for (Index j = l; j < r; ++j) {
        const double one = std::numbers::sqrt2 * own * to_l[j];
        const double other = std::numbers::sqrt2 * own * to_k[j];
        for (Index i = 0; i < j; ++i) out[row + i] += to_k[i] * one + to_l[i] * other;
        out[row + j] += 2 * own * to_k[j] * to_l[j];
        row += j + 1;
      }
    }
  }
}

}  // namespace

Vector packed(const Columns& matrix) {
  const Index n = matrix.rows();
  Vector result(n * (n + 1) / 2);
  double* out = result.data();
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < j; ++i) *out++ = std::numbers::sqrt2 * matrix(i, j);
    *out++ = matrix(j, j);
  }
  return result;
}

Columns unpacked(const Vector& entries, Index order) {
  Columns result(order, order);
  const double* in = entries.data();
  for (Index j = 0; j < order; ++j) {
    for (Index i = 0; i < j; ++i) result(i, j) = result(j, i) = *in++ / std::numbers::sqrt2;
    result(j, j) = *in++;
  }
  return result;
}

DriftNewton::DriftNewton(const DriftProgram& program, Coefficients coefficients,
                         Elimination elimination)
    : program_(program), at_(std::move(coefficients)) {
  prepare_blas();
  if (elimination == Elimination::kPairs) {
    factorise_normal_matrix();
  } else {
    factorise_hessian();
  }
}

void DriftNewton::factorise_normal_matrix() {
  metric_ = product_transposed(at_.scaling, at_.scaling);
  const Index size = at_.root.rows();
  links_.resize(program_.products(), size);
  for (Index k = 0; k < size; ++k) {
    links_.col(k) = packed(program_.on_axes(Vector::Unit(size, k)));
  }
  at_.root.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(links_);
  for (const double lift : kLifts) {
    factor_ = normal_matrix();
    factor_.diagonal() *= 1 + lift;
    if (solvable_ = cholesky_in_place(factor_); solvable_) return;
  }
}

// [[B'T B, -B'T C'], [-C T B, C T C' + W x W + A H^-1 A*]] with T = diag(theta) and column i of C
// the packed phi_i phi_i', on the lower triangle. Rows of a sparse kernel are used as such.
Columns DriftNewton::normal_matrix() const {
  const FiniteMdp& mdp = program_.mdp;
  const Index m = mdp.states(), r = program_.order(), p = program_.products();
  const Index n = at_.theta.size(), first = mdp.is_sparse() ? m : 0;
  Columns normal = Columns::Zero(m + p, m + p);
  Matrix rows(std::min(n, kBlock), m + p - first);
  for (Index begin = 0; begin < n; begin += kBlock) {
    const Index count = std::min(kBlock, n - begin);
    for (Index k = 0; k < count; ++k) {
      const Index i = begin + k;
      const double root = std::sqrt(at_.theta(i));
      double* out = rows.row(k).data() + (m - first);
      const double* phi = program_.features.col(i).data();
      for (Index b = 0; b < r; ++b) {
        const double scaled = -root * std::numbers::sqrt2 * phi[b];
        for (Index a = 0; a < b; ++a) *out++ = scaled * phi[a];
        *out++ = -root * phi[b] * phi[b];
      }
      if (mdp.is_sparse()) {
        for_each_entry(mdp, i, [&](Index s, double value) {
          for_each_entry(mdp, i, [&](Index other, double factor) {
            if (other >= s) normal(other, s) += at_.theta(i) * value * factor;
          });
          normal.col(s).tail(p) += root * value * rows.row(k).transpose();
        });
      } else {
        rows.row(k).head(m) = -root * mdp.discount() * mdp.dense_kernel().row(i);
        rows(k, i / mdp.actions()) += root;
      }
    }
    add_gram(rows, count, normal.bottomRightCorner(m + p - first, m + p - first));
  }
  add_metric(metric_, normal.bottomRightCorner(p, p));
  add_gram(links_.transpose(), links_.cols(), normal.bottomRightCorner(p, p));
  return normal;
}

DriftNewton::Solution DriftNewton::solve_by_equations(const Side& side) const {
  const Index m = program_.mdp.states(), p = program_.products();
  const Vector weighted = at_.theta.cwiseProduct(side.pairs);
  const auto upper = at_.root.triangularView<Eigen::Upper>();
  Vector right(m + p);
  right.head(m) = program_.outflow(weighted) - side.flow;
  right.tail(p) =
      packed(side.moment - program_.moment(weighted)) - links_ * upper.transpose().solve(side.free);
  const int order = static_cast<int>(right.size()), one = 1;
  for (const char* transpose : {"N", "T"}) {
    dtrsv_("L", transpose, "N", &order, factor_.data(), &order, right.data(), &one);
  }
  Solution solution;
  solution.y = right.head(m);
  solution.second = unpacked(right.tail(p), program_.order());
  solution.lambda = at_.theta.cwiseProduct(side.pairs - program_.balance(solution.y) +
                                           program_.costs(solution.second));
  solution.free =
      upper.solve(upper.transpose().solve(side.free + program_.on_free(solution.second)));
  return solution;
}

DriftNewton::Side DriftNewton::residual(const Side& side, const Solution& at) const {
  const auto upper = at_.root.triangularView<Eigen::Upper>();
  return {.pairs = side.pairs - program_.balance(at.y) + program_.costs(at.second) -
                   at.lambda.cwiseQuotient(at_.theta),
          .flow = side.flow - program_.outflow(at.lambda),
          .moment = side.moment - program_.moment(at.lambda) - program_.on_axes(at.free) -
                    product(metric_, product(at.second, metric_)),
          .free = side.free + program_.on_free(at.second) - upper.transpose() * (upper * at.free)};
}

// With U = P^-1 (phi, a): entries (U'U)_kl^2 for the pairs and the axes; those of h_j are minus
// those of axis j, and those of kappa are the sums over the axes j > d.
void DriftNewton::factorise_hessian() {
  const Index n = at_.theta.size(), r = program_.order(), d = program_.rows();
  Columns seen(r, n + r);
  seen << product(at_.inverse, program_.features), product(at_.inverse, program_.axes);
  const Columns squares = transposed_product(seen, seen).cwiseAbs2();
  const Eigen::RowVectorXd rest = squares.bottomRows(r - d).colwise().sum();

  Columns hessian = Columns::Zero(n + d + 2, n + d + 2);
  hessian.topLeftCorner(n, n) = squares.topLeftCorner(n, n);
  hessian.diagonal().head(n) += at_.theta.cwiseInverse();
  hessian.block(n, 0, d, n) = -squares.block(n, 0, d, n);
  hessian.block(n, n, d, d) = squares.block(n, n, d, d);
  hessian.row(n + d).head(n) = rest.head(n);
  hessian.row(n + d).segment(n, d) = -rest.segment(n, d);
  hessian(n + d, n + d) = rest.tail(r - d).sum();
  hessian.bottomRightCorner(d + 2, d + 2) += at_.root.transpose() * at_.root;

  balance_ = Matrix::Zero(n + d + 2, program_.mdp.states());
  balance_.topRows(n) = program_.balance_matrix();
  // Where B'dlambda is given, weight B B' changes nothing but the accuracy: without it the Hessian
  // gets as flat as the gap squared across the equations.
  weight_ = squares.diagonal().head(n).mean();
  const Columns flows = balance_.topRows(n);
  hessian.topLeftCorner(n, n) += weight_ * product_transposed(flows, flows);
  newton_.emplace(std::move(hessian), balance_);
  solvable_ = newton_->solvable();
  metric_ = transposed_product(at_.inverse, at_.inverse);
}

DriftNewton::Solution DriftNewton::solve_by_pairs(const Side& side) const {
  const Index n = at_.theta.size(), d = program_.rows();
  const Columns pushed = product(metric_, product(side.moment, metric_));
  Vector right(n + d + 2);
  right << side.pairs + program_.costs(pushed), side.free + program_.on_free(pushed);
  right += weight_ * (balance_ * side.flow);
  auto [x, y] = newton_->solve(right, side.flow);
  Solution solution{.lambda = x.head(n), .y = std::move(y), .second = {}, .free = x.tail(d + 2)};
  const Columns left =
      side.moment - program_.moment(solution.lambda) - program_.on_axes(solution.free);
  solution.second = product(metric_, product(left, metric_));
  return solution;
}

DriftNewton::Solution DriftNewton::solve(const Side& side) const {
  if (newton_) return solve_by_pairs(side);
  Solution solution = solve_by_equations(side);
  for (int k = 0; k < kRefinements; ++k) {
    const Solution more = solve_by_equations(residual(side, solution));
    solution.lambda += more.lambda;
    solution.y += more.y;
    solution.second += more.second;
    solution.free += more.free;
    if (more.lambda.norm() <= kRefined * solution.lambda.norm() &&
        more.second.norm() <= kRefined * solution.second.norm()) {
      break;
    }
  }
  return solution;
}

}  // namespace rgu
