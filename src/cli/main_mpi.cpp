// rgu-mpi, which `rgu` becomes in several processes: the same commands, on the ranks of the job.
#include "rgu/cli/commands.hpp"
#include "rgu/cli/exit_code.hpp"
#include "rgu/cli/interrupt.hpp"
#include "rgu/cli/job.hpp"
#include "rgu/mpi/mpi_ranks.hpp"

int main(int argc, char** argv) {
  rgu::MpiRanks ranks(&rgu::interrupt_flag());
  rgu::set_job_ranks(ranks);
  const int code = rgu::run_rgu(argc, argv);
  const bool failed =
      code == rgu::kInternalError || code == rgu::kBadInput || code == rgu::kFileError;
  if (failed && rgu::is_waited_for()) rgu::MpiRanks::end_job(code);
  return code;
}
