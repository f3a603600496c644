#include "rgu/experiment/value_reader.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "rgu/base/nearest_name.hpp"
#include "rgu/experiment/toml_document.hpp"
#include "rgu/experiment/toml_text.hpp"
#include "rgu/mdp/io/place.hpp"

namespace rgu {
namespace {

// Reads values of one key.
class ValueReader {
 public:
  ValueReader(const Key& key, const std::filesystem::path& folder) : key_(key), folder_(folder) {}

  void read(const toml::node& node, bool& field) const {
    if (!node.is_boolean()) refuse(node, "true or false");
    field = node.as_boolean()->get();
  }

  void read(const toml::node& node, Index& field) const { field = integer(node); }
  void read(const toml::node& node, std::uint64_t& field) const {
    field = static_cast<std::uint64_t>(integer(node));
  }

  void read(const toml::node& node, double& field) const {
    const bool infinity_allowed = key_.range.contains(Range::kInfinity);
    const auto* text = node.as_string();
    if (infinity_allowed && text != nullptr && text->get() == "inf") {
      field = Range::kInfinity;
      return;
    }
    const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value || !key_.range.contains(*value)) {
      refuse(node, in_range("number"));
    }
    field = *value;
  }

  void read(const toml::node& node, std::string& field) const {
    if (!node.is_string()) refuse(node, "a string");
    field = node.as_string()->get();
  }

  void read(const toml::node& node, std::filesystem::path& field) const {
    if (!node.is_string() || node.as_string()->get().empty()) refuse(node, "a file name");
    field = std::filesystem::absolute(folder_ / node.as_string()->get()).lexically_normal();
  }

  template <class Entry>
  void read(const toml::node& node, std::vector<Entry>& field) const {
    field.clear();
    for (const toml::node& entry : list(node)) read(entry, field.emplace_back());
  }

  void read(const toml::node& node, std::vector<std::vector<double>>& field) const {
    field.clear();
    for (const toml::node& entry : list(node)) {
      read(entry, field.emplace_back());
      if (field.back().size() == field.front().size()) continue;
      fail_at(entry.source(),
              fmt::format("row {} of {} has {} entries, must have {} as row 0", field.size() - 1,
                          key_.name, field.back().size(), field.front().size()));
    }
  }

  void read(const toml::node& node, Seeds& field) const {
    constexpr Index kMostSeeds = 100000;
    if (node.is_integer()) {
      const Index count = node.as_integer()->get();
      if (count < 1 || count > kMostSeeds) {
        refuse(node, fmt::format("a number of seeds in 1 .. {} or a list of seeds", kMostSeeds));
      }
      field.resize(static_cast<std::size_t>(count));
      std::iota(field.begin(), field.end(), 0);
      return;
    }
    field.clear();
    std::set<std::uint64_t> seen;
    for (const toml::node& entry : list(node)) {
      read(entry, field.emplace_back());
      if (seen.insert(field.back()).second) continue;
      fail_at(entry.source(), fmt::format("seed {} is listed twice", field.back()));
    }
  }

  void read(const toml::node& node, Schedule& field) const {
    if (node.is_table()) {
      field.growing = growing(*node.as_table());
    } else if (node.is_integer()) {
      field = {.values = {integer(node)}, .growing = std::nullopt};
    } else if (node.is_array()) {
      field.growing.reset();
      read(node, field.values);
    } else {
      refuse(node, "an integer, a list of integers or a table {base, rate, growth, max}");
    }
  }

  void read(const toml::node& node, NumberOrList& field) const {
    if (node.is_array()) {
      read(node, field.emplace<std::vector<double>>());
    } else {
      read(node, field.emplace<double>());
    }
  }

  template <class T>
  void read(const toml::node& node, std::optional<T>& field) const {
    const auto* text = node.as_string();
    if (key_.presence == Presence::kAutomatic && text != nullptr && text->get() == "auto") {
      field.reset();
    } else {
      read(node, field.emplace());
    }
  }

 private:
  Index integer(const toml::node& node) const {
    const auto* value = node.as_integer();
    if (value == nullptr || !key_.range.contains(static_cast<double>(value->get()))) {
      refuse(node, in_range("integer"));
    }
    return value->get();
  }

  // "a finite number", "an integer >= 1".
  std::string in_range(std::string_view type) const {
    const std::string range = to_text(key_.range);
    if (range == "finite") return fmt::format("a finite {}", type);
    return fmt::format("{} {} {}", type == "integer" ? "an" : "a", type, range);
  }

  const toml::array& list(const toml::node& node) const {
    const toml::array* array = node.as_array();
    if (array == nullptr) refuse(node, "a list");
    if (array->empty()) {
      fail_at(node.source(), fmt::format("{} is an empty list, must have an entry", key_.name));
    }
    return *array;
  }

  GrowingCount growing(const toml::table& table) const {
    static const std::vector<std::string> kNames = {"base", "rate", "growth", "max"};
    static const std::vector<std::string> kGrowths = {"log", "linear", "quadratic"};
    GrowingCount rule;
    for (auto&& [key, node] : table) {
      const std::string name(key.str());
      if (name == "base" || name == "rate") {
        const bool is_base = name == "base";
        const Key number{is_base ? "base" : "rate", {}, is_base ? kFinite : kNonnegative};
        ValueReader(number, folder_).read(node, is_base ? rule.base : rule.rate);
      } else if (name == "max") {
        ValueReader({"max", {}, key_.range}, folder_).read(node, rule.max);
      } else if (name == "growth") {
        const auto* text = node.as_string();
        const auto found = std::find(kGrowths.begin(), kGrowths.end(), text ? text->get() : "");
        if (found == kGrowths.end()) {
          ValueReader({"growth", {}}, folder_).refuse(node, "\"log\", \"linear\" or \"quadratic\"");
        }
        rule.growth = static_cast<Growth>(found - kGrowths.begin());
      } else {
        fail_at(key.source(), fmt::format("unknown key '{}' in the schedule {}{}", printable(name),
                                          key_.name, did_you_mean(name, kNames)));
      }
    }
    return rule;
  }

  [[noreturn]] void refuse(const toml::node& node, const std::string& rule) const {
    std::string automatic = key_.presence == Presence::kAutomatic ? " or \"auto\"" : "";
    fail_at(node.source(),
            fmt::format("{} is {}, must be {}{}", key_.name, in_words(node), rule, automatic));
  }

  const Key key_;
  const std::filesystem::path& folder_;
};

}  // namespace

void read_value(const Key& key, const toml::node& node, const FieldValue& field,
                const std::filesystem::path& folder) {
  const ValueReader reader(key, folder);
  std::visit([&](auto* target) { reader.read(node, *target); }, field);
}

}  // namespace rgu
