// rgu: all its commands.
#include "rgu/base/version.hpp"
#include "rgu/cli/command.hpp"

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done; 1 internal error; 2 bad input; 3 not solved (diverged, or constraints "
    "not\n"
    "met; all is saved); 4 the system refused to write; 130 interrupted (all is saved).\n\n"
    "Examples:\n"
    "  rgu list                      what can be solved\n"
    "  rgu solve exploration         solve it over its seeds, write a run folder and a report\n"
    "  rgu show exploration          the problem file, to start one's own from\n"
    "  rgu evaluate runs/exploration how the policies do at and around the worst case\n"
    "  rgu sweep exploration --radius 0:1:0.1   the price and the gain of robustness";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Robust general-utility reinforcement learning", "rgu");
  app.set_version_flag("--version", rgu::version_text());
  app.require_subcommand(1);
  app.footer(kFooter);
  rgu::Command chosen;
  rgu::add_solve(app, chosen);
  rgu::add_resume(app, chosen);
  rgu::add_evaluate(app, chosen);
  rgu::add_certify(app, chosen);
  rgu::add_sweep(app, chosen);
  rgu::add_compare(app, chosen);
  rgu::add_report(app, chosen);
  rgu::add_show(app, chosen);
  rgu::add_list(app, chosen);
  rgu::add_check(app, chosen);
  rgu::add_convert(app, chosen);
  rgu::add_theory(app, chosen);
  rgu::add_lm(app, chosen);
  rgu::add_align(app, chosen);
  rgu::add_doctor(app, chosen);
  rgu::add_keys(app, chosen);
  rgu::add_completions(app, chosen);
  return rgu::run_program(app, "rgu", argc, argv, chosen);
}
