// How a run of a solver ended.
#pragma once

#include <array>
#include <string_view>

namespace rgu {

enum class Status {
  kRunning,         // not yet ended: what an interrupted record says
  kIterationLimit,  // did all the iterations it was given
  kSampleLimit,     // drew all the samples it was given
  kTimeLimit,       // used all the time it was given
  kConverged,       // the residual fell to what was asked for
  kCertified,       // proved the gap that was asked for
  kExhausted,       // has no step left that would make the gap smaller
  kInterrupted,     // the observer asked it to stop
  kDiverged,        // a number was not finite or grew without limit; the last good point is kept
};

struct StatusName {
  Status status;
  std::string_view name;  // in files
  std::string_view text;  // for people
};

inline constexpr std::array kStatusNames = {
    StatusName{Status::kRunning, "running", "not finished"},
    StatusName{Status::kIterationLimit, "iteration-limit", "iteration limit"},
    StatusName{Status::kSampleLimit, "sample-limit", "sample limit"},
    StatusName{Status::kTimeLimit, "time-limit", "time limit"},
    StatusName{Status::kConverged, "converged", "converged"},
    StatusName{Status::kCertified, "certified", "optimal (gap proven)"},
    StatusName{Status::kExhausted, "exhausted", "no step makes the gap smaller"},
    StatusName{Status::kInterrupted, "interrupted", "interrupted"},
    StatusName{Status::kDiverged, "diverged", "diverged; the last good iterate was kept"},
};

constexpr const StatusName& describe(Status status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}

}  // namespace rgu
