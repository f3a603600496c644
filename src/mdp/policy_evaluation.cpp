#include "rgu/mdp/policy_evaluation.hpp"

#include <cmath>
#include <utility>

#include "rgu/base/check.hpp"
#include "rgu/base/dense_kernels.hpp"
#include "rgu/mdp/policy.hpp"

namespace rgu {
namespace {

using System = std::variant<LuFactor, DominantLu, DiscountedSystem, SubtractionFreeLu>;

// Where elimination without subtractions is used. Nearer to 1 than this, up to this many states (a
// matrix of 32 MB), because other factorisations lose 5 digits and more, and Krylov iterations may
// not end; on small sparse models earlier, because there it is faster than Krylov iterations.
constexpr Index kLargestNearOne = 2000;
constexpr double kSlowlyMixing = 1e-2;
constexpr Index kSmall = 64;

bool by_elimination(const FiniteMdp& mdp) {
  const double left = 1 - mdp.discount();
  if (mdp.is_sparse() && mdp.states() <= kSmall) return left < kSlowlyMixing;
  return mdp.discount() > kDiscountNearOne && mdp.states() <= kLargestNearOne;
}

// P_pi, (S, S).
Matrix chain_of(const FiniteMdp& mdp, const Matrix& pi) {
  Matrix chain = Matrix::Zero(mdp.states(), mdp.states());
  for (Index row = 0; row < pi.size(); ++row) {
    const double weight = pi.data()[row];
    if (weight == 0) continue;
    const Index s = row / mdp.actions();
    if (mdp.is_sparse()) {
      for (SparseMatrix::InnerIterator e(mdp.sparse_kernel(), row); e; ++e) {
        chain(s, e.col()) += weight * e.value();
      }
    } else {
      chain.row(s) += weight * mdp.dense_kernel().row(row);
    }
  }
  return chain;
}

// (I - g P_pi)' in column-major order, so that a row of P_pi is contiguous. Strictly dominant by
// columns: 1 - g P_pi(s|s) > g (1 - P_pi(s|s)).
System make_system(const FiniteMdp& mdp, const Matrix& pi) {
  check_policy(pi, mdp.states(), mdp.actions());
  if (by_elimination(mdp)) {
    return SubtractionFreeLu(chain_of(mdp, pi), mdp.discount());
  }
  if (mdp.is_sparse()) return DiscountedSystem(mdp.sparse_kernel(), pi, mdp.discount());
  const Index states = mdp.states();
  const auto fill = [&](double* columns, Index stride) {
    dense_kernels().discounted_system({.kernel = mdp.dense_kernel().data(),
                                       .policy = pi.data(),
                                       .states = states,
                                       .actions = mdp.actions(),
                                       .discount = mdp.discount()},
                                      columns, stride);
  };
  if (states <= DominantLu::kMaxOrder) return System(std::in_place_type<DominantLu>, states, fill);
  Eigen::MatrixXd system(states, states);
  fill(system.data(), states);
  return LuFactor(std::move(system));
}

// (1-g) rho, as a Vector or without allocation.
template <class Result>
Result flow_source(const FiniteMdp& mdp) {
  return (1.0 - mdp.discount()) * mdp.start();
}

// sum_a cost(s,a) pi(a|s), likewise.
template <class Result>
Result policy_cost(const Matrix& cost, const Matrix& pi) {
  check_shape("cost", cost, {pi.rows(), pi.cols()});
  Result mean(pi.rows());
  const double* c = cost.data();
  const double* p = pi.data();
  for (Index s = 0; s < pi.rows(); ++s, c += pi.cols(), p += pi.cols()) {
    double sum = 0;
    for (Index a = 0; a < pi.cols(); ++a) sum += c[a] * p[a];
    mean[s] = sum;
  }
  return mean;
}

// lambda(s,a) = d(s) pi(a|s).
template <class StateOccupancy>
Matrix joint(const StateOccupancy& d, const Matrix& pi) {
  Matrix lambda(pi.rows(), pi.cols());
  const double* p = pi.data();
  double* to = lambda.data();
  for (Index s = 0; s < pi.rows(); ++s, p += pi.cols(), to += pi.cols()) {
    for (Index a = 0; a < pi.cols(); ++a) to[a] = d[s] * p[a];
  }
  return lambda;
}

// c + g P v.
Matrix with_next(const FiniteMdp& mdp, const Matrix& cost, const double* value) {
  const Matrix& kernel = mdp.dense_kernel();
  Matrix result(cost.rows(), cost.cols());
  dense_kernels().affine({kernel.data(), kernel.rows(), kernel.cols()}, value, cost.data(),
                         mdp.discount(), result.data());
  return result;
}

// Near discount 1 the total, which the equations fix only through 1 - g, drowns in rounding.
template <class StateVector>
StateVector normalised(StateVector d) {
  const double total = d.sum();
  if (std::abs(total - 1) > 1e-12) d /= total;
  return d;
}

}  // namespace

PolicyEvaluation::PolicyEvaluation(const FiniteMdp& mdp, Matrix pi, EvaluationOptions options)
    : mdp_(mdp), pi_(std::move(pi)), options_(options), system_(make_system(mdp, pi_)) {
  check_positive("residual", options.residual);
}

// No mass is negative but by the residual of the solve.
Vector PolicyEvaluation::state_occupancy() const {
  return normalised<Vector>(solved_flow().cwiseMax(0.0));
}

Vector PolicyEvaluation::solved_flow() const {
  const auto source = flow_source<Vector>(mdp_);
  if (const auto* lu = std::get_if<DominantLu>(&system_)) return lu->solve(source);
  if (const auto* lu = std::get_if<LuFactor>(&system_)) return lu->solve(source);
  if (const auto* lu = std::get_if<SubtractionFreeLu>(&system_))
    return lu->solve_transposed(source);
  return std::get<DiscountedSystem>(system_).solve_flow(source, options_.residual);
}

Matrix PolicyEvaluation::occupancy() const {
  if (const auto* lu = std::get_if<DominantLu>(&system_)) {
    return joint(normalised(lu->solve(flow_source<DominantLu::SmallVector>(mdp_))), pi_);
  }
  return joint(state_occupancy(), pi_);
}

Vector PolicyEvaluation::value(const Matrix& cost) const {
  const auto cost_pi = policy_cost<Vector>(cost, pi_);
  if (const auto* lu = std::get_if<DominantLu>(&system_)) return lu->solve_transposed(cost_pi);
  if (const auto* lu = std::get_if<LuFactor>(&system_)) return lu->solve_transposed(cost_pi);
  if (const auto* lu = std::get_if<SubtractionFreeLu>(&system_)) return lu->solve(cost_pi);
  return std::get<DiscountedSystem>(system_).solve_value(
      cost_pi, options_.residual * cost_pi.lpNorm<Eigen::Infinity>());
}

Matrix PolicyEvaluation::action_value(const Matrix& cost) const {
  if (const auto* lu = std::get_if<DominantLu>(&system_)) {
    const auto small = lu->solve_transposed(policy_cost<DominantLu::SmallVector>(cost, pi_));
    return with_next(mdp_, cost, small.data());
  }
  const Vector v = value(cost);
  if (!mdp_.is_sparse()) return with_next(mdp_, cost, v.data());
  return cost + mdp_.discount() * mdp_.expected_next(v);
}

}  // namespace rgu
