// rgu check: is a problem file sound, how large is it, and what will it cost?
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/memory.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/experiment/memory_need.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/experiment/method_choice.hpp"
#include "rgu/experiment/seed_run.hpp"
#include "rgu/experiment/theory_schedule.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu {
namespace {

constexpr double kTrialSeconds = 0.5;

struct CheckArguments {
  ProblemArguments problem;
  ThreadArgument threads;
  bool json = false;
};

struct Trial {
  double iterations = 0;  // that a seed will do: those allowed, or fewer if it ended by itself
  double seconds_per_iteration = 0;
  double samples_per_iteration = 0;
};

// Iterates for a moment, in memory, measured as in a run.
Trial trial(const ProblemConfig& config, int threads) {
  using Clock = std::chrono::steady_clock;
  ThreadPool pool(threads);
  SeedRun run(config, config.seeds.front(), pool);
  const Clock::time_point begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  double spent = 0;
  const SolverResult result = run.solve(run.start(), [&](const Iteration& iteration) {
    if (iteration.state.iteration % config.output.metrics_every == 0) run.measure(iteration);
    spent = seconds();
    return Verdict{.stop = spent >= kTrialSeconds};
  });
  const double iterations = std::max(1.0, static_cast<double>(result.state.iteration));
  const bool ended = result.status != Status::kInterrupted;
  return {.iterations = ended ? iterations : static_cast<double>(iteration_limit(run.config())),
          .seconds_per_iteration = spent / iterations,
          .samples_per_iteration = static_cast<double>(result.state.samples) / iterations};
}

int run_check(const CheckArguments& arguments) {
  const ProblemConfig config = arguments.problem.config();
  prepare_blas();
  const Instance instance = make_instance(config, config.seeds.front());
  const FiniteMdp& mdp = instance.world.mdp;
  const Remarks told = remarks(resolved(config, instance), instance);
  const MemoryNeed need = memory_need(config);
  const auto available = static_cast<double>(available_memory());
  const int threads = arguments.threads.count();
  const Trial cost = trial(config, threads);
  const double iterations = cost.iterations;
  const double seeds = static_cast<double>(config.seeds.size());
  const double seconds =
      cost.seconds_per_iteration * iterations * seeds / std::min<double>(threads, seeds);
  if (arguments.json) {
    const Json json = {{"name", config.name},
                       {"states", mdp.states()},
                       {"actions", mdp.actions()},
                       {"transitions", mdp.transitions()},
                       {"policy_parameters", instance.parameters->dimension()},
                       {"nature_parameters", instance.ambiguity->dimension()},
                       {"memory_bytes", need.bytes},
                       {"available_bytes", available},
                       {"seeds", config.seeds.size()},
                       {"method", chosen_method_text(config, instance)},
                       {"iterations", iterations},
                       {"seconds_per_iteration", cost.seconds_per_iteration},
                       {"expected_seconds", seconds},
                       {"expected_samples", cost.samples_per_iteration * iterations},
                       {"warnings", told.warnings},
                       {"notes", told.notes}};
    say_json(to_text(json));
    return kDone;
  }
  say("{}: {}\n", config.name, config.description);
  say("model: {} states, {} actions, {} transitions ({}), discount {}\n", mdp.states(),
      mdp.actions(), mdp.transitions(), mdp.is_sparse() ? "sparse" : "dense", mdp.discount());
  say("policy: {} parameters; utility: {}; ambiguity: {} ({} numbers)\n",
      instance.parameters->dimension(), instance.utility_text, instance.ambiguity_text,
      instance.ambiguity->dimension());
  say("method: {}\n", chosen_method_text(config, instance));
  say("cost: {} seeds x at most {:.0f} iterations, {:.3g} ms each (measured): about {:.2g} s on {} "
      "threads; {:.3g} samples a seed\n",
      config.seeds.size(), iterations, 1e3 * cost.seconds_per_iteration, seconds, threads,
      cost.samples_per_iteration * iterations);
  if (need.bytes > 0) {
    say("memory: at least {:.3g} MB for each seed at work, {:.3g} MB are available\n",
        need.bytes / 1e6, available / 1e6);
  }
  for (const std::string& warning : told.warnings) say("warning: {}\n", warning);
  for (const std::string& note : told.notes) say("note: {}\n", note);
  say("the problem is sound\n");
  return kDone;
}

}  // namespace

void add_check(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("check", "Validate a problem without solving it: sizes and expected cost");
  auto arguments = std::make_shared<CheckArguments>();
  arguments->problem.add_to(*command);
  arguments->threads.add_to(*command);
  command->add_flag("--json", arguments->json, "Print as JSON");
  command->footer("Example:\n  rgu check my-problem.toml");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_check(*arguments); }; });
}

}  // namespace rgu
