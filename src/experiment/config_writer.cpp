#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/config_describe.hpp"
#include "rgu/experiment/config_fields.hpp"
#include "rgu/experiment/toml_text.hpp"

namespace rgu {
namespace {

// The pairs "key = value" of one table. Tables at the top get a header of their own, all others are
// written inline.
class PairWriter final : public FieldVisitor {
 public:
  void value(const Key& key, FieldValue value) override {
    if (const auto text = toml_value(key, value)) add(key, *text);
  }

  void choose(const Key& key, std::span<const Kind> kinds, std::size_t current,
              const Walk& walk) override {
    if (kinds[current].implied_by.empty()) add(key, toml_string(kinds[current].name));
    walk(*this, current);
  }

  void tables(const Key& key, std::size_t count, const Walk& walk) override {
    std::vector<std::string> entries;
    for (std::size_t i = 0; i < count; ++i) entries.push_back(inline_table(walk, i));
    add(key, fmt::format("[{}]", fmt::join(entries, ", ")));
  }

  void table(const Key& key, bool present, const Walk& walk) override {
    if (present) add(key, inline_table(walk, 0));
  }

  void rule(bool, std::string_view, const std::string&) override {}

  const std::vector<std::string>& pairs() const { return pairs_; }

 private:
  static std::string inline_table(const Walk& walk, std::size_t index) {
    PairWriter inner;
    walk(inner, index);
    return fmt::format("{{ {} }}", fmt::join(inner.pairs(), ", "));
  }

  void add(const Key& key, const std::string& text) {
    pairs_.push_back(fmt::format("{} = {}", key.name, text));
  }

  std::vector<std::string> pairs_;
};

class DocumentWriter final : public FieldVisitor {
 public:
  void value(const Key& key, FieldValue value) override { top_.value(key, value); }
  void choose(const Key& key, std::span<const Kind> kinds, std::size_t current,
              const Walk& walk) override {
    top_.choose(key, kinds, current, walk);
  }
  void tables(const Key& key, std::size_t count, const Walk& walk) override {
    for (std::size_t i = 0; i < count; ++i) add(fmt::format("[[{}]]", key.name), walk, i);
  }
  void table(const Key& key, bool, const Walk& walk) override {
    add(fmt::format("[{}]", key.name), walk, 0);
  }
  void rule(bool, std::string_view, const std::string&) override {}

  std::string text() const {
    return fmt::format("{}\n{}", fmt::join(top_.pairs(), "\n"), sections_);
  }

 private:
  void add(const std::string& header, const Walk& walk, std::size_t index) {
    PairWriter inner;
    walk(inner, index);
    sections_ += fmt::format("\n{}\n{}\n", header, fmt::join(inner.pairs(), "\n"));
  }

  PairWriter top_;
  std::string sections_;
};

}  // namespace

std::string toml_of_fields(const DescribeFields& describe) {
  DocumentWriter writer;
  describe(writer);
  return writer.text();
}

std::string to_toml(const ProblemConfig& config) {
  ProblemConfig copy = config;  // visitors may write
  return toml_of_fields([&](FieldVisitor& visit) { describe(visit, copy); });
}

bool operator==(const ProblemConfig& a, const ProblemConfig& b) { return to_toml(a) == to_toml(b); }

}  // namespace rgu
