// rgu large: exact work on models that are spread over processes.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/base/together.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/interrupt.hpp"
#include "rgu/cli/job.hpp"
#include "rgu/cli/progress_line.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/large/petsc.hpp"
#include "rgu/large/policy_file.hpp"
#include "rgu/large/spread_envelope.hpp"
#include "rgu/large/spread_gradient.hpp"
#include "rgu/large/spread_planning.hpp"
#include "rgu/large/spread_problem.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/record/run_folder.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What all subcommands share.
struct LargeArguments {
  ProblemArguments problem;
  std::uint64_t seed = 0;
  std::string petsc;
  bool json = false;
  bool quiet = false;

  void add_to(CLI::App& command) {
    command.add_option("problem", problem.problem, "A built-in problem or a TOML file")
        ->required()
        ->type_name("NAME|FILE");
    command
        .add_option("--set", problem.sets,
                    "Change one key of the problem, such as model.states=1000000 (may be repeated)")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command.add_option("--seed", seed, "Seed of the model")->capture_default_str();
    command
        .add_option("--petsc", petsc,
                    "Options for PETSc, such as '-ksp_type gmres -pc_type bjacobi'")
        ->type_name("OPTIONS");
    command.add_flag("--json", json, "Print the results as JSON");
    command.add_flag("--quiet,-q", quiet, "No progress");
  }
};

// The largest resident memory of the ranks, in bytes: of the one that had most, and of all
// together.
struct Peak {
  double most = 0;
  double all = 0;
};

Peak peak_memory(Ranks& ranks) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double own = 1024.0 * static_cast<double>(usage.ru_maxrss);
  return {.most = largest(ranks, own), .all = sum(ranks, own)};
}

// A problem on the ranks of this job, with what every answer says of it.
class LargeJob {
 public:
  explicit LargeJob(const LargeArguments& arguments)
      : arguments_(arguments), ranks_(job_ranks()), petsc_(arguments.petsc) {
    config_ = together(ranks_, [&] { return arguments.problem.config(); });
    const Clock::time_point begin = Clock::now();
    problem_ = make_spread_problem(config_, arguments.seed, ranks_);
    made_in_ = seconds_since(begin);
  }

  const SpreadModel& model() const { return *problem_.model; }
  const SpreadUtility& utility() const { return *problem_.utility; }
  const ProblemConfig& config() const { return config_; }
  Ranks& ranks() const { return ranks_; }
  bool shows_progress() const { return ranks_.leads() && !arguments_.quiet; }

  PolicyShape shape() const { return {.states = model().states(), .actions = model().actions()}; }

  Matrix uniform_policy() const {
    return Matrix::Constant(model().own().size(), model().actions(),
                            1.0 / static_cast<double>(model().actions()));
  }

  Matrix read_policy(const fs::path& path) const {
    return together(ranks_, [&] { return read_policy_rows(path, shape(), model().own()); });
  }

  // Rank 0's interruption, for all.
  bool interrupted() const {
    int flag = interrupt_flag().load() ? 1 : 0;
    broadcast(ranks_, flag);
    return flag != 0;
  }

  Json facts() const {
    const Peak peak = peak_memory(ranks_);
    return {{"problem", config_.name},
            {"ranks", ranks_.size()},
            {"states", model().states()},
            {"actions", model().actions()},
            {"transitions", model().transitions()},
            {"discount", model().discount()},
            {"seconds_to_make", made_in_},
            {"peak_bytes_of_a_rank", peak.most},
            {"peak_bytes_of_all", peak.all}};
  }

  // Options that had no effect are most likely misspelled.
  void tell(const Json& json, const std::string& text) const {
    if (!ranks_.leads()) return;
    if (const std::string unused = petsc_.unused_options(); !unused.empty()) {
      say(stderr, "note: PETSc had no use for {}\n", unused);
    }
    if (arguments_.json) {
      say_json(to_text(json));
    } else {
      say("{}\n", Lines{text});
    }
  }

