#include "rgu/cli/command.hpp"

#include "rgu/base/check.hpp"
#include "rgu/experiment/built_in.hpp"

namespace rgu {

void ProblemArguments::add_to(CLI::App& command) {
  command.add_option("problem", problem, "A built-in problem (see 'rgu list') or a TOML file")
      ->required()
      ->type_name("NAME|FILE");
  command
      .add_option("--set", sets,
                  "Change one key of the problem, such as ambiguity.radius=0.3 (may be repeated; "
                  "'rgu keys' lists them)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--seeds", seeds, "How many seeds (0, 1, ..), or a list of them such as 3,4,7")
      ->type_name("N|LIST");
}

ProblemConfig ProblemArguments::config() const {
  std::vector<std::string> overrides = sets;
  if (!seeds.empty()) {
    check(seeds.find_first_not_of("0123456789, ") == std::string::npos,
          "--seeds {}: must be a number of seeds, or a list of them such as 3,4,7", seeds);
    const bool is_list = seeds.find(',') != std::string::npos;
    overrides.push_back(is_list ? "seeds=[" + seeds + "]" : "seeds=" + seeds);
  }
  const ConfigSource source = find_problem(problem);
  ProblemConfig config = read_config(source, overrides);
  if (config.name.empty()) config.name = std::filesystem::path(source.name).stem().string();
  return config;
}

}  // namespace rgu
