#include "rgu/align/weight_file.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/text/text_lines.hpp"
#include "rgu/llm/text/unicode.hpp"

namespace rgu::align {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kWhiteSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1);
}

// What stands before the first white space, and what after it.
struct Fields {
  std::string_view first;
  std::string_view rest;
};

Fields fields_of(std::string_view line) {
  const std::string_view content = trimmed(line.substr(0, line.find('#')));
  const std::size_t end = std::min(content.find_first_of(kWhiteSpace), content.size());
  return {.first = content.substr(0, end), .rest = trimmed(content.substr(end))};
}

// "+1" too; infinite where the number is beyond the range of doubles; none where it is no number.
std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return {};
  return error == std::errc::result_out_of_range ? HUGE_VAL : value;
}

double finite_number(std::string_view text, const std::string& place, std::string_view name) {
  const std::optional<double> value = number_of(text);
  check(value && std::isfinite(*value), "{}: {} is {}, must be a finite number", place, name,
        llm::in_quotes(text));
  return *value;
}

class Reader {
 public:
  Reader(const std::filesystem::path& path, const WeightFileRules& rules)
      : lines_(path), rules_(rules) {}

  WeightFile whole() {
    while (const std::optional<std::string_view> line = lines_.next()) {
      check(llm::is_utf8(*line), "{}: not UTF-8", lines_.place());
      const Fields fields = fields_of(*line);
      if (!fields.first.empty()) take(fields);
    }
    return std::move(file_);
  }

 private:
  void take(const Fields& fields) {
    if (std::ranges::count(rules_.settings, fields.first) > 0) return take_setting(fields);
    check(number_of(fields.first).has_value(),
          "{}: a line begins with {}, must begin with a weight{}{}", lines_.place(),
          llm::in_quotes(fields.first),
          rules_.settings.empty() ? "" : " or one of: ", fmt::join(rules_.settings, ", "));
    take_weight(fields);
  }

  void take_setting(const Fields& fields) {
    const std::string place = lines_.place();
    check(!fields.rest.empty() && fields.rest.find_first_of(kWhiteSpace) == fields.rest.npos,
          "{}: {} is {}, must be one word", place, fields.first, llm::in_quotes(fields.rest));
    const auto [setting, is_new] = file_.settings.try_emplace(
        std::string(fields.first),
        WeightFile::Setting{.value = std::string(fields.rest), .place = place});
    check(is_new, "{}: {} is set already, at {}", place, fields.first, setting->second.place);
  }

  void take_weight(const Fields& fields) {
    const std::string place = lines_.place();
    const double weight = finite_number(fields.first, place, "the weight");
    const Words phrase(fields.rest);
    check(phrase.size() >= 1, "{}: {} has no word, must have one at least", place,
          llm::in_quotes(fields.rest));
    check(phrase.size() <= rules_.longest_phrase, "{}: {} has {} words, must have at most {}",
          place, llm::in_quotes(phrase.joined()), phrase.size(), rules_.longest_phrase);
    const PhraseTable::Added added = file_.phrases.add(phrase);
    check(added.is_new, "{}: {} has a weight already, in line {}", place,
          llm::in_quotes(phrase.joined()), added.is_new ? 0 : line_numbers_[added.number]);
    file_.weights.push_back(weight);
    line_numbers_.push_back(lines_.number());
  }

  llm::TextLines lines_;
  const WeightFileRules& rules_;
  WeightFile file_;
  std::vector<std::int64_t> line_numbers_;  // of the phrases
};

}  // namespace

double WeightFile::number(std::string_view setting, double otherwise) const {
  const auto found = settings.find(setting);
  if (found == settings.end()) return otherwise;
  return finite_number(found->second.value, found->second.place, setting);
}

std::size_t WeightFile::choice(std::string_view setting,
                               std::span<const std::string_view> values) const {
  const auto found = settings.find(setting);
  if (found == settings.end()) return 0;
  const auto value = std::ranges::find(values, found->second.value);
  check(value != values.end(), "{}: {} is {}, must be one of: {}", found->second.place, setting,
        llm::in_quotes(found->second.value), fmt::join(values, ", "));
  return static_cast<std::size_t>(value - values.begin());
}

WeightFile read_weight_file(const std::filesystem::path& path, const WeightFileRules& rules) {
  WeightFile file = Reader(path, rules).whole();
  check(!file.weights.empty(), "{}: there is no weight in it", path.string());
  return file;
}

}  // namespace rgu::align
