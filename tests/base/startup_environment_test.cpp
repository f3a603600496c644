#include "rgu/base/startup_environment.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "rgu/base/blas_setup.hpp"

namespace rgu {
namespace {

// What `action` returns in a process of its own, whose environment is forgotten afterwards.
template <class Action>
int in_child(Action action) {
  const pid_t child = fork();
  if (child == 0) _exit(action());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void forget_settings() {
  for (const EnvironmentSetting& setting : startup_settings()) unsetenv(setting.name.c_str());
}

TEST(StartupEnvironment, SetsAllThatIsNotSetAndNothingTwice) {
  EXPECT_EQ(in_child([] {
              forget_settings();
              const auto all = static_cast<int>(startup_settings().size());
              if (apply_startup_settings() != all) return 1;
              for (const EnvironmentSetting& setting : startup_settings()) {
                if (std::getenv(setting.name.c_str()) != setting.value) return 2;
              }
              return apply_startup_settings() == 0 ? 0 : 3;
            }),
            0);
}

TEST(StartupEnvironment, LeavesWhatTheUserHasSet) {
  EXPECT_EQ(in_child([] {
              forget_settings();
              setenv("OMP_WAIT_POLICY", "active", 1);
              apply_startup_settings();
              return std::string(std::getenv("OMP_WAIT_POLICY")) == "active" ? 0 : 1;
            }),
            0);
}

TEST(StartupEnvironment, BlasHasTheKernelsOfThisCpu) {
  prepare_blas();
  const BlasFacts facts = blas_facts();
  EXPECT_NE(facts.library.find("OpenBLAS"), std::string::npos) << facts.library;
  EXPECT_GE(facts.threads, 1);
  if (blas_core_of_cpu() != nullptr && std::getenv("OPENBLAS_CORETYPE") == nullptr) {
    EXPECT_NE(facts.kernels, "Prescott");
  }
}

}  // namespace
}  // namespace rgu
