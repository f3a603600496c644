#include "rgu/align/cli/align_job.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <thread>

#include "rgu/align/config_file.hpp"
#include "rgu/align/training/together.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/launch.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/cli/exit_code.hpp"
#include "rgu/cli/interrupt.hpp"
#if RGU_HAS_MPI
#include "rgu/cli/terminal.hpp"
#include "rgu/mpi/mpi_ranks.hpp"
#endif

namespace rgu::align {
namespace {

#if RGU_HAS_MPI
int code_of(const std::exception& error) {
  if (dynamic_cast<const InvalidInput*>(&error) != nullptr) return kBadInput;
  if (dynamic_cast<const FileError*>(&error) != nullptr) return kFileError;
  return kInternalError;
}

void tell(const Ranks& ranks, const std::exception& error) {
  const std::string who = ranks.leads() ? "" : fmt::format("rank {}: ", ranks.rank());
  say(stderr, "rgu align: {}{}\n", who, error.what());
}

// Only rank 0 gives up waiting after a signal. The others wait for it, which may be saving, or for
// the launcher to end them.
int run_as_one_of_several(int rank, const std::function<int(Ranks&)>& command) {
  const std::atomic<bool>& interrupt = interrupt_flag();
  MpiRanks ranks(rank == 0 ? &interrupt : nullptr);
  try {
    const int code = command(ranks);
    std::fflush(nullptr);  // a launcher that ends the job does not wait for it
    return code;
  } catch (const SharedComplaint& error) {
    if (ranks.leads()) tell(ranks, error);
    return kBadInput;
  } catch (const std::exception& error) {
    tell(ranks, error);
    MpiRanks::end_job(code_of(error));
  }
}
#endif

int usable_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return CPU_SETSIZE;
  return CPU_COUNT(&set);
}

}  // namespace

int run_in_job(const std::function<int(Ranks&)>& command) {
  const Launch job = launch();
  if (job.size == 1) return command(alone());
#if RGU_HAS_MPI
  return run_as_one_of_several(job.rank, command);
#else
  check(job.rank != 0,
        "{} processes were started, but this rgu was built without MPI: it runs in one process",
        job.size);
  return kLeftToTheFirst;
#endif
}

AlignConfig config_of_job(Ranks& ranks, const std::function<AlignConfig()>& read) {
  if (ranks.size() == 1) return read();
  const std::string text =
      gathered(ranks, [&] { return ranks.leads() ? to_toml(read()) : std::string(); }).front();
  return read_config({.name = "the config of rank 0", .text = text, .folder = {}});
}

Setup setup_of_job(Ranks& ranks, const AlignConfig& config, const MachineOptions& machine) {
  if (ranks.size() == 1) return open_setup(config, machine);
  Setup setup;
  const std::vector<std::string> made = gathered(ranks, [&] {
    setup = open_setup(config, machine);
    return fingerprint(setup);
  });
  for (std::size_t rank = 0; rank < made.size(); ++rank) {
    if (made[rank] == made.front()) continue;
    throw SharedComplaint(
        fmt::format("rank {} has another model or other prompts than rank 0 ({}, {})", rank,
                    made[rank], made.front()));
  }
  return setup;
}

int usual_threads(const Ranks& ranks) {
  const auto all = static_cast<int>(std::thread::hardware_concurrency());
  if (ranks.size() == 1) return std::max(1, all);
  return std::max(1, std::min(all / ranks.neighbours(), usable_processors()));
}

}  // namespace rgu::align
