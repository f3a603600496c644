// rgu-lm, which `rgu lm` and `rgu align` execute: all their commands.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string_view>
#include <thread>

#include "rgu/align/cli/align_command.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/launch.hpp"
#include "rgu/base/nearest_name.hpp"
#include "rgu/base/startup_environment.hpp"
#include "rgu/base/version.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/llm/cli/lm_command.hpp"
#include "rgu/llm/decode/decoder.hpp"
#include "rgu/record/json_values.hpp"
#if RGU_HAS_TORCH
#include "rgu/llm/torch/torch_facts.hpp"
#endif

namespace rgu::llm {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done; 1 internal error; 2 bad input; 3 diverged (what was reached is saved); 4 "
    "the\n"
    "system refused to write; 130 interrupted (what was reached is saved).\n\n"
    "Examples:\n"
    "  rgu lm info pythia-70m                       what a model is\n"
    "  rgu lm generate pythia-70m -p 'Once upon'    continue a text\n"
    "  rgu lm train-tokenizer book.txt --vocabulary 2000 --out tokenizer\n"
    "  rgu lm train --size 14m --tokenizer tokenizer --text book.txt --out runs/small\n"
    "  rgu lm train --model pythia-70m --lora 16 --text chat.jsonl --out runs/lora";

// For `rgu doctor`.
int print_parts() {
  Json parts = {{"decode", name_of(instruction_set())}, {"torch", nullptr}};
#if RGU_HAS_TORCH
  const TorchFacts facts = torch_facts();
  parts.update({{"torch", facts.version},
                {"aten", facts.instructions},
                {"threads", facts.threads},
                {"cuda", facts.cuda}});
#else
  parts.update(
      {{"aten", nullptr}, {"threads", std::thread::hardware_concurrency()}, {"cuda", false}});
#endif
  say_json(parts.dump());
  return kDone;
}

// "--temprature": which option of the command was meant?
std::string suggestion(const CLI::App& app, const std::string& message) {
  const CLI::App* command = &app;
  for (const CLI::App* parsed : app.get_subcommands()) command = parsed;
  std::vector<std::string> names;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::size_t begin = message.find("--");
  if (begin == std::string::npos) return {};
  const std::string typed = message.substr(begin, message.find_first_of(" =,:", begin) - begin);
  if (std::find(names.begin(), names.end(), typed) != names.end()) return {};
  return did_you_mean(typed, names);
}

std::string failure(const CLI::App* app, const CLI::Error& error) {
  const std::string message = error.what();
  return fmt::format("{}: {}{}\n", app->get_name(), message, suggestion(*app, message));
}

// Not even two of the same command: they would write the same files.
int run_once(const CLI::App& app, const Command& command) {
  const Launch job = launch();
  if (job.size == 1) return command();
  if (job.rank != 0) return kLeftToTheFirst;
  std::string name = app.get_name();
  for (const CLI::App* parsed : app.get_subcommands()) name += " " + parsed->get_name();
  throw InvalidInput(fmt::format("'{}' runs in one process; {} were started", name, job.size));
}

int run(int argc, char** argv) {
  CLI::App app("Language models: load, run, adapt and train them", "rgu lm");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(0, 1);
  app.failure_message(failure);
  app.footer(kFooter);
  Command chosen;
  bool parts = false;
  app.add_flag("--parts", parts, "What this program is made of, as JSON")->group("");
  add_generate(app, chosen);
  add_tokenize(app, chosen);
  add_train_tokenizer(app, chosen);
  add_info(app, chosen);
  add_init(app, chosen);
  add_merge_adapter(app, chosen);
  add_perplexity(app, chosen);
  add_score(app, chosen);
  add_train(app, chosen);
  add_train_scorer(app, chosen);
  app.callback([&] {
    if (parts) {
      chosen = print_parts;
    } else if (!chosen) {
      throw CLI::RequiredError("A command");
    }
  });
  Command once = [&] { return run_once(app, chosen); };
  return run_program(app, "rgu lm", argc, argv, once);
}

// `rgu align`: a command line of its own, with what this program holds.
int run_align(int argc, char** argv) {
  CLI::App app("", "rgu align");
  app.failure_message(failure);
  Command chosen;
  align::set_up_align(app, chosen);
  Command command = [&] {
    const bool shared = app.get_subcommands().empty() || app.got_subcommand("resume");
    return shared ? chosen() : run_once(app, chosen);
  };
  return run_program(app, "rgu align", argc, argv, command);
}

}  // namespace
}  // namespace rgu::llm

int main(int argc, char** argv) {
  try {
    rgu::restart_with_settings(argv);
    if (argc > 1 && std::string_view(argv[1]) == "align") {
      return rgu::llm::run_align(argc - 1, argv + 1);
    }
    return rgu::llm::run(argc, argv);
  } catch (const std::exception& error) {
    rgu::say(stderr, "rgu lm: {}\n", error.what());
    return rgu::kInternalError;
  }
}