  std::string size_text() const {
    return fmt::format("{} states, {} actions, {:.3g} transitions, discount {}, on {} rank{}",
                       model().states(), model().actions(), model().transitions(),
                       model().discount(), ranks_.size(), ranks_.size() == 1 ? "" : "s");
  }

 private:
  const LargeArguments& arguments_;
  Ranks& ranks_;
  PetscSession petsc_;
  ProblemConfig config_;
  SpreadProblem problem_;
  double made_in_ = 0;
};

std::string memory_text(const Json& facts) {
  return fmt::format("at most {:.2f} GB on a rank, {:.2f} GB in all",
                     facts["peak_bytes_of_a_rank"].get<double>() / 1e9,
                     facts["peak_bytes_of_all"].get<double>() / 1e9);
}

struct EvaluateArguments : LargeArguments {
  std::string policy;
  double residual = 1e-12;
};

int evaluate(const EvaluateArguments& arguments) {
  const LargeJob job(arguments);
  const SpreadModel& model = job.model();
  const Matrix pi =
      arguments.policy.empty() ? job.uniform_policy() : job.read_policy(arguments.policy);
  const double before = matrix_products();
  const Clock::time_point begin = Clock::now();
  const SpreadEvaluation evaluation(model, pi, arguments.residual);
  const double assembled = seconds_since(begin);
  const Vector nature = job.utility().worst(evaluation.occupancy());
  const double worst_case_at = seconds_since(begin);
  const SpreadGradient gradient = spread_gradient(evaluation, job.utility(), nature);
  const double whole = seconds_since(begin);
  const double products = matrix_products() - before;
  const double residual = flow_residual(model, gradient.occupancy);
  const double norm = std::sqrt(sum(job.ranks(), gradient.policy.squaredNorm()));
  Json json = job.facts();
  json.update({{"worst_case", to_json(gradient.value)},
               {"policy_gradient_norm", to_json(norm)},
               {"flow_residual", to_json(residual)},
               {"matrix_products", products},
               {"seconds_to_assemble", assembled},
               {"seconds_to_worst_case", worst_case_at},
               {"seconds", whole}});
  job.tell(json,
           terminal_text("{}\nworst case {:.9g}, policy gradient |{:.4g}|, flow residual {:.1g}\n"
                         "{:.2f} s ({:.2f} s to make the model), {} matrix products, {}",
                         job.size_text(), gradient.value, norm, residual, whole,
                         json["seconds_to_make"].get<double>(), products, memory_text(json)));
  return kDone;
}

struct PlanArguments : LargeArguments {
  std::string signal = "reward";
  std::string method = "policy-iteration";
  std::string measure = "residual";
  double tolerance = 1e-8;
};

int plan(const PlanArguments& arguments) {
  const LargeJob job(arguments);
  const Matrix cost = -signal_named(job.model(), arguments.signal);
  const SpreadPlanOptions options{
      .measure = arguments.measure == "span" ? PlanMeasure::kSpan : PlanMeasure::kResidual,
      .tolerance = arguments.tolerance};
  const double before = matrix_products();
  const Clock::time_point begin = Clock::now();
  const SpreadPlan found = arguments.method == "policy-iteration"
                               ? spread_policy_iteration(job.model(), cost, options)
                               : spread_value_iteration(job.model(), cost, options);
  const double seconds = seconds_since(begin);
  const double value =
      -(1 - job.model().discount()) * sum(job.ranks(), job.model().start().dot(found.value));
  Json json = job.facts();
  json.update({{"method", arguments.method},
               {"value", to_json(value)},
               {"residual", to_json(found.residual())},
               {"span", to_json(found.span())},
               {"reached", found.reached},
               {"improvements", found.improvements},
               {"matrix_products", matrix_products() - before},
               {"seconds", seconds}});
  job.tell(json, terminal_text(
                     "{}\n{} of <{}, lambda>: {:.9g}, Bellman residual {:.2g}{}\n"
                     "{} improvements, {} matrix products, {:.2f} s, {}",
                     job.size_text(), "largest value", arguments.signal, value, found.residual(),
                     found.reached ? "" : " (not as small as asked for)", found.improvements,
                     json["matrix_products"].get<double>(), seconds, memory_text(json)));
  return found.reached ? kDone : kNotSolved;
}

