#include "rgu/cli/key_list.hpp"

#include <fmt/format.h>

#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/base/nearest_name.hpp"
#include "rgu/cli/exit_code.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu {
namespace {

struct KeysArguments {
  std::string table;
  bool json = false;
};

std::string type_of(const KeyHelp& key) {
  if (key.choices.empty()) return key.type;
  std::string text;
  for (const auto& choice : key.choices) text += fmt::format(", \"{}\"", choice.name);
  return text.substr(2);
}

void check_table(const std::string& table, const std::vector<KeyHelp>& all,
                 const std::string& what) {
  std::vector<std::string> tables;
  for (const KeyHelp& key : all) {
    if (key.table == table) return;
    if (!key.table.empty()) tables.push_back(key.table);
  }
  throw InvalidInput(
      fmt::format("there is no table '{}' in {}{}", table, what, did_you_mean(table, tables)));
}

int print_keys(const KeysArguments& arguments, const KeyList& list) {
  const std::vector<KeyHelp> all = list.keys();
  if (!arguments.table.empty()) check_table(arguments.table, all, list.what);
  Json json = Json::array();
  std::vector<TableRow> rows = {{"key", "type", "default", "range", "of", "meaning"}};
  for (const KeyHelp& key : all) {
    if (!arguments.table.empty() && key.table != arguments.table) continue;
    const std::string name = key.table.empty() ? key.key : key.table + "." + key.key;
    rows.push_back({name, type_of(key), key.initial, key.range, key.kind, key.help});
    json.push_back({{"key", name},
                    {"type", type_of(key)},
                    {"default", key.initial},
                    {"range", key.range},
                    {"of", key.kind},
                    {"help", key.help}});
  }
  if (arguments.json) {
    say_json(to_text(json));
  } else {
    say("{}", Lines{table(rows)});
  }
  return kDone;
}

}  // namespace

void add_key_list(CLI::App& app, Command& chosen, const KeyList& list) {
  CLI::App* command = app.add_subcommand("keys", "Every key that " + list.what + " may have");
  auto arguments = std::make_shared<KeysArguments>();
  command->add_option("table", arguments->table, "Only those of one table")->type_name("TABLE");
  command->add_flag("--json", arguments->json, "Print as JSON");
  command->footer("Example:\n  " + list.example);
  command->callback([arguments, list, &chosen] {
    chosen = [arguments, list] { return print_keys(*arguments, list); };
  });
}

}  // namespace rgu
