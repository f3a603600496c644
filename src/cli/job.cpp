#include "rgu/cli/job.hpp"

#include <algorithm>
#include <array>
#include <exception>

namespace rgu {
namespace {

constexpr std::array<std::string_view, 4> kInRanks = {"solve", "resume", "large", "align"};

Ranks* job = nullptr;
bool waited_for = false;

}  // namespace

Ranks& job_ranks() { return job != nullptr ? *job : alone(); }

void set_job_ranks(Ranks& ranks) { job = &ranks; }

bool is_waited_for() { return waited_for; }

void set_not_waited_for() { waited_for = false; }

WaitedFor::WaitedFor() { waited_for = true; }

WaitedFor::~WaitedFor() {
  if (std::uncaught_exceptions() == 0) waited_for = false;
}

bool runs_in_ranks(std::string_view name) {
  return std::find(kInRanks.begin(), kInRanks.end(), name) != kInRanks.end();
}

}  // namespace rgu
