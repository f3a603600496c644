// Demonstrations as CSV: parse_demonstrations, for a model of four states and two actions.
#include "rgu/experiment/demonstrations.hpp"

#include <cmath>

#include "support.hpp"

using namespace rgu;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FiniteMdp mdp(Matrix::Constant(8, 4, 0.25), Vector::Constant(4, 0.25), 0.9);
  const auto occupancy = fuzz::accepted([&] {
    return parse_demonstrations({"input", fuzz::text_of(data, size)}, mdp);
  });
  if (!occupancy) return 0;
  fuzz::require(occupancy->minCoeff() >= 0 && std::abs(occupancy->sum() - 1) < 1e-9,
                "an occupancy is a distribution");
  return 0;
}
