// rgu completions: scripts for shells, made from the parser itself.
#include <fmt/format.h>

#include <memory>

#include "rgu/cli/command.hpp"
#include "rgu/cli/terminal.hpp"

namespace rgu {
namespace {

struct CommandWords {
  std::string name;
  std::string description;
  std::vector<const CLI::Option*> options;
};

std::vector<CommandWords> commands_of(const CLI::App& app) {
  std::vector<CommandWords> commands;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    CommandWords words{
        .name = command->get_name(), .description = command->get_description(), .options = {}};
    for (const CLI::Option* option : command->get_options()) {
      if (!option->get_lnames().empty()) words.options.push_back(option);
    }
    commands.push_back(std::move(words));
  }
  return commands;
}

std::string option_words(const CommandWords& command) {
  std::string words;
  for (const CLI::Option* option : command.options) words += " --" + option->get_lnames().front();
  return words;
}

// A script with the commands put in their places.
std::string filled(std::string script, const std::string& names, const std::string& cases) {
  const auto put = [&](std::string_view place, const std::string& text) {
    script.replace(script.find(place), place.size(), text);
  };
  put("@NAMES@", names);
  put("@CASES@", cases);
  return script;
}

std::string bash(const std::vector<CommandWords>& commands) {
  std::string names, cases;
  for (const CommandWords& command : commands) {
    names += ' ' + command.name;
    cases += fmt::format("    {}) options=\"{}\" ;;\n", command.name, option_words(command));
  }
  return filled(R"sh(# bash completion for rgu: eval "$(rgu completions bash)"
_rgu() {
  local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "@NAMES@ --help --version" -- "$current")
    return
  fi
  case $command in
@CASES@  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
  case $command in
    solve | sweep | check | convert | theory | show)
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(
        compgen -W "$(rgu list --names 2>/dev/null)" -- "$current") ;;
    completions) mapfile -t COMPREPLY < <(compgen -W "bash zsh fish" -- "$current") ;;
  esac
}
complete -o filenames -F _rgu rgu
)sh",
                names.substr(1), cases);
}

// Inside single quotes, for zsh and fish.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out;
}

// zsh ends a description at a bracket and a name at a colon.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : quoted(text)) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh(const std::vector<CommandWords>& commands) {
  std::string names, cases;
  for (const CommandWords& command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.description));
    cases += fmt::format("    {}) arguments=(", command.name);
    for (const CLI::Option* option : command.options) {
      const bool takes_value = option->get_items_expected_max() > 0;
      cases += fmt::format("'--{}[{}]{}' ", option->get_lnames().front(),
                           zsh_text(option->get_description()), takes_value ? ":value:_files" : "");
    }
    cases += ") ;;\n";
  }
  return filled(R"sh(#compdef rgu
# zsh completion for rgu: rgu completions zsh > _rgu, in a folder of $fpath
_rgu_problems() {
  compadd -- ${(f)"$(rgu list --names 2>/dev/null)"}
  _files
}
_rgu() {
  local -a commands arguments
  commands=(
@NAMES@  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  case $words[2] in
@CASES@  esac
  case $words[2] in
    solve|sweep|check|convert|theory|show) _arguments -S $arguments '*:problem:_rgu_problems' ;;
    completions) _arguments -S $arguments '*:shell:(bash zsh fish)' ;;
    *) _arguments -S $arguments '*:run:_files' ;;
  esac
}
if [[ $funcstack[1] == _rgu ]]; then _rgu "$@"; else compdef _rgu rgu; fi
)sh",
                names, cases);
}

std::string fish(const std::vector<CommandWords>& commands) {
  std::string text =
      "# fish completion for rgu: rgu completions fish > ~/.config/fish/completions/rgu.fish\n";
  for (const CommandWords& command : commands) {
    text += fmt::format("complete -c rgu -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                        quoted(command.description));
    for (const CLI::Option* option : command.options) {
      text += fmt::format("complete -c rgu -n '__fish_seen_subcommand_from {}' -l {}{} -d '{}'\n",
                          command.name, option->get_lnames().front(),
                          option->get_items_expected_max() > 0 ? " -r" : "",
                          quoted(option->get_description()));
    }
  }
  text +=
      "complete -c rgu -n '__fish_seen_subcommand_from solve sweep check convert theory show' -a "
      "'(rgu "
      "list "
      "--names)'\n";
  text += "complete -c rgu -n '__fish_seen_subcommand_from completions' -f -a 'bash zsh fish'\n";
  return text;
}

}  // namespace

void add_completions(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("completions", "A completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer("Example:\n  eval \"$(rgu completions bash)\"");
  command->callback([shell, &app, &chosen] {
    chosen = [shell, &app] {
      const std::vector<CommandWords> commands = commands_of(app);
      say("{}", Lines{*shell == "bash"  ? bash(commands)
                      : *shell == "zsh" ? zsh(commands)
                                        : fish(commands)});
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace rgu
