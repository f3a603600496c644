// The promised size: 10^6 states and 10^7 transitions.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "laws/models.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {
namespace {

// Largest memory this process ever held, in bytes.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

TEST(LargeModel, OccupanciesAndValuesStayAccurateInLinearMemory) {
  Rng rng(1);
  constexpr Index kStates = 1000000;
  constexpr Index kActions = 2;
  constexpr Index kBranching = 5;
  SparseMatrix kernel(kStates * kActions, kStates);
  kernel.reserve(Eigen::VectorXi::Constant(kStates * kActions, kBranching));
  for (Index row = 0; row < kStates * kActions; ++row) {
    for (Index b = 0; b < kBranching; ++b) {
      kernel.coeffRef(row, static_cast<Index>(rng.below(kStates))) += 1.0 / kBranching;
    }
  }
  for (const double discount : {0.95, 0.999}) {
    const FiniteMdp mdp(kernel, Vector::Constant(kStates, 1.0 / kStates), discount);
    const Matrix pi = testing_models::random_policy(mdp, 2);
    const double before = peak_memory();
    const PolicyEvaluation evaluation(mdp, pi);
    const Matrix lambda = evaluation.occupancy();
    EXPECT_LE(flow_residual(mdp, lambda), 1e-10);
    EXPECT_NEAR(lambda.sum(), 1.0, 1e-9);
    const Vector value = evaluation.value(pi);
    EXPECT_LE((evaluation.action_value(pi).cwiseProduct(pi).rowwise().sum() - value)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-10 * value.cwiseAbs().maxCoeff());
    // 16 bytes an entry and a few dozen vectors over the states.
    const auto transitions = static_cast<double>(mdp.transitions());
    EXPECT_LE(peak_memory() - before, 16 * transitions + 60 * 8.0 * kStates);
  }
}

}  // namespace
}  // namespace rgu
