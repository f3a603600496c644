// rgu large where this program has no PETSc: main has handed over to rgu-mpi before, if there is
// one.
#include "rgu/base/check.hpp"
#include "rgu/cli/command.hpp"

namespace rgu {

void add_large(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("large", "Exact work on models that are spread over processes (mpirun)");
  command->set_help_flag();
  command->prefix_command();
  command->callback([&chosen] {
    chosen = []() -> int { throw InvalidInput("large: rgu was built without MPI or PETSc"); };
  });
}

}  // namespace rgu
