#include "rgu/base/launch.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace rgu {
namespace {

std::optional<int> number_in(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return {};
  int value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc() || *end != '\0' || value < 0) return {};
  return value;
}

}  // namespace

Launch launch() {
  // Open MPI and those on PMIx; MPICH's and Intel's launchers. srun sets its own for every job,
  // also where no MPI was asked for, so those count only together with a process manager's.
  if (const auto size = number_in("OMPI_COMM_WORLD_SIZE")) {
    return {.rank = number_in("OMPI_COMM_WORLD_RANK").value_or(0), .size = std::max(1, *size)};
  }
  if (const auto size = number_in("PMI_SIZE")) {
    return {.rank = number_in("PMI_RANK").value_or(0), .size = std::max(1, *size)};
  }
  if (const auto rank = number_in("PMIX_RANK")) {
    return {.rank = *rank, .size = std::max(1, number_in("SLURM_NTASKS").value_or(1))};
  }
  return {};
}

}  // namespace rgu
