// Certificates as the files of a run hold them, from and to what a solver proves.
#pragma once

#include "rgu/experiment/instance.hpp"
#include "rgu/global/witness_bound.hpp"
#include "rgu/record/run_record.hpp"

namespace rgu {

// The certificate of what a solver found. If the solution has a witness, the lower bound is the one
// that the witness proves, less the rounding of two computations of it, so that others who check it
// find it true; otherwise it is the solver's own. The witness is made small first: pieces of weight
// 0 are left out, a mixture of xi becomes its mean if that proves as much, occupancies that do not
// matter are left out; and complete: a drift gets its directions, and a xi that rounding has put
// outside the set is projected.
CertificateRecord certificate_of(const Instance& instance, const GlobalSolution& solution);

// The inverse.
Witness witness_of(const WitnessRecord& record);

// The xi of a witness as a distribution.
MixtureRecord mixture_of(const WitnessRecord& record);

// The mean of a distribution.
Vector mean_of(const MixtureRecord& mixture);

// The entries of xi that are multipliers of constraints, those of a sum's parts one after the
// other. Empty if the utility has no constraints.
Vector multipliers_in(const Utility& utility, const Vector& nature);

}  // namespace rgu
