#include "rgu/llm/files/json_text.hpp"

#include <set>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"

namespace rgu::llm {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kLongestName = 60;  // bytes, in a message

// Follows the parser and refuses what nlohmann::json lets pass: of equal keys it keeps the last.
class Strictness {
 public:
  explicit Strictness(std::string_view where) : where_(where) {}

  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    check(static_cast<std::size_t>(depth) <= kDeepest, "{}: nested deeper than {} levels", where_,
          kDeepest);
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    if (event == json::parse_event_t::key) {
      check(keys_.back().insert(parsed.get_ref<const std::string&>()).second,
            "{}: key {} appears twice, must be there once", where_, one_line(parsed));
    }
    return true;
  }

 private:
  std::string_view where_;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

json parse_json(std::string_view text, std::string_view where) {
  check(text.size() <= kLargestJson, "{}: {} bytes of JSON, must be at most {}", where, text.size(),
        kLargestJson);
  check(text.find('\0') == std::string_view::npos, "{}: a NUL byte in JSON", where);
  try {
    return json::parse(text, Strictness(where));
  } catch (const json::parse_error& error) {
    throw InvalidInput(fmt::format("{}: byte {} is not JSON", where, error.byte));
  } catch (const json::exception& error) {
    throw InvalidInput(fmt::format("{}: not JSON: {}", where, in_quotes(error.what())));
  }
}

json read_json(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  check(!!error || size <= kLargestJson, "{}: {} bytes of JSON, must be at most {}", path.string(),
        size, kLargestJson);
  json parsed = parse_json(read_text(path), path.string());
  check(parsed.is_object(), "{}: must be a JSON object", path.string());
  return parsed;
}

std::string one_line(const json& value) {
  // Bytes that are not UTF-8 become U+FFFD.
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kLongestName) text.replace(kLongestName, std::string::npos, "...");
  return text;
}

std::string in_quotes(std::string_view name) {
  const bool cut = name.size() > kLongestName;
  const std::string text =
      json(name.substr(0, kLongestName)).dump(-1, ' ', false, json::error_handler_t::replace);
  return fmt::format("'{}{}'", std::string_view(text).substr(1, text.size() - 2), cut ? "..." : "");
}

}  // namespace rgu::llm
