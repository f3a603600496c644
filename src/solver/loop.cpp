#include "rgu/solver/loop.hpp"

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

constexpr double kDivergence = 1e8;
constexpr std::uint64_t kDrawStream = 0x64726177;  // apart from every stream a solver draws from

}  // namespace

void check_stop_rule(const StopRule& stop) {
  check_count("iterations", stop.iterations, 0);
  if (stop.samples) check_count("samples", *stop.samples);
  if (stop.seconds) check_positive("seconds", *stop.seconds);
  if (stop.residual) check_positive("residual", *stop.residual);
}

bool is_sound(SolverState& state, const StepReport& report) {
  if (!std::isfinite(report.objective) || !state.point.policy.allFinite() ||
      !state.point.nature.allFinite()) {
    return false;
  }
  const double size = std::abs(report.objective);
  if (state.iteration == 0) state.first_value = size;
  return size <= kDivergence * (1 + state.first_value);
}

void draw_iterate(SolverState& state) {
  Rng rng(state.rng.state().seed ^ kDrawStream, static_cast<std::uint64_t>(state.iteration));
  if (rng.below(static_cast<std::uint64_t>(state.iteration)) == 0) state.drawn = state.point;
}

bool reached_residual(const StopRule& stop, const SolverState& state) {
  return stop.residual && state.residual <= *stop.residual;
}

std::optional<Status> reached_limit(const StopRule& stop, const SolverState& state) {
  if (reached_residual(stop, state)) return Status::kConverged;
  if (state.iteration >= stop.iterations) return Status::kIterationLimit;
  if (stop.samples && state.samples >= *stop.samples) return Status::kSampleLimit;
  if (stop.seconds && state.seconds >= *stop.seconds) return Status::kTimeLimit;
  return std::nullopt;
}

}  // namespace rgu
