#include "rgu/mdp/io/json_fields.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

namespace rgu {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 10> kNames = {"format",   "version", "states", "actions",
                                                     "discount", "start",   "kernel", "transitions",
                                                     "signals",  "grid"};
constexpr std::array<std::string_view, 4> kTransitionNames = {"state", "action", "next",
                                                              "probability"};
constexpr std::array<std::string_view, 3> kGridNames = {"rows", "columns", "cell_of_state"};
constexpr Index kDeepest = 3;

bool is_section(std::string_view name) {
  return name == "transitions" || name == "signals" || name == "grid";
}

bool is_known(std::string_view section, std::string_view name) {
  const auto in = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (section.empty()) return in(kNames);
  if (section == "transitions") return in(kTransitionNames);
  if (section == "grid") return in(kGridNames);
  return true;  // a signal may have any name
}

// Walks over the text and leaves behind how far the parser has read, so that events, which carry no
// position, can be placed.
class WatchedIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  WatchedIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  WatchedIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  bool operator==(const WatchedIterator& other) const { return at_ == other.at_; }
  bool operator!=(const WatchedIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

// Receives the parser's events. Throws where the model's shape is left.
class FieldCollector : public nlohmann::json_sax<json> {
 public:
  explicit FieldCollector(const NamedText& source)
      : source_(source), reached_(source.text.data()), counted_(source.text.data()) {}

  const char** reached() { return &reached_; }
  JsonSections take() { return std::move(sections_); }

  bool null() override { refuse("null"); }
  bool boolean(bool) override { refuse("a truth value"); }
  bool binary(binary_t&) override { refuse("binary data"); }
  bool number_integer(number_integer_t value) override {
    return add_number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add_number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override {
    add_number(value);
    field_->numbers.integers = false;
    return true;
  }
  bool string(string_t& text) override;
  bool start_object(std::size_t) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override;

 private:
  // The parser has read at most one byte past the end of what it reports. Lines are counted from
  // where the last call stopped, so all calls together cost one pass.
  Place place() {
    const char* end = reached_ > source_.text.data() ? reached_ - 1 : reached_;
    line_ += std::count(counted_, end, '\n');
    counted_ = end;
    return {source_.file, line_};
  }
  std::string name() const { return (section_.empty() ? "" : section_ + ".") + printable(key_); }
  bool add_number(double value);
  void begin_value();
  [[noreturn]] void refuse(std::string_view what);

  NamedText source_;
  const char* reached_;  // how far the parser has read
  const char* counted_;  // how far lines were counted
  Index line_ = 1;       // the line there
  JsonSections sections_;
  int objects_ = 0;             // open objects
  std::string section_;         // the open section; "" outside
  std::string key_;             // the name whose value comes next
  JsonField* field_ = nullptr;  // the field whose value comes next
  std::vector<Index> counts_;   // elements so far of each open array
  std::optional<Index> rank_;   // of the field, once a number was seen
};

bool FieldCollector::start_object(std::size_t) {
  if (objects_ == 1 && field_ == nullptr && is_section(key_)) {
    section_ = key_;
    sections_[section_].line = place().line;
  } else if (objects_ != 0) {
    refuse("an object");
  } else {
    sections_[""].line = place().line;
  }
  ++objects_;
  return true;
}

bool FieldCollector::key(string_t& name) {
  key_ = name;
  check_at(is_known(section_, name), place(), "unknown name {}{}", excerpt(name),
           section_.empty() ? "" : " in " + section_);
  if (section_.empty() && is_section(name)) {
    check_at(!sections_.contains(name), place(), "{} is given twice", excerpt(name));
    field_ = nullptr;
    return true;
  }
  auto& fields = sections_[section_].fields;
  check_at(!fields.contains(name), place(), "'{}' is given twice", this->name());
  field_ = &fields[name];
  field_->line = place().line;
  rank_.reset();
  return true;
}

bool FieldCollector::end_object() {
  --objects_;
  section_.clear();
  field_ = nullptr;
  return true;
}

bool FieldCollector::string(string_t& text) {
  if (field_ == nullptr || !counts_.empty()) refuse("a text");
  if (section_.empty() && key_ == "format") {
    check_at(text == "rgu-model", place(), "format is {}, must be 'rgu-model'", excerpt(text));
  }
  field_->text = text;
  return true;
}

bool FieldCollector::start_array(std::size_t) {
  begin_value();
  const Index level = std::ssize(counts_);
  NumberArray& numbers = field_->numbers;
  check_at(level < kDeepest, place(), "{} is nested deeper than {} arrays", name(), kDeepest);
  check_at(level < rank_.value_or(kDeepest), place(), "{} mixes numbers and arrays", name());
  if (level > 0) ++counts_.back();
  counts_.push_back(0);
  if (numbers.rank() == level) numbers.shape.push_back(-1);  // length not known yet
  return true;
}

bool FieldCollector::end_array() {
  const Index count = counts_.back();
  counts_.pop_back();
  Index& length = field_->numbers.shape[counts_.size()];
  check_at(length == -1 || length == count, place(),
           "{} has nested arrays of {} and {} elements, must be equal", name(), length, count);
  length = count;
  return true;
}

bool FieldCollector::add_number(double value) {
  begin_value();
  const Index level = std::ssize(counts_);
  if (!rank_) {
    check_at(field_->numbers.rank() == level, place(), "{} mixes numbers and arrays", name());
    rank_ = level;
  }
  if (*rank_ != level) fail_at(place(), "{} mixes numbers and arrays", name());
  if (level > 0) ++counts_.back();
  field_->numbers.values.push_back(value);
  if (section_.empty() && key_ == "version") {
    check_at(level == 0 && value == 1, place(), "version is {}, must be 1", value);
  }
  return true;
}

void FieldCollector::begin_value() {
  if (field_ == nullptr) refuse("a number or an array");
}

void FieldCollector::refuse(std::string_view what) {
  check_at(objects_ > 0, place(), "the file holds {}, must hold one object", what);
  fail_at(place(), "{} holds {}, must be {}", name(), what,
          section_.empty() && is_section(key_) ? "an object"
          : key_ == "format"                   ? "a text"
                                               : "a number or arrays of numbers");
}

// The middle of the parser's message: what it met, without its own prefix and the raw bytes.
std::string_view cause_of(std::string_view message) {
  const std::size_t begin = message.find(" - ");
  if (begin == message.npos) return "number out of range";
  const std::string_view rest = message.substr(begin + 3);
  return rest.substr(0, rest.find(';'));
}

bool FieldCollector::parse_error(std::size_t, const std::string&,
                                 const nlohmann::detail::exception& error) {
  // Our own text, not the parser's echo of it, which may reach back over several lines.
  const std::string_view read =
      source_.text.substr(0, static_cast<std::size_t>(reached_ - source_.text.data()));
  const std::string_view line = read.substr(read.rfind('\n', read.size() - 2) + 1);
  fail_at(place(), "not valid JSON at the end of {}: {}",
          excerpt(line.substr(line.size() - std::min<std::size_t>(line.size(), 30))),
          cause_of(error.what()));
}

}  // namespace

JsonSections parse_json_fields(const NamedText& source) {
  FieldCollector collector(source);
  const char* begin = source.text.data();
  json::sax_parse(WatchedIterator(begin, collector.reached()),
                  WatchedIterator(begin + source.text.size(), collector.reached()), &collector);
  return collector.take();
}

}  // namespace rgu
