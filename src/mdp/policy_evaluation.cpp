#include "rgu/mdp/policy_evaluation.hpp"

#include "rgu/base/check.hpp"
#include "rgu/mdp/discounted_system.hpp"
#include "rgu/mdp/policy.hpp"

namespace rgu {
namespace {

// (I - g P_pi)' in column-major order, so that a row of P_pi is contiguous. One read of the kernel.
Eigen::MatrixXd transposed_system(const FiniteMdp& mdp, const Matrix& pi) {
  const Matrix& kernel = mdp.dense_kernel();
  const Index actions = mdp.actions();
  Eigen::MatrixXd system(mdp.states(), mdp.states());
  for (Index s = 0; s < mdp.states(); ++s) {
    auto column = system.col(s);
    column.noalias() = (-mdp.discount() * pi(s, 0)) * kernel.row(s * actions).transpose();
    for (Index a = 1; a < actions; ++a) {
      column.noalias() += (-mdp.discount() * pi(s, a)) * kernel.row(s * actions + a).transpose();
    }
    column(s) += 1.0;
  }
  return system;
}

std::variant<LuFactor, DiscountedSystem> make_system(const FiniteMdp& mdp, const Matrix& pi) {
  check_policy(pi, mdp.states(), mdp.actions());
  if (mdp.is_sparse()) return DiscountedSystem(mdp.sparse_kernel(), pi, mdp.discount());
  return LuFactor(transposed_system(mdp, pi));
}

}  // namespace

PolicyEvaluation::PolicyEvaluation(const FiniteMdp& mdp, Matrix pi, EvaluationOptions options)
    : mdp_(mdp), pi_(std::move(pi)), options_(options), system_(make_system(mdp, pi_)) {
  check_positive("residual", options.residual);
}

Vector PolicyEvaluation::state_occupancy() const {
  const Vector source = (1.0 - mdp_.discount()) * mdp_.start();
  if (const auto* lu = std::get_if<LuFactor>(&system_)) return lu->solve(source);
  return std::get<DiscountedSystem>(system_).solve_flow(source, options_.residual);
}

Matrix PolicyEvaluation::occupancy() const { return state_occupancy().asDiagonal() * pi_; }

Vector PolicyEvaluation::value(const Matrix& cost) const {
  check_shape("cost", cost, {mdp_.states(), mdp_.actions()});
  const Vector cost_pi = cost.cwiseProduct(pi_).rowwise().sum();
  if (const auto* lu = std::get_if<LuFactor>(&system_)) return lu->solve_transposed(cost_pi);
  return std::get<DiscountedSystem>(system_).solve_value(
      cost_pi, options_.residual * cost_pi.lpNorm<Eigen::Infinity>());
}

Matrix PolicyEvaluation::action_value(const Matrix& cost) const {
  return cost + mdp_.discount() * mdp_.expected_next(value(cost));
}

}  // namespace rgu
