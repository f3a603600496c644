// Real tokenizers, a real small model and golden numbers that are not part of this project. Tests
// that read them skip, saying so, where they are not there.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace rgu::llm {

// The folder: RGU_DATA where it is set, otherwise shared/data beside the project.
inline std::filesystem::path data_folder() {
  const char* folder = std::getenv("RGU_DATA");
  return folder != nullptr ? std::filesystem::path(folder) : std::filesystem::path(RGU_DATA_DIR);
}

}  // namespace rgu::llm

// Makes `variable` the path of the file `name`, or skips the test.
#define RGU_DATA_FILE(variable, name)                                                \
  const auto variable = rgu::llm::data_folder() / (name);                            \
  if (!std::filesystem::exists(variable)) {                                          \
    GTEST_SKIP() << variable << " is not there; RGU_DATA may name the folder of it"; \
  }
