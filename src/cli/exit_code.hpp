// What `rgu` returns to the shell. Documented in its help and in docs/cli.md.
#pragma once

namespace rgu {

enum ExitCode : int {
  kDone = 0,
  kInternalError = 1,  // a defect of rgu, or a method that could not reach its accuracy
  kBadInput = 2,       // of the command line, a problem file or a run folder
  kNotSolved = 3,      // diverged, constraints not met, or a gap not proven (all was saved); a
                       // replay that differs; a certificate that does not hold
  kFileError = 4,      // the system refused to write
  kInfeasible = 5,     // no policy meets the constraints, proven (all was saved)
  kInterrupted = 130,  // by Ctrl-C; all was saved, `rgu resume` goes on
};

// Of the other processes of a job, where the first tells what is wrong: a launcher ends the whole
// job at the first process that fails, perhaps before a word was said.
constexpr ExitCode kLeftToTheFirst = kDone;

}  // namespace rgu
