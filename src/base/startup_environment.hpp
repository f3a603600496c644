// Environment variables that numerical libraries read once, when they are loaded: a program that
// uses them must have them before it starts.
#pragma once

#include <string>
#include <vector>

namespace rgu {

struct EnvironmentSetting {
  std::string name;
  std::string value;
  std::string reason;
};

// What this CPU needs, whether it is set or not:
//   OPENBLAS_CORETYPE    OpenBLAS 0.3.21 falls back to kernels without AVX on CPUs newer than
//   itself OMP_WAIT_POLICY      idle OpenMP and OpenBLAS threads would spin against each other
//   ONEDNN_MAX_CPU_ISA   oneDNN 2.6 dies of an illegal instruction in bf16 products by AMX
//   ATEN_CPU_CAPABILITY  LibTorch uses AVX-512 only when told to
std::vector<EnvironmentSetting> startup_settings();

// Sets those that are not set; what the user has set stays. Returns how many were set. For a
// program that is about to execute another one.
int apply_startup_settings();

// Where any was not set: sets it and executes this program again with the same arguments; returns
// only if nothing was to be done or the system refuses. To be called first in main().
void restart_with_settings(char** arguments);

}  // namespace rgu
