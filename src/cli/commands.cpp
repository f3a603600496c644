#include "rgu/cli/commands.hpp"

#include "rgu/base/version.hpp"
#include "rgu/cli/command.hpp"

namespace rgu {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done; 1 internal error; 2 bad input; 3 not solved (diverged, constraints not\n"
    "met, gap not proven; all is saved), a replay differs or a certificate does not hold; 4 the\n"
    "system refused to write; 5 infeasible: no policy meets the constraints, proven; 130\n"
    "interrupted (all is saved).\n\n"
    "Examples:\n"
    "  rgu list                      what can be solved\n"
    "  rgu solve exploration         solve it over its seeds, write a run folder and a report\n"
    "  rgu show exploration          the problem file, to start one's own from\n"
    "  rgu evaluate runs/exploration how the policies do at and around the worst case\n"
    "  rgu sweep exploration --radius 0:1:0.1   the price and the gain of robustness";

}  // namespace

int run_rgu(int argc, char** argv) {
  CLI::App app("Robust general-utility reinforcement learning", "rgu");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(kFooter);
  Command chosen;
  add_solve(app, chosen);
  add_resume(app, chosen);
  add_replay(app, chosen);
  add_evaluate(app, chosen);
  add_certify(app, chosen);
  add_verify(app, chosen);
  add_sweep(app, chosen);
  add_compare(app, chosen);
  add_report(app, chosen);
  add_show(app, chosen);
  add_list(app, chosen);
  add_check(app, chosen);
  add_convert(app, chosen);
  add_theory(app, chosen);
  add_lm(app, chosen);
  add_align(app, chosen);
  add_large(app, chosen);
  add_doctor(app, chosen);
  add_keys(app, chosen);
  add_completions(app, chosen);
  return run_program(app, "rgu", argc, argv, chosen);
}

}  // namespace rgu
