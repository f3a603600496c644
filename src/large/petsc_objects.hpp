// PETSc's objects with owners, and its errors as exceptions. Only for the sources of this folder.
#pragma once

#include <petscksp.h>

#include <memory>

#include "rgu/base/types.hpp"

namespace rgu {

// Throws std::runtime_error with what PETSc says, unless the code is 0.
void check_petsc(PetscErrorCode code);

struct PetscDelete {
  void operator()(Vec vector) const { VecDestroy(&vector); }
  void operator()(Mat matrix) const { MatDestroy(&matrix); }
  void operator()(KSP solver) const { KSPDestroy(&solver); }
};
using OwnedVec = std::unique_ptr<std::remove_pointer_t<Vec>, PetscDelete>;
using OwnedMat = std::unique_ptr<std::remove_pointer_t<Mat>, PetscDelete>;
using OwnedKsp = std::unique_ptr<std::remove_pointer_t<KSP>, PetscDelete>;

// Vectors that fit a matrix from the right, (columns), and from the left, (rows).
OwnedVec right_vector(Mat matrix);
OwnedVec left_vector(Mat matrix);

void copy(const double* from, Vec to);
Vector own_entries(Vec vector);

}  // namespace rgu
