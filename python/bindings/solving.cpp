// The long calls. All release the interpreter's lock.
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <chrono>

#include "interrupt_scope.hpp"
#include "module.hpp"
#include "problem.hpp"
#include "rgu/base/check.hpp"
#include "rgu/experiment/policy_facts.hpp"
#include "rgu/experiment/runner.hpp"
#include "rgu/experiment/solve_seed.hpp"
#include "rgu/experiment/stored_run.hpp"
#include "rgu/experiment/verify.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/gradient/exact_oracle.hpp"
#include "rgu/record/run_files.hpp"
#include "utility_object.hpp"

namespace rgu::python {
namespace {

using Clock = std::chrono::steady_clock;

// Signals that are not ours (InterruptScope) are Python's to handle, this often.
constexpr std::chrono::milliseconds kSignalPause{50};

py::dict dictionary_of(const Metrics& metrics, double seconds) {
  py::dict row;
  row["iteration"] = metrics.iteration;
  for (const MetricField& field : kMetricFields) {
    const double value = metrics.*field.member;
    if (!std::isnan(value)) row[py::str(field.name.data(), field.name.size())] = value;
  }
  row["samples"] = metrics.samples;
  row["seconds"] = seconds;
  return row;
}

// Calls back into Python on the way. What is raised there, or by a signal handler, ends the call.
class Caller {
 public:
  Caller(py::object callback, InterruptScope& scope)
      : callback_(std::move(callback)), scope_(scope) {}

  template <class Row>
  void call(const Row& row) {
    if (callback_.is_none()) return;
    const py::gil_scoped_acquire acquire;
    try {
      const py::object answer = callback_(row());
      if (!answer.is_none() && py::bool_(answer).cast<bool>()) scope_.stop();
    } catch (...) {
      scope_.stop();  // other seeds too
      throw;
    }
  }

  void look_at_signals() {
    const Clock::time_point now = Clock::now();
    if (now - last_ < kSignalPause) return;
    last_ = now;
    const py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() == 0) return;
    scope_.stop();
    throw py::error_already_set();
  }