struct SolveLargeArguments : LargeArguments {
  double tolerance = 1e-4;
  Index iterations = 300;
  std::string out;
  std::string from;
  bool force = false;
};

// The folder of a solution: result.json, policy.rgup, config.toml.
fs::path output_folder(const LargeJob& job, const SolveLargeArguments& arguments) {
  fs::path path = arguments.out.empty() ? free_run_folder(job.config().name + "-large")
                                        : fs::path(arguments.out);
  std::string taken;
  std::string refused;
  if (job.ranks().leads()) {
    std::error_code error;
    if (fs::exists(path / "result.json", error) && !arguments.force) {
      taken = fmt::format("{} has a result already; --force replaces it", path.string());
    } else if (fs::create_directories(path, error); error) {
      refused = fmt::format("cannot make the folder {}: {}", path.string(), error.message());
    }
  }
  broadcast(job.ranks(), taken);
  broadcast(job.ranks(), refused);
  if (!taken.empty()) throw SharedComplaint(taken);
  if (!refused.empty()) throw SharedFileError(refused);
  return path;
}

Json json_of(const GlobalSolution& best, double tolerance) {
  return {{"value", to_json(best.value)},
          {"lower_bound", to_json(best.lower_bound)},
          {"gap", to_json(best.gap())},
          {"tolerance", tolerance},
          {"certified", best.status == GlobalStatus::kCertified},
          {"method", best.method},
          {"steps", best.iterations}};
}

// An old result does not stay beside a new policy, wherever this is stopped.
void write_solution(const LargeJob& job, const fs::path& folder, const GlobalSolution& best,
                    const Json& result) {
  std::error_code error;
  if (job.ranks().leads()) fs::remove(folder / "result.json", error);
  write_spread_policy(folder / "policy.rgup", best.policy, job.shape(), job.model().own(),
                      job.ranks());
  if (!job.ranks().leads()) return;
  write_file(folder / "config.toml", to_toml(job.config()));
  write_file(folder / "result.json", to_text(result) + '\n');
}

int solve_large(const SolveLargeArguments& arguments) {
  interrupt_flag();
  const LargeJob job(arguments);
  const fs::path folder = output_folder(job, arguments);
  const SpreadEnvelope envelope(job.model(), job.utility());
  EnvelopeSolver solver(envelope, arguments.tolerance);
  if (!arguments.from.empty()) {
    solver.begin_with(job.read_policy(arguments.from));
  }
  ProgressLine line;
  const Clock::time_point begin = Clock::now();
  const double before = matrix_products();
  const GlobalSolution& best = solver.best();
  bool stopped = false;
  while (best.iterations < arguments.iterations && solver.advance()) {
    if (job.shows_progress() && line.is_due()) {
      line.draw(
          {.share =
               static_cast<double>(best.iterations) / static_cast<double>(arguments.iterations),
           .text = fmt::format("step {}  {}  worst case {:.7g}  at most {:.2g} above the least",
                               best.iterations, best.method, best.value, best.gap())});
    }
    stopped = job.interrupted();
    if (stopped) break;
  }
  Json json = job.facts();
  json.update(json_of(best, arguments.tolerance));
  json.update({{"interrupted", stopped},
               {"flow_residual", to_json(flow_residual(job.model(), best.occupancy))},
               {"matrix_products", matrix_products() - before},
               {"seconds", seconds_since(begin)}});
  write_solution(job, folder, best, json);
  json["folder"] = folder.string();
  const bool certified = best.status == GlobalStatus::kCertified;
  job.tell(json,
           terminal_text(
               "{}\nworst case {:.9g}, at most {:.2g} above the least possible "
               "({}), by {}\n{} steps, {} matrix products, {:.1f} s, {}\nfolder: {}{}",
               job.size_text(), best.value, best.gap(),
               certified ? "proven as asked" : "not as small as asked for", best.method,
               best.iterations, json["matrix_products"].get<double>(),
               json["seconds"].get<double>(), memory_text(json), folder.string(),
               Lines{stopped ? terminal_text("\ninterrupted; --from {} goes on from this policy",
                                             (folder / "policy.rgup").string())
                             : ""}));
  if (stopped) return kInterrupted;
  return certified ? kDone : kNotSolved;
}

