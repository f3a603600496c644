// rgu: parse, dispatch, print, exit code.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/experiment/nearest_name.hpp"
#include "rgu/experiment/runner.hpp"

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

int failed(int code, const char* message) {
  fmt::print(stderr, "rgu: {}\n", message);
  return code;
}

// CLI11 would only say that a command is missing.
void check_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  const std::string name = argv[1];
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw rgu::InvalidInput(fmt::format("there is no command '{}'{}; 'rgu --help' lists them", name,
                                      rgu::did_you_mean(name, names)));
}

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
  rgu::add_theory(app, chosen);
  rgu::add_keys(app, chosen);
  rgu::add_completions(app, chosen);
  try {
    check_command(app, argc, argv);
    app.parse(argc, argv);
  } catch (const rgu::InvalidInput& error) {
    return failed(rgu::kBadInput, error.what());
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? rgu::kDone : rgu::kBadInput;
  }
  try {
    const int code = chosen();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return failed(rgu::kFileError, "cannot write to the standard output");
    }
    return code;
  } catch (const rgu::InvalidInput& error) {
    return failed(rgu::kBadInput, error.what());
  } catch (const rgu::FileError& error) {
    return failed(rgu::kFileError, error.what());
  } catch (const std::exception& error) {
    return failed(rgu::kInternalError, error.what());
  }
}
