// GoogleTest on the ranks of an MPI job: every rank runs every test, and all must pass on all.
#include <gtest/gtest.h>

#include "mpi/job.hpp"
#include "rgu/mpi/mpi_ranks.hpp"
#if RGU_HAS_PETSC
#include "rgu/large/petsc.hpp"
#endif

namespace rgu {
namespace {
Ranks* ranks_of_job = nullptr;
}
Ranks& job() { return *ranks_of_job; }
}  // namespace rgu

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  rgu::MpiRanks ranks;
  rgu::ranks_of_job = &ranks;
#if RGU_HAS_PETSC
  const rgu::PetscSession petsc;
#endif
  if (!ranks.leads()) {
    // One voice is enough, unless there is trouble.
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (getenv("RGU_TEST_ALL_RANKS") == nullptr)
      delete listeners.Release(listeners.default_result_printer());
  }
  const double failures = RUN_ALL_TESTS() == 0 ? 0 : 1;
  return sum(ranks, failures) == 0 ? 0 : 1;
}
