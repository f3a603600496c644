#include "rgu/mdp/reachability.hpp"

#include <gtest/gtest.h>

#include "laws/models.hpp"

namespace rgu {
namespace {

// 0 -> 2 -> 0 by either action; 1 -> 0; 3 -> 3. From 0 only 0 and 2 are reached.
const Matrix kKernel{{0, 0, 1, 0}, {0.5, 0, 0.5, 0}, {1, 0, 0, 0}, {1, 0, 0, 0},
                     {1, 0, 0, 0}, {0, 0, 1, 0},     {0, 0, 0, 1}, {0, 0, 0, 1}};

TEST(ReachableStates, AreThoseThatSomePolicyVisits) {
  const FiniteMdp from_first(kKernel, Vector::Unit(4, 0), 0.9);
  EXPECT_EQ(reachable_states(from_first), (std::vector<Index>{0, 2}));
  EXPECT_EQ(reachable_states(testing_models::as_sparse(from_first)), (std::vector<Index>{0, 2}));
  const FiniteMdp from_two(kKernel, Vector{{0, 0.5, 0, 0.5}}, 0.9);
  EXPECT_EQ(reachable_states(from_two), (std::vector<Index>{0, 1, 2, 3}));
}

TEST(RestrictedModel, HasTheTransitionsBetweenTheReachableStates) {
  const FiniteMdp mdp(kKernel, Vector::Unit(4, 2), 0.9);
  const Matrix expected{{0, 1}, {0.5, 0.5}, {1, 0}, {0, 1}};
  const FiniteMdp dense = restricted_model(mdp, {0, 2});
  EXPECT_EQ(dense.dense_kernel(), expected);
  EXPECT_EQ(dense.start(), Vector::Unit(2, 1));
  EXPECT_EQ(dense.discount(), 0.9);
  const FiniteMdp sparse = restricted_model(testing_models::as_sparse(mdp), {0, 2});
  ASSERT_TRUE(sparse.is_sparse());
  EXPECT_EQ(Matrix(sparse.sparse_kernel()), expected);
}

}  // namespace
}  // namespace rgu
