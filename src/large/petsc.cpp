#include "rgu/large/petsc.hpp"

#include <algorithm>
#include <stdexcept>

#include "rgu/base/check.hpp"
#include "rgu/large/petsc_objects.hpp"

namespace rgu {
namespace {

std::string last_message;  // of the innermost place that failed

PetscErrorCode keep_message(MPI_Comm, int, const char*, const char*, PetscErrorCode code,
                            PetscErrorType type, const char* message, void*) {
  if (type == PETSC_ERROR_INITIAL && message != nullptr) last_message = message;
  return code;
}

double count_of(const char* name) {
  PetscLogEvent event = -1;
  check_petsc(PetscLogEventGetId(name, &event));
  PetscEventPerfInfo info;
  check_petsc(PetscLogEventGetPerfInfo(0, event, &info));
  return static_cast<double>(info.count);
}

}  // namespace

void check_petsc(PetscErrorCode code) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw std::runtime_error(fmt::format("PETSc: {}{}{}", text != nullptr ? text : "error",
                                       last_message.empty() ? "" : ": ", last_message));
}

PetscSession::PetscSession(const std::string& options) {
  check_petsc(PetscInitializeNoArguments());
  check_petsc(PetscPushErrorHandler(keep_message, nullptr));
  check_petsc(PetscLogDefaultBegin());
  // Errors in numbers are found by residuals; PETSc must not trap them.
  if (PetscOptionsInsertString(nullptr, options.c_str()) != 0) {
    throw InvalidInput(fmt::format("PETSc's options \"{}\" cannot be read: {}", options,
                                   last_message.empty() ? "they are malformed" : last_message));
  }
}

PetscSession::~PetscSession() {
  PetscOptionsClear(nullptr);  // or it would list unused ones on the terminal
  PetscPopErrorHandler();
  PetscFinalize();
}

std::string PetscSession::unused_options() const {
  PetscInt count = 0;
  char** names = nullptr;
  char** values = nullptr;
  check_petsc(PetscOptionsLeftGet(nullptr, &count, &names, &values));
  std::string text;
  for (PetscInt i = 0; i < count; ++i) text += fmt::format("{}-{}", i > 0 ? " " : "", names[i]);
  check_petsc(PetscOptionsLeftRestore(nullptr, &count, &names, &values));
  return text;
}

double matrix_products() { return count_of("MatMult") + count_of("MatMultTranspose"); }

OwnedVec right_vector(Mat matrix) {
  Vec vector = nullptr;
  check_petsc(MatCreateVecs(matrix, &vector, nullptr));
  return OwnedVec(vector);
}

OwnedVec left_vector(Mat matrix) {
  Vec vector = nullptr;
  check_petsc(MatCreateVecs(matrix, nullptr, &vector));
  return OwnedVec(vector);
}

void copy(const double* from, Vec to) {
  PetscInt size = 0;
  check_petsc(VecGetLocalSize(to, &size));
  double* entries = nullptr;
  check_petsc(VecGetArrayWrite(to, &entries));
  std::copy_n(from, size, entries);
  check_petsc(VecRestoreArrayWrite(to, &entries));
}

Vector own_entries(Vec vector) {
  PetscInt size = 0;
  check_petsc(VecGetLocalSize(vector, &size));
  const double* entries = nullptr;
  check_petsc(VecGetArrayRead(vector, &entries));
  Vector copied = Eigen::Map<const Vector>(entries, size);
  check_petsc(VecRestoreArrayRead(vector, &entries));
  return copied;
}

}  // namespace rgu
