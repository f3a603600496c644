// rgu in one process. What needs several, or what they are made for, is done by rgu-mpi.
#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "rgu/base/launch.hpp"
#include "rgu/cli/commands.hpp"
#include "rgu/cli/exit_code.hpp"
#include "rgu/cli/hand_over.hpp"
#include "rgu/cli/job.hpp"
#include "rgu/cli/terminal.hpp"

namespace {

int refused(const rgu::Launch& launch, const std::string& reason) {
  if (launch.rank != 0) return rgu::kLeftToTheFirst;
  rgu::say(stderr, "rgu: {}\n", reason);
  return rgu::kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  const rgu::Launch launch = rgu::launch();
  const std::string_view command = argc > 1 ? argv[1] : "";
  const bool several = launch.size > 1;
  if (several && !rgu::runs_in_ranks(command)) {
    return refused(launch, fmt::format("'rgu {}' runs in one process, and {} were started", command,
                                       launch.size));
  }
  // rgu-lm has ranks of its own.
  if ((!several || command == "align") && command != "large") return rgu::run_rgu(argc, argv);
  const auto program = rgu::program_beside("rgu-mpi");
  if (!program) {
    return refused(launch,
                   fmt::format("'rgu {}'{} needs the program rgu-mpi, which is neither beside "
                               "rgu nor on the PATH: rgu was built without MPI{}",
                               command, several ? " in several processes" : "",
                               command == "large" ? " or PETSc" : ""));
  }
  try {
    rgu::hand_over(*program, std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    rgu::say(stderr, "rgu: {}\n", error.what());
    return rgu::kInternalError;
  }
}