 private:
  py::object callback_;  // used with the interpreter's lock only
  InterruptScope& scope_;
  Clock::time_point last_ = Clock::now();
};

std::shared_ptr<Solution> solve(const Problem& problem, std::uint64_t seed, int threads,
                                py::object callback) {
  check_count("threads", threads);
  InterruptScope scope;
  Caller caller(std::move(callback), scope);
  auto solution = std::make_shared<Solution>();
  SeedRecord record;
  const SeedHooks hooks{.measured =
                            [&](const Metrics& metrics, double seconds) {
                              record.metrics.push_back(metrics);
                              record.seconds.push_back(seconds);
                              caller.call([&] { return dictionary_of(metrics, seconds); });
                            },
                        .iterated = [&](const SolverState&, double) { caller.look_at_signals(); },
                        .interrupt = &scope.flag()};
  {
    const py::gil_scoped_release release;
    SolvedSeed solved;
    if (problem.environment) {
      solution->run = about(problem.config, *problem.environment);
      solution->sampled = true;
      solved = solve_environment(problem.config, *problem.environment, seed, hooks);
    } else {
      ThreadPool pool(threads);
      const Instance instance = problem.instance(seed);
      solution->run = about(problem.config, instance);
      solved = solve_seed({.config = problem.config, .seed = seed, .of = instance}, std::nullopt,
                          pool, hooks);
    }
    solved.files.record.metrics = std::move(record.metrics);
    solved.files.record.seconds = std::move(record.seconds);
    solution->run.seeds.push_back(std::move(solved.files.record));
    solution->parameters.push_back(std::move(solved.files.parameters));
    if (problem.is_file()) solution->run.config = to_toml(problem.config);
  }
  return solution;
}

py::dict dictionary_of(const Progress& progress) {
  py::dict row;
  row["seed"] = progress.seed;
  row["iteration"] = progress.iteration;
  row["objective"] = progress.objective;
  row["envelope"] = progress.envelope;
  row["residual"] = progress.residual;
  row["samples"] = progress.samples;
  row["status"] = std::string(describe(progress.status).text);
  return row;
}

void run_folder(const ProblemConfig& config, const RunFolder& folder, int threads,
                py::object callback) {
  InterruptScope scope;
  Caller caller(std::move(callback), scope);
  const py::gil_scoped_release release;
  run_seeds(
      config, folder,
      {.threads = threads,
       .progress =
           [&](const Progress& progress) { caller.call([&] { return dictionary_of(progress); }); },
       .iterated = [&] { caller.look_at_signals(); },
       .interrupt = &scope.flag()});
}

void run(const Problem& problem, const std::filesystem::path& path, bool force, int threads,
         py::object callback) {
  check_count("threads", threads);
  const OpenRun open =
      begin_run(problem.config, path, force ? ExistingRun::kReplace : ExistingRun::kRefuse);
  run_folder(problem.config, open.folder, threads, std::move(callback));
}

void resume(const std::filesystem::path& path, int threads, py::object callback) {
  check_count("threads", threads);
  const RunFolder folder = RunFolder::open(path);
  const FolderLock lock(folder.path());
  run_folder(read_run_config(folder), folder, threads, std::move(callback));
}

WorstCaseRecord worst_case_of(py::object utility, const ConvexSet& ambiguity, py::object occupancy,
                              double tolerance, Index iterations, Index starts,
                              std::uint64_t seed) {
  const auto f = utility_from(utility);
  const Matrix lambda = matrix_from(occupancy, "occupancy");
  const py::gil_scoped_release release;
  return record_of(worst_case(
      *f, ambiguity, lambda,
      {.tolerance = tolerance, .iterations = iterations, .starts = starts, .seed = seed}));
}

// Stops early, with what it has, when interrupted.
GlobalSolution minimum(const Instance& instance, double tolerance, Index iterations,
                       InterruptScope& scope) {
  Caller caller(py::none(), scope);
  const py::gil_scoped_release release;
  EnvelopeSolver solver(instance.world.mdp, *instance.utility, *instance.ambiguity, tolerance);
  for (Index k = 0; k < iterations && !scope.flag().load(); ++k) {
    if (!solver.advance()) break;
    caller.look_at_signals();
  }
  return solver.best();
}

GlobalSolution envelope(const Problem& problem, std::uint64_t seed, double tolerance,
                        Index iterations) {
  check_count("iterations", iterations);
  InterruptScope scope;
  return minimum(problem.instance(seed), tolerance, iterations, scope);
}

py::dict certify(const Problem& problem, py::object policy, std::uint64_t seed, double tolerance,
                 Index iterations) {
  check_count("iterations", iterations);
  const Matrix pi = matrix_from(policy, "policy");
  InterruptScope scope;
  const Instance instance = problem.instance(seed);
  WorstCaseRecord worst;
  {
    const py::gil_scoped_release release;
    worst = record_of(policy_facts(instance, pi, {}).worst_case);
  }
  const GlobalSolution best = minimum(instance, tolerance, iterations, scope);
  py::dict certificate;
  certificate["worst_case"] = worst;
  certificate["best"] = best;
  certificate["lower_bound"] = best.lower_bound;
  certificate["gap"] = worst.value + worst.gap - best.lower_bound;
  return certificate;
}

py::list verify(const std::filesystem::path& path) {
  std::vector<SeedVerification> seeds;
  {
    const py::gil_scoped_release release;
    seeds = verify_run(RunFolder::open(path));
  }
  py::list list;
  for (const SeedVerification& seed : seeds) {
    py::dict entry;
    entry["seed"] = seed.seed;
    entry["holds"] = seed.holds();
    entry["failures"] = seed.failures;
    entry["worst_case"] = seed.worst_case;
    entry["claimed_bound"] = seed.claimed_bound;
    entry["proven_bound"] = seed.proven_bound;
    entry["gap"] = seed.gap();
    list.append(entry);
  }
  return list;
}

py::tuple gradient(const Problem& problem, py::object theta, py::object nature,
                   std::uint64_t seed) {
  const SaddlePoint at{.policy = flat_from(theta, "theta"), .nature = flat_from(nature, "nature")};
  SaddleGradient g;
  {
    const py::gil_scoped_release release;
    const Instance instance = problem.instance(seed);
    check_size("theta", at.policy.size(), instance.policy->dimension());
    g = ExactOracle(instance.world.mdp, *instance.policy, *instance.utility).gradient(at);
  }
  return py::make_tuple(g.value, array_of(std::move(g.policy)), array_of(std::move(g.nature)));
}

}  // namespace

void bind_solving(py::module_& m) {
  m.def("solve", &solve, py::arg("problem"), py::arg("seed"), py::arg("threads"),
        py::arg("callback"));
  m.def("run", &run, py::arg("problem"), py::arg("path"), py::arg("force"), py::arg("threads"),
        py::arg("callback"));
  m.def("resume", &resume, py::arg("path"), py::arg("threads"), py::arg("callback"));
  m.def("worst_case", &worst_case_of, py::arg("utility"), py::arg("ambiguity"),
        py::arg("occupancy"), py::kw_only(), py::arg("tolerance") = 1e-9,
        py::arg("iterations") = 20000, py::arg("starts") = 16, py::arg("seed") = 0,
        R"(The worst utility that nature can choose against an occupancy (S, A): a WorstCase.

Exact where a formula exists, else certified with a gap, else the best found from several starts.

>>> f = rgu.utility.RewardRobust(1, 2)
>>> rgu.worst_case(f, rgu.ambiguity.LpBall([1.0, 0.0], 0.5), [[0.6, 0.8]])
WorstCase(value=-0.1, kind='exact', nature=(2,))
)");
  m.def("envelope", &envelope, py::arg("problem"), py::arg("seed"), py::arg("tolerance"),
        py::arg("iterations"));
  m.def("certify", &certify, py::arg("problem"), py::arg("policy"), py::arg("seed"),
        py::arg("tolerance"), py::arg("iterations"));
  m.def("verify", &verify, py::arg("path"));
  m.def("gradient", &gradient, py::arg("problem"), py::arg("theta"), py::arg("nature"),
        py::arg("seed"));
}

}  // namespace rgu::python
