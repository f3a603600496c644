#include "rgu/cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string_view>
#include <thread>

#include "rgu/base/check.hpp"
#include "rgu/base/launch.hpp"
#include "rgu/base/nearest_name.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/base/together.hpp"
#include "rgu/cli/exit_code.hpp"
#include "rgu/cli/job.hpp"
#include "rgu/cli/terminal.hpp"

namespace rgu {
namespace {

// CLI11 would only say that a command is missing.
void check_command(const CLI::App& app, const std::string& program, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-' || app.get_allow_extras()) return;
  const auto is_positional = [](const CLI::Option* option) { return option->get_positional(); };
  if (!app.get_options(is_positional).empty()) return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  const std::string name = argv[1];
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw InvalidInput(fmt::format("there is no command '{}'{}; '{} --help' lists them", name,
                                 did_you_mean(name, names), program));
}

// Help and version go to the standard output, complaints to the standard error.
int exit_code_of(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, complaint;
  const int code = app.exit(error, out, complaint);
  say("{}", Lines{out.str()});
  std::string text = complaint.str();  // on several lines, but what it quotes is on one
  const std::string quoting = error.what();
  if (const std::size_t at = text.find(quoting); at != std::string::npos) {
    text.replace(at, quoting.size(), on_one_line(quoting));
  }
  say(stderr, "{}", Lines{text});
  return code == 0 ? kDone : kBadInput;
}

}  // namespace

int run_program(CLI::App& app, const std::string& name, int argc, char** argv, Command& chosen) {
  const auto failed = [&](int code, const char* message) {
    const Ranks& ranks = job_ranks();
    const std::string who = ranks.leads() ? name : fmt::format("{}, rank {}", name, ranks.rank());
    say(stderr, "{}: {}\n", who, message);
    return code;
  };
  try {
    check_command(app, name, argc, argv);
    app.parse(argc, argv);
  } catch (const InvalidInput& error) {
    return launch().rank == 0 ? failed(kBadInput, error.what()) : kLeftToTheFirst;
  } catch (const CLI::ParseError& error) {
    if (launch().rank != 0) return kLeftToTheFirst;
    return exit_code_of(app, error);
  }
  // What all ranks end with alike, told by the first.
  const auto all_failed = [&](int code, const char* message) {
    set_not_waited_for();
    return job_ranks().leads() ? failed(code, message) : code;
  };
  try {
    const int code = chosen();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return failed(kFileError, "cannot write to the standard output");
    }
    return code;
  } catch (const SharedComplaint& error) {
    return all_failed(kBadInput, error.what());
  } catch (const SharedFileError& error) {
    return all_failed(kFileError, error.what());
  } catch (const InvalidInput& error) {
    return failed(kBadInput, error.what());
  } catch (const FileError& error) {
    return failed(kFileError, error.what());
  } catch (const RankLost& error) {
    return job_ranks().leads() ? failed(kInternalError, error.what()) : kInternalError;
  } catch (const std::bad_alloc&) {
    return failed(
        kInternalError,
        "out of memory: the machine, or a limit such as ulimit -v, has no more; a smaller "
        "model or fewer --threads may fit");
  } catch (const std::exception& error) {
    return failed(kInternalError, error.what());
  }
}

void ThreadArgument::add_to(CLI::App& command) {
  command
      .add_option("--threads", threads,
                  "Threads to use (default: all of the machine, shared by the processes of a job)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
}

int ThreadArgument::count() const {
  if (threads > 0) return threads;
  // Ranks on one machine share it.
  const auto all = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, all / job_ranks().neighbours());
}

}  // namespace rgu
