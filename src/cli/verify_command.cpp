// rgu verify: checks the certificates of a run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "rgu/base/blas_setup.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/run_summary.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/experiment/verify.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu {
namespace {

struct VerifyArguments {
  std::string run;
  bool json = false;
};

Json to_json(const SeedVerification& seed) {
  return {{"seed", seed.seed},
          {"holds", seed.holds()},
          {"failures", seed.failures},
          {"worst_case", rgu::to_json(seed.worst_case.value)},
          {"kind", name_of(seed.worst_case.kind)},
          {"claimed_bound", rgu::to_json(seed.claimed_bound)},
          {"proven_bound", rgu::to_json(seed.proven_bound)},
          {"gap", rgu::to_json(seed.gap())},
          {"pieces", seed.pieces}};
}

TableRow row_of(const SeedVerification& seed) {
  const auto digits = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.9g}", value) : std::string("-");
  };
  return {fmt::format("{}", seed.seed),
          text_of(seed.worst_case),
          digits(seed.claimed_bound),
          digits(seed.proven_bound),
          std::isfinite(seed.gap()) ? short_number(std::max(0.0, seed.gap())) : "-",
          fmt::format("{}", seed.pieces),
          seed.holds() ? "holds" : "FAILS"};
}

int verify(const VerifyArguments& arguments) {
  prepare_blas();
  const std::vector<SeedVerification> seeds = verify_run(RunFolder::open(arguments.run));
  const auto failed = std::count_if(seeds.begin(), seeds.end(),
                                    [](const SeedVerification& seed) { return !seed.holds(); });
  const int code = failed == 0 ? kDone : kNotSolved;
  if (arguments.json) {
    Json json = Json::array();
    for (const SeedVerification& seed : seeds) json.push_back(to_json(seed));
    say_json(to_text(json));
    return code;
  }
  std::vector<TableRow> rows = {
      {"seed", "worst case Γ", "bound claimed", "bound proven", "gap", "pieces", "claims"}};
  std::string failures;
  for (const SeedVerification& seed : seeds) {
    rows.push_back(row_of(seed));
    for (const std::string& failure : seed.failures) {
      failures += terminal_text("seed {}: {}\n", seed.seed, failure);
    }
  }
  say("{}", Lines{table(rows) + failures});
  if (failed == 0) {
    say("every claim holds: recomputed from config.toml, policy.json and the witnesses\n");
  } else {
    say("{} of {} {} failed\n", failed, seeds.size(), seeds.size() == 1 ? "seed" : "seeds");
  }
  return code;
}

}  // namespace

void add_verify(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "verify", "Check the certificates of a run: bounds, members, worst cases and gaps");
  auto arguments = std::make_shared<VerifyArguments>();
  command->add_option("run", arguments->run, "Folder of the run")->required()->type_name("RUN");
  command->add_flag("--json", arguments->json, "Print as JSON");
  command->footer(
      "Exits with 0 if every claim holds, with 3 if one does not or there is no certificate.\n"
      "Example:\n  rgu verify runs/exploration");
  command->callback([arguments, &chosen] { chosen = [arguments] { return verify(*arguments); }; });
}

}  // namespace rgu
