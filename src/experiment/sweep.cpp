#include "rgu/experiment/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/thread_pool.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/experiment/seed_run.hpp"

namespace rgu {
namespace {

constexpr std::size_t kMostRadii = 10000;

double parse_number(std::string_view whole, std::string_view text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  check(end.ec == std::errc() && end.ptr == text.data() + text.size() && std::isfinite(value),
        "radius '{}': '{}' is not a number", whole, text);
  return value;
}

ProblemConfig with_radius(ProblemConfig config, double radius) {
  const bool has_radius = std::visit(
      [&](auto& kind) {
        if constexpr (requires { kind.radius; }) {
          if constexpr (requires { kind.radius.value(); }) {
            if (!kind.radius) return false;  // a box given by its ends
          }
          kind.radius = radius;
          return true;
        } else {
          return false;
        }
      },
      config.ambiguity.kind);
  check(has_radius, "ambiguity.set of the problem '{}' has no radius to sweep over", config.name);
  return config;
}

AnswerKind weaker(AnswerKind a, AnswerKind b) { return std::max(a, b); }

SweepPoint judged(const Instance& instance, const Matrix& robust, const Matrix& nominal) {
  const PolicyFacts of_robust = policy_facts(instance, robust, {});
  const PolicyFacts of_nominal = policy_facts(instance, nominal, {});
  return {.robust_nominal = nominal_value(instance, of_robust),
          .robust_worst = of_robust.worst_case.value,
          .nominal_nominal = nominal_value(instance, of_nominal),
          .nominal_worst = of_nominal.worst_case.value,
          .kind = weaker(of_robust.worst_case.kind, of_nominal.worst_case.kind)};
}

// Trains from the start and compares; empty when interrupted.
std::optional<SweepPoint> sweep_point(const ProblemConfig& config, std::uint64_t seed,
                                      const std::optional<Matrix>& nominal,
                                      const SweepOptions& options) {
  ThreadPool pool(1);
  SeedRun run(config, seed, pool);
  const SolverResult result = run.train(options.interrupt);
  if (result.status == Status::kInterrupted || !nominal) return std::nullopt;
  if (result.status == Status::kDiverged) {
    throw NotConverged(fmt::format("training with seed {} diverged after {} iterations", seed,
                                   result.state.iteration));
  }
  return judged(run.instance(), run.policy_of(result.state), *nominal);
}

}  // namespace

std::vector<double> parse_radii(const std::string& text) {
  std::vector<double> numbers;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(':', begin);
    numbers.push_back(parse_number(text, std::string_view(text).substr(begin, end - begin)));
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  check(numbers.size() == 1 || numbers.size() == 3,
        "radius '{}': must be one number or first:last:step", text);
  check(numbers[0] >= 0, "radius '{}': {} is negative", text, numbers[0]);
  if (numbers.size() == 1) return numbers;
  const double first = numbers[0], last = numbers[1], step = numbers[2];
  check(last >= first, "radius '{}': the last, {}, is below the first, {}", text, last, first);
  check(step > 0, "radius '{}': the step is {}, must be > 0", text, step);
  const double count = std::floor((last - first) / step + 1e-9) + 1;
  check(count <= static_cast<double>(kMostRadii), "radius '{}': {} radii, must be at most {}", text,
        count, kMostRadii);
  std::vector<double> radii;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    // 0.1 * 3 is 0.30000000000000004: the number that a person means has few digits.
    radii.push_back(std::stod(fmt::format("{:.12g}", first + i * step)));
  }
  return radii;
}

std::vector<SweepPoint> sweep(const ProblemConfig& config, const std::vector<double>& radii,
                              const SweepOptions& options) {
  prepare_blas();
  const std::size_t seeds = config.seeds.size();
  const std::size_t total = (radii.size() + 1) * seeds;
  std::vector<ProblemConfig> problems;
  for (const double radius : radii) problems.push_back(with_radius(config, radius));
  std::atomic<std::size_t> done = 0;
  const auto told = [&] {
    if (options.progress) options.progress(++done, total);
  };
  ThreadPool pool(options.threads);
  std::vector<std::optional<Matrix>> nominal(seeds);
  pool.for_each(static_cast<Index>(seeds), [&](Index i) {
    const auto s = static_cast<std::size_t>(i);
    nominal[s] =
        nominal_policy(config, config.seeds[s], iteration_limit(config), options.interrupt);
    told();
  });
  std::vector<std::optional<SweepPoint>> points(radii.size() * seeds);
  pool.for_each(static_cast<Index>(points.size()), [&](Index i) {
    const std::size_t r = static_cast<std::size_t>(i) / seeds;
    const std::size_t s = static_cast<std::size_t>(i) % seeds;
    auto& point = points[static_cast<std::size_t>(i)];
    point = sweep_point(problems[r], config.seeds[s], nominal[s], options);
    if (point) {
      point->radius = radii[r];
      point->seed = config.seeds[s];
    }
    told();
  });
  std::vector<SweepPoint> finished;
  for (const auto& point : points) {
    if (point) finished.push_back(*point);
  }
  return finished;
}

}  // namespace rgu
