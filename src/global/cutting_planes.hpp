// The global minimum of the robust envelope for every utility that is convex in the occupancy, by
// linear programs.
#pragma once

#include <vector>

#include "rgu/ambiguity/linear_program.hpp"
#include "rgu/global/envelope_search.hpp"

namespace rgu {

// min over Lambda of Gamma(lambda) = max over xi of f_xi(lambda). Gamma is a maximum of convex
// functions, so its value and gradient at the worst xi of any lambda give a linear minorant, a cut.
// Each step minimises the largest cut over Lambda by a linear program and adds the cuts at that
// point and at one between it and the best policy so far.
//
// The lower bound does not depend on how well the linear programs are solved: the multipliers of
// the cuts give one linear minorant, which planning minimises (planned_bound). The upper bound is
// the worst case of the policy returned, with its kind. For small models: the linear programs are
// dense.
class CuttingPlanes final : public EnvelopeMethod {
 public:
  explicit CuttingPlanes(const FiniteMdp& mdp);

  bool advance(EnvelopeSearch& search) override;

 private:
  struct Minimum {
    Matrix point;  // (S, A), in Lambda up to the accuracy of the linear program
    Cut minorant;  // the mean of the cuts by the multipliers
  };
  Minimum minimum() const;

  const FiniteMdp& mdp_;
  Matrix flow_;  // (S, S A)
  std::vector<Cut> cuts_;
  Patience patience_{100};
};

struct CuttingPlaneOptions {
  GapTolerance tolerance = {};
  int iterations = 500;  // >= 1: the most steps
};

// From the uniform policy, by cutting planes alone. Throws InvalidInput unless utility, set and
// model fit together, the utility is convex in the occupancy, S A <= kLargestCuttingPlaneProgram,
// and the options are in their ranges.
GlobalSolution cutting_plane_minimum(const FiniteMdp& mdp, const Utility& utility,
                                     const ConvexSet& ambiguity,
                                     const CuttingPlaneOptions& options = {});

inline constexpr Index kLargestCuttingPlaneProgram = 2000;

}  // namespace rgu
