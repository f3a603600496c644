// The kernel of a spread model as PETSc holds it. Only for the sources of this folder.
#pragma once

#include "rgu/large/petsc_objects.hpp"
#include "rgu/large/spread_model.hpp"

namespace rgu {

struct SpreadModel::Kernel {
  OwnedMat matrix;    // (S * A, S), rows by owner of the state, AIJ
  OwnedVec values;    // to multiply by: (S)
  OwnedVec products;  // (S * A)
};

}  // namespace rgu
