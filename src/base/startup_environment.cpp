#include "rgu/base/startup_environment.hpp"

#include <unistd.h>

#include <cstdlib>

#include "rgu/base/blas_setup.hpp"

namespace rgu {

std::vector<EnvironmentSetting> startup_settings() {
  std::vector<EnvironmentSetting> settings = {
      {"OMP_WAIT_POLICY", "passive", "idle threads of OpenMP and OpenBLAS would spin"}};
  const char* core = blas_core_of_cpu();
  if (core == nullptr) return settings;
  settings.push_back({"OPENBLAS_CORETYPE", core, "OpenBLAS may not know this CPU"});
  if (std::string(core) == "SkylakeX") {
    settings.push_back({"ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", "oneDNN 2.6 fails with AMX"});
    settings.push_back({"ATEN_CPU_CAPABILITY", "avx512", "LibTorch does not use it unasked"});
  }
  return settings;
}

int apply_startup_settings() {
  int applied = 0;
  for (const EnvironmentSetting& setting : startup_settings()) {
    if (std::getenv(setting.name.c_str()) != nullptr) continue;
    if (setenv(setting.name.c_str(), setting.value.c_str(), 0) == 0) ++applied;
  }
  return applied;
}

void restart_with_settings(char** arguments) {
  // The second time nothing is left to set, so this cannot go on for ever.
  if (apply_startup_settings() > 0) execv("/proc/self/exe", arguments);
}

}  // namespace rgu
