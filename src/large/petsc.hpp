// PETSc from its start to its end. The headers of this folder do without PETSc's own.
#pragma once

#include <string>

#include "rgu/base/ranks.hpp"

namespace rgu {

// At most one in a process. MPI has been started before and ends after.
class PetscSession {
 public:
  // options: as on PETSc's command line, "-ksp_type gmres -pc_type jacobi"; PETSC_OPTIONS in the
  // environment counts too. Throws InvalidInput where they cannot be read.
  explicit PetscSession(const std::string& options = {});
  ~PetscSession();
  PetscSession(const PetscSession&) = delete;
  PetscSession& operator=(const PetscSession&) = delete;

  // Options that nothing has looked at, most likely misspelled; empty: all were used.
  std::string unused_options() const;
};

// Products of a matrix with a vector in this process so far, by PETSc's own count.
double matrix_products();

}  // namespace rgu