template <class Arguments>
void choose(CLI::App* command, std::shared_ptr<Arguments> arguments, Command& chosen,
            int (*run)(const Arguments&)) {
  command->callback([arguments, run, &chosen] {
    chosen = [arguments, run] {
      const WaitedFor by_the_others;
      return run(*arguments);
    };
  });
}

}  // namespace

void add_large(CLI::App& app, Command& chosen) {
  CLI::App* large =
      app.add_subcommand("large", "Exact work on models that are spread over processes (mpirun)");
  large->require_subcommand(1);
  large->footer(
      "Each process makes or reads its own part of the model.\n\n"
      "Examples:\n"
      "  mpirun -n 8 rgu large solve my-problem.toml --out runs/big\n"
      "  rgu large plan my-problem.toml --petsc '-ksp_type gmres'");

  CLI::App* solving =
      large->add_subcommand("solve", "The policy with the least worst case, proven");
  auto solve_arguments = std::make_shared<SolveLargeArguments>();
  solve_arguments->add_to(*solving);
  solving->add_option("--tolerance", solve_arguments->tolerance, "The gap to prove, relative")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  solving->add_option("--iterations", solve_arguments->iterations, "The most steps")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  solving->add_option("--out,-o", solve_arguments->out, "Folder for the result and the policy")
      ->type_name("DIR");
  solving->add_option("--from", solve_arguments->from, "A policy to begin with")->type_name("FILE");
  solving->add_flag("--force", solve_arguments->force, "Replace the result that is there");
  choose(solving, solve_arguments, chosen, solve_large);

  CLI::App* evaluating = large->add_subcommand(
      "evaluate",
      "Occupancy, worst case and policy gradient of a policy (default: the uniform one)");
  auto evaluate_arguments = std::make_shared<EvaluateArguments>();
  evaluate_arguments->add_to(*evaluating);
  evaluating->add_option("--policy", evaluate_arguments->policy, "A policy.rgup")
      ->type_name("FILE");
  evaluating->add_option("--residual", evaluate_arguments->residual, "Of the linear systems")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  choose(evaluating, evaluate_arguments, chosen, evaluate);

  CLI::App* planning = large->add_subcommand("plan", "The optimal value of a signal of the model");
  auto plan_arguments = std::make_shared<PlanArguments>();
  plan_arguments->add_to(*planning);
  planning->add_option("--signal", plan_arguments->signal, "What to make large")
      ->capture_default_str();
  planning->add_option("--method", plan_arguments->method, "policy-iteration or value-iteration")
      ->check(CLI::IsMember({"policy-iteration", "value-iteration"}))
      ->capture_default_str();
  planning
      ->add_option("--measure", plan_arguments->measure,
                   "What must be small: the Bellman 'residual', or its 'span' over the states")
      ->check(CLI::IsMember({"residual", "span"}))
      ->capture_default_str();
  planning->add_option("--tolerance", plan_arguments->tolerance, "Relative to the largest |signal|")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  choose(planning, plan_arguments, chosen, plan);
}

}  // namespace rgu
