#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "rgu/base/nearest_name.hpp"
#include "rgu/experiment/config_describe.hpp"
#include "rgu/experiment/config_fields.hpp"
#include "rgu/experiment/toml_document.hpp"
#include "rgu/experiment/value_reader.hpp"
#include "rgu/mdp/io/place.hpp"

namespace rgu {
namespace {

// The names of the keys of one table, without reading it.
class NameCollector final : public FieldVisitor {
 public:
  void value(const Key& key, FieldValue) override { names.emplace(key.name); }
  void choose(const Key& key, std::span<const Kind> kinds, std::size_t current,
              const Walk& walk) override {
    names.emplace(key.name);
    for (std::size_t k = 0; k < kinds.size(); ++k) walk(*this, k);
    walk(*this, current);
  }
  void tables(const Key& key, std::size_t, const Walk&) override { names.emplace(key.name); }
  void table(const Key& key, bool, const Walk&) override { names.emplace(key.name); }
  void rule(bool, std::string_view, const std::string&) override {}

  std::set<std::string> names;
};

std::set<std::string> names_of(const FieldVisitor::Walk& walk, std::size_t index) {
  NameCollector collector;
  walk(collector, index);
  return collector.names;
}

struct TablePlace {
  std::string name;            // "utility.parts[0]"; empty at the top
  toml::source_region region;  // where a missing key is reported
};

// A missing key or a broken rule is reported only if every key is known: what is missing may be
// there, misspelt.
class TableReader final : public FieldVisitor {
 public:
  TableReader(const toml::table& table, TablePlace place, const std::filesystem::path& folder)
      : table_(table), place_(std::move(place)), folder_(folder) {}

  void value(const Key& key, FieldValue value) override {
    const toml::node* node = find(key);
    if (node != nullptr) read_value(key, *node, value, folder_);
  }

  void choose(const Key& key, std::span<const Kind> kinds, std::size_t current,
              const Walk& walk) override {
    const std::optional<std::size_t> chosen = chosen_kind(key, kinds, current);
    KeyOwners owners;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      for (const std::string& name : names_of(walk, k)) {
        owners[name].push_back(fmt::format("\"{}\"", kinds[k].name));
      }
    }
    if (!chosen) {
      for (const auto& [name, kinds_with_it] : owners) known_.insert(name);
      return;
    }
    for (const std::string& name : names_of(walk, *chosen)) owners.erase(name);
    note_foreign(owners, fmt::format("{} = \"{}\"", key.name, kinds[*chosen].name), key);
    walk(*this, *chosen);
  }

  void tables(const Key& key, std::size_t, const Walk& walk) override {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const toml::array* list = node->as_array();
    if (list == nullptr || list->empty()) {
      fail_at(node->source(), fmt::format("{} is {}, must be a list of at least one table",
                                          key.name, list ? "an empty list" : in_words(*node)));
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      read_inner(fmt::format("{}[{}]", key.name, i), (*list)[i], walk, i);
    }
  }

  void table(const Key& key, bool, const Walk& walk) override {
    const toml::node* node = find(key);
    if (node != nullptr) read_inner(std::string(key.name), *node, walk, 0);
  }

  void rule(bool holds, std::string_view key, const std::string& message) override {
    if (holds) return;
    const toml::node* node = table_.get(key);
    postpone(node != nullptr ? node->source() : place_.region, message);
  }

  void finish() const {
    for (auto&& [key, node] : table_) {
      if (!known_.contains(std::string(key.str()))) refuse(key, node);
    }
    if (postponed_) fail_at(postponed_->region, postponed_->message);
  }

 private:
  struct Refusal {
    toml::source_region region;
    std::string message;
  };

  void postpone(const toml::source_region& region, const std::string& message) {
    if (!postponed_) postponed_ = Refusal{region, message};
  }

  using KeyOwners = std::map<std::string, std::vector<std::string>>;  // key -> kinds that have it

  // `statement`: the choice that was made, for which these keys mean nothing. Where an override
  // made it, the file's keys of the old kind go with the old kind.
  void note_foreign(const KeyOwners& owners, const std::string& statement, const Key& key) {
    const toml::node* choice = table_.get(key.name);
    const bool overridden = choice != nullptr && is_override(choice->source());
    for (const auto& [name, kinds] : owners) {
      const toml::node* node = table_.get(name);
      if (overridden && node != nullptr && !is_override(node->source())) known_.insert(name);
      foreign_.try_emplace(
          name, fmt::format("{}, only to {}; remove it", statement, fmt::join(kinds, ", ")));
    }
  }

