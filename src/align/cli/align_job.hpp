// A command as one process of a job, as mpirun starts it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "rgu/align/training/setup.hpp"
#include "rgu/base/ranks.hpp"

namespace rgu::align {

// The exit code of the command, with the ranks that this process is one of: alone unless a launcher
// started several. Of these, rank 0 prints; an error on any of them is told and ends the whole job.
// Throws InvalidInput if there are several, but rgu was built without MPI.
int run_in_job(const std::function<int(Ranks&)>& command);

// The config that `read` gives on rank 0, which is the only one to call it.
AlignConfig config_of_job(Ranks& ranks, const std::function<AlignConfig()>& read);

// open_setup on every rank. Throws SharedComplaint where one cannot, or has not what rank 0 has.
Setup setup_of_job(Ranks& ranks, const AlignConfig& config, const MachineOptions& machine);

// Threads of each rank where none are asked for: what its machine has, divided among the ranks
// there, and no more than this process may use.
int usual_threads(const Ranks& ranks);

}  // namespace rgu::align
