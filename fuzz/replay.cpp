// Gives a target every file of the folders named as arguments, in the order of their names: what
// was once found stays mended, in every build and without libFuzzer. A broken promise ends the
// program; the last file named is the one to look at.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "rgu/base/text_file.hpp"
#include "support.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;  // a target without findings
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void replay(const fs::path& file) {
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);
  const std::string bytes = rgu::read_text(file);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int count, char** arguments) {
  int replayed = 0;
  for (int i = 1; i < count; ++i) {
    for (const fs::path& file : files_in(arguments[i])) {
      replay(file);
      ++replayed;
    }
  }
  std::printf("%d inputs\n", replayed);
  return replayed > 0 ? 0 : 1;  // no input: a wrong folder
}
