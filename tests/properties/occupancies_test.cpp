// Occupancies and values of random policies, recomputed from the raw model.
#include <cmath>

#include "laws/models.hpp"
#include "properties/drawn.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {
namespace {

// What the equations may be off by: sums of S A terms of size 1, and the residual of Krylov solves.
double flow_slack(const FiniteMdp& mdp) {
  const double rounding = 16 * kEps * static_cast<double>(mdp.states() * mdp.actions());
  return rounding + (mdp.is_sparse() ? EvaluationOptions().residual : 0);
}

// The flow equations, term by term.
double worst_imbalance(const FiniteMdp& mdp, const Matrix& lambda) {
  const Matrix kernel = mdp.is_sparse() ? Matrix(mdp.sparse_kernel()) : mdp.dense_kernel();
  double worst = 0;
  for (Index next = 0; next < mdp.states(); ++next) {
    double inflow = (1 - mdp.discount()) * mdp.start()(next);
    for (Index row = 0; row < kernel.rows(); ++row) {
      inflow += mdp.discount() * kernel(row, next) * lambda.data()[row];
    }
    worst = std::max(worst, std::abs(lambda.row(next).sum() - inflow));
  }
  return worst;
}

RC_GTEST_PROP(OccupancyProperties, FlowEquationsHold, (const drawn::Model& drawn)) {
  const FiniteMdp mdp = made(drawn);
  Rng rng(drawn.seed, 1);
  const Matrix lambda = occupancy(mdp, drawn::policy_of(mdp, rng));
  RC_ASSERT(lambda.minCoeff() >= 0);
  RC_ASSERT(std::abs(lambda.sum() - 1) <= 1e-12);
  RC_ASSERT(worst_imbalance(mdp, lambda) <= flow_slack(mdp));
  RC_ASSERT(flow_residual(mdp, lambda) <= flow_slack(mdp));
}

RC_GTEST_PROP(OccupancyProperties, PolicyIsRecovered, (const drawn::Model& drawn)) {
  const FiniteMdp mdp = made(drawn);
  Rng rng(drawn.seed, 1);
  const Matrix pi = drawn::policy_of(mdp, rng);
  const Matrix lambda = occupancy(mdp, pi);
  const Matrix recovered = policy_from_occupancy(lambda);
  const double even = 1 / static_cast<double>(mdp.actions());
  for (Index s = 0; s < mdp.states(); ++s) {
    const double mass = lambda.row(s).sum();
    RC_ASSERT(std::abs(recovered.row(s).sum() - 1) <= 8 * kEps);
    if (mass == 0) RC_ASSERT((recovered.row(s).array() == even).all());
    // Below this, probabilities times the mass are no longer normal numbers.
    if (mass > 1e-290) RC_ASSERT((recovered.row(s) - pi.row(s)).norm() <= 16 * kEps);
  }
}

RC_GTEST_PROP(OccupancyProperties, UnreachableStatesHaveNoMass, (const drawn::Model& drawn)) {
  const FiniteMdp mdp = made(drawn);
  Rng rng(drawn.seed, 1);
  const Matrix lambda = occupancy(mdp, drawn::policy_of(mdp, rng));
  const Vector entered = mdp.push_forward(Matrix::Ones(mdp.states(), mdp.actions())) + mdp.start();
  for (Index s = 0; s < mdp.states(); ++s) {
    if (entered(s) == 0) RC_ASSERT(lambda.row(s).sum() <= (mdp.is_sparse() ? 1e-12 : 0));
  }
}

// An error r of the flow equations moves the occupancy by up to r / (1-g).
RC_GTEST_PROP(OccupancyProperties, DenseAndSparseAgree, (const drawn::Model& drawn)) {
  const FiniteMdp mdp = made(drawn);
  const FiniteMdp other =
      mdp.is_sparse() ? testing_models::as_dense(mdp) : testing_models::as_sparse(mdp);
  Rng rng(drawn.seed, 1);
  const Matrix pi = drawn::policy_of(mdp, rng);
  const double slack = flow_slack(mdp) + flow_slack(other);
  RC_ASSERT((occupancy(mdp, pi) - occupancy(other, pi)).lpNorm<1>() <=
            4 * slack * static_cast<double>(mdp.states()) / (1 - mdp.discount()));
}

RC_GTEST_PROP(OccupancyProperties, ValuesSolveTheirEquationAndPairWithOccupancies,
              (const drawn::Model& drawn)) {
  const FiniteMdp mdp = made(drawn);
  Rng rng(drawn.seed, 1);
  const Matrix pi = drawn::policy_of(mdp, rng);
  const double size = std::pow(10.0, rng.uniform(-12, 12));
  const Matrix cost =
      Matrix::NullaryExpr(mdp.states(), mdp.actions(), [&] { return size * rng.normal(); });
  const PolicyEvaluation evaluation(mdp, pi);
  const Vector value = evaluation.value(cost);
  const Vector next =
      (cost + mdp.discount() * mdp.expected_next(value)).cwiseProduct(pi).rowwise().sum();
  const double largest = cost.cwiseAbs().maxCoeff();
  const double slack = 64 * kEps * static_cast<double>(mdp.states() * mdp.actions()) *
                           (value.lpNorm<Eigen::Infinity>() + largest) +
                       (mdp.is_sparse() ? EvaluationOptions().residual * largest : 0);
  RC_ASSERT((next - value).lpNorm<Eigen::Infinity>() <= slack);
  const double paired = (1 - mdp.discount()) * mdp.start().dot(value);
  const double summed = evaluation.occupancy().cwiseProduct(cost).sum();
  RC_ASSERT(std::abs(paired - summed) <=
            2 * slack + flow_slack(mdp) * largest / (1 - mdp.discount()));
}

RC_GTEST_PROP(OccupancyProperties, TruncationLosesThePowerOfTheDiscount,
              (const drawn::Model& drawn)) {
  const FiniteMdp mdp = made(drawn);
  Rng rng(drawn.seed, 1);
  const Matrix pi = drawn::policy_of(mdp, rng);
  const auto horizon = static_cast<Index>(1 + rng.below(50));
  const Matrix truncated = truncated_occupancy(mdp, pi, horizon);
  const double lost = std::pow(mdp.discount(), static_cast<double>(horizon));
  RC_ASSERT(std::abs(truncated.sum() - (1 - lost)) <= 1e-12);
  const double slack =
      8 * flow_slack(mdp) * static_cast<double>(mdp.states()) / (1 - mdp.discount());
  RC_ASSERT((occupancy(mdp, pi) - truncated).minCoeff() >= -slack);
}

}  // namespace
}  // namespace rgu