  std::string title() const {
    if (place_.name.empty()) return "at the top";
    return fmt::format("in [{}]", place_.name);
  }

  // The key's value; null, and a complaint if it is required, where it is not there.
  const toml::node* find(const Key& key) {
    known_.emplace(key.name);
    const toml::node* node = table_.get(key.name);
    if (node == nullptr && key.presence == Presence::kRequired) {
      postpone(place_.region, fmt::format("missing key '{}' {}", key.name, title()));
    }
    return node;
  }

  // Nothing where the key is required but missing.
  std::optional<std::size_t> chosen_kind(const Key& key, std::span<const Kind> kinds,
                                         std::size_t current) {
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (kinds[k].implied_by.empty() || !table_.contains(kinds[k].implied_by)) continue;
      const toml::node* stated = table_.get(key.name);
      known_.emplace(key.name);
      if (stated != nullptr) {
        fail_at(stated->source(), fmt::format("'{}' and '{}' exclude each other {}", key.name,
                                              kinds[k].implied_by, title()));
      }
      return k;
    }
    const toml::node* node = find(key);
    if (node != nullptr) return kind_named(key, kinds, *node);
    if (key.presence == Presence::kRequired) return std::nullopt;
    return current;
  }

  static std::size_t kind_named(const Key& key, std::span<const Kind> kinds,
                                const toml::node& node) {
    std::vector<std::string> names;
    for (const Kind& kind : kinds) names.emplace_back(kind.name);
    const auto* text = node.as_string();
    const auto found =
        text == nullptr ? names.end() : std::find(names.begin(), names.end(), text->get());
    if (found == names.end()) {
      std::string list;
      for (const std::string& name : names) list += fmt::format(", \"{}\"", name);
      fail_at(node.source(),
              fmt::format("{} is {}, must be one of {}{}", key.name, in_words(node), list.substr(2),
                          text == nullptr ? "" : did_you_mean(text->get(), names)));
    }
    return static_cast<std::size_t>(found - names.begin());
  }

  void read_inner(const std::string& key, const toml::node& node, const Walk& walk,
                  std::size_t index) const {
    if (!node.is_table()) {
      fail_at(node.source(), fmt::format("{} is {}, must be a table", key, in_words(node)));
    }
    const std::string name = place_.name.empty() ? key : fmt::format("{}.{}", place_.name, key);
    // A table that only an override mentions has no place but that of its keys.
    TableReader inner(*node.as_table(), {name, node.source()}, folder_);
    walk(inner, index);
    inner.finish();
  }

  [[noreturn]] void refuse(const toml::key& key, const toml::node& node) const {
    const std::string name(key.str());
    const toml::source_region& region = key.source().path ? key.source() : node.source();
    if (const auto found = foreign_.find(name); found != foreign_.end()) {
      fail_at(region,
              fmt::format("key '{}' {} does not belong to {}", name, title(), found->second));
    }
    const std::vector<std::string> names(known_.begin(), known_.end());
    fail_at(region, fmt::format("unknown key '{}' {}{}", printable(name), title(),
                                did_you_mean(name, names)));
  }

  const toml::table& table_;
  TablePlace place_;
  const std::filesystem::path& folder_;
  std::set<std::string> known_;
  // Keys of kinds that were not chosen -> the choice that was made, and whose they are.
  std::map<std::string, std::string> foreign_;
  std::optional<Refusal> postponed_;
};

}  // namespace

void read_fields(const ConfigSource& source, const std::vector<std::string>& overrides,
                 const DescribeFields& describe) {
  const toml::table document = parse_document(source, overrides);
  TableReader reader(document, {"", document.source()}, source.folder);
  describe(reader);
  reader.finish();
}

ProblemConfig read_config(const ConfigSource& source, const std::vector<std::string>& overrides) {
  ProblemConfig config;
  read_fields(source, overrides, [&](FieldVisitor& visit) { describe(visit, config); });
  return config;
}

}  // namespace rgu
