#include <fmt/format.h>

#include <utility>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/config_describe.hpp"
#include "rgu/experiment/config_fields.hpp"
#include "rgu/experiment/toml_text.hpp"

namespace rgu {
namespace {

bool holds_numbers(const FieldValue& value) {
  return !std::holds_alternative<bool*>(value) && !std::holds_alternative<std::string*>(value) &&
         !std::holds_alternative<std::filesystem::path*>(value) &&
         !std::holds_alternative<std::vector<std::string>*>(value) &&
         !std::holds_alternative<std::vector<std::filesystem::path>*>(value) &&
         !std::holds_alternative<std::optional<std::string>*>(value) &&
         !std::holds_alternative<std::optional<std::filesystem::path>*>(value);
}

class KeyLister final : public FieldVisitor {
 public:
  void value(const Key& key, FieldValue value) override {
    KeyHelp& help = add(key, type_name(value));
    if (help.initial.empty()) help.initial = toml_value(key, value).value_or("");
    if (help.initial == "\"\"") help.initial.clear();
    if (key.presence == Presence::kAutomatic) help.type += " or \"auto\"";
    if (holds_numbers(value)) help.range = to_text(key.range);
  }

  // Names without keys of their own are values; kinds with keys are walked one by one.
  void choose(const Key& key, std::span<const Kind> kinds, std::size_t current,
              const Walk& walk) override {
    KeyHelp& help = add(key, "name");
    if (help.initial.empty()) help.initial = toml_string(kinds[current].name);
    for (const Kind& kind : kinds) {
      if (kind.implied_by.empty()) {
        help.choices.push_back({std::string(kind.name), std::string(kind.help)});
      }
    }
    const std::string outer = kind_;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const std::string own = kinds[k].implied_by.empty()
                                  ? fmt::format("{} = \"{}\"", key.name, kinds[k].name)
                                  : fmt::format("with {}", kinds[k].implied_by);
      kind_ = outer.empty() ? own : fmt::format("{}, {}", outer, own);
      walk(*this, k);
    }
    kind_ = outer;
    walk(silent_, current);
  }

  // Parts have the keys of the table that they are parts of.
  void tables(const Key& key, std::size_t, const Walk& walk) override {
    add(key, "list of tables");
    if (key.name == "parts") return;
    nested(fmt::format("{}{}{}[]", table_, table_.empty() ? "" : ".", key.name), walk);
  }

  void table(const Key& key, bool, const Walk& walk) override {
    if (!table_.empty()) add(key, "table");
    nested(table_.empty() ? std::string(key.name) : fmt::format("{}.{}", table_, key.name), walk);
  }

  void rule(bool, std::string_view, const std::string&) override {}

  std::vector<KeyHelp> keys;

 private:
  // Visits without a trace, to leave the defaults as they were.
  class Silent final : public FieldVisitor {
    void value(const Key&, FieldValue) override {}
    void choose(const Key&, std::span<const Kind>, std::size_t, const Walk&) override {}
    void tables(const Key&, std::size_t, const Walk&) override {}
    void table(const Key&, bool, const Walk&) override {}
    void rule(bool, std::string_view, const std::string&) override {}
  };

  KeyHelp& add(const Key& key, std::string type) {
    KeyHelp& help = keys.emplace_back();
    help.table = table_;
    help.key = key.name;
    help.kind = kind_;
    help.type = std::move(type);
    if (key.presence == Presence::kRequired) help.initial = "required";
    help.help = key.help;
    return help;
  }

  void nested(std::string name, const Walk& walk) {
    const std::string outer = std::exchange(table_, std::move(name));
    walk(*this, 0);
    table_ = outer;
  }

  std::string table_;
  std::string kind_;
  Silent silent_;
};

}  // namespace

std::vector<KeyHelp> keys_of_fields(const DescribeFields& describe) {
  KeyLister lister;
  describe(lister);
  return std::move(lister.keys);
}

std::vector<KeyHelp> config_keys() {
  ProblemConfig defaults;
  return keys_of_fields([&](FieldVisitor& visit) { describe(visit, defaults); });
}

}  // namespace rgu
