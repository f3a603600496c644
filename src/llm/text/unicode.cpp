#include "rgu/llm/text/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

namespace rgu::llm {
namespace {

struct ByteRange {
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  bool holds(std::uint8_t byte) const { return low <= byte && byte <= high; }
};

// What may follow a lead byte [Unicode, Table 3-7]: narrower than 80..BF where a wider range would
// allow overlong forms, surrogates or code points above U+10FFFF.
ByteRange second_bytes(std::uint8_t lead) {
  switch (lead) {
    case 0xE0:
      return {.low = 0xA0};
    case 0xED:
      return {.high = 0x9F};
    case 0xF0:
      return {.low = 0x90};
    case 0xF4:
      return {.high = 0x8F};
    default:
      return {};
  }
}

int length_by_lead(std::uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

CharacterClass class_by_category(char32_t code_point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharacterClass::kLetter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharacterClass::kNumber;
    default:
      return CharacterClass::kOther;
  }
}

// The property White_Space, complete: it has not changed since Unicode 6.3.
bool is_white_space(char32_t c) {
  return (c >= 0x9 && c <= 0xD) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

constexpr std::size_t kTable = 0x250;  // Latin in all its forms: looked up, not searched

std::array<CharacterClass, kTable> make_class_table() {
  std::array<CharacterClass, kTable> table = {};
  for (std::size_t c = 0; c < kTable; ++c) {
    const auto code_point = static_cast<char32_t>(c);
    table[c] = is_white_space(code_point) ? CharacterClass::kSpace : class_by_category(code_point);
  }
  return table;
}

// Symbols that are alphabetic without being letters: circled and squared Latin letters.
bool is_alphabetic_symbol(char32_t c) {
  return (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
         (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
}

using CodePoints = std::vector<utf8proc_int32_t>;

int combining_class(utf8proc_int32_t code_point) {
  return static_cast<int>(utf8proc_get_property(code_point)->combining_class);
}

constexpr auto kComposition = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);

void append_decomposition(CodePoints& points, char32_t code_point) {
  std::array<utf8proc_int32_t, 32> parts = {};
  int boundary = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point), parts.data(),
                              static_cast<utf8proc_ssize_t>(parts.size()), kComposition, &boundary);
  points.insert(points.end(), parts.begin(), parts.begin() + count);
}

// The canonical order: runs of marks stably sorted by their combining class. (utf8proc orders by
// swapping neighbours, which takes quadratic time for a long run.)
void order_marks(CodePoints& points) {
  const auto is_starter = [](utf8proc_int32_t point) { return combining_class(point) == 0; };
  auto begin = points.begin();
  while (begin != points.end()) {
    begin = std::find_if_not(begin, points.end(), is_starter);
    const auto end = std::find_if(begin, points.end(), is_starter);
    std::stable_sort(begin, end, [](utf8proc_int32_t a, utf8proc_int32_t b) {
      return combining_class(a) < combining_class(b);
    });
    begin = end;
  }
}

bool is_mark(utf8proc_category_t category) {
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
         category == UTF8PROC_CATEGORY_ME;
}

// Whether form C surely keeps the character unless a mark or a vowel or final of Hangul follows: it
// begins a combination, does not combine with what is before it and has no decomposition (below
// U+0300: is composed already). What combines with something before it is a mark or Hangul.
bool is_stable(char32_t code_point) {
  if (code_point < 0x300) return true;
  const utf8proc_property_t* property =
      utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point));
  const bool is_jamo = code_point >= 0x1100 && code_point <= 0x11FF;
  return !is_jamo && property->decomp_seqindex == UINT16_MAX && property->combining_class == 0 &&
         !is_mark(static_cast<utf8proc_category_t>(property->category)) &&
         (code_point < 0xAC00 || code_point > 0xD7FF);
}

void append_composed(std::string& result, std::string_view text, CodePoints& points) {
  points.clear();
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    append_decomposition(points, step.code_point);
    at += step.length;
  }
  order_marks(points);
  const utf8proc_ssize_t count = utf8proc_normalize_utf32(
      points.data(), static_cast<utf8proc_ssize_t>(points.size()), kComposition);
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    append_utf8(result, static_cast<char32_t>(points[static_cast<std::size_t>(i)]));
  }
}

}  // namespace

Utf8Step utf8_step(std::string_view text, std::size_t at) {
  const std::uint8_t lead = byte_at(text, at);
  if (lead < 0x80) return {.code_point = lead, .length = 1, .valid = true};
  const int length = length_by_lead(lead);
  if (length == 0) return {};
  char32_t code_point = lead & (0x7Fu >> length);
  ByteRange range = second_bytes(lead);
  for (int i = 1; i < length; ++i) {
    const std::size_t next = at + static_cast<std::size_t>(i);
    if (next >= text.size() || !range.holds(byte_at(text, next))) {
      return {.length = static_cast<std::uint8_t>(i)};
    }
    code_point = (code_point << 6) | (byte_at(text, next) & 0x3Fu);
    range = {};
  }
  return {.code_point = code_point, .length = static_cast<std::uint8_t>(length), .valid = true};
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    if (!step.valid) return false;
    at += step.length;
  }
  return true;
}

std::string with_replacements(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    if (step.valid) {
      valid += text.substr(at, step.length);
    } else {
      append_utf8(valid, kReplacementCharacter);
    }
    at += step.length;
  }
  return valid;
}

void append_utf8(std::string& text, char32_t code_point) {
  std::array<utf8proc_uint8_t, 4> bytes = {};
  const utf8proc_ssize_t length =
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) {
    text += static_cast<char>(bytes[i]);
  }
}

CharacterClass class_of(char32_t code_point) {
  static const std::array<CharacterClass, kTable> table = make_class_table();
  if (code_point < kTable) return table[code_point];
  if (is_white_space(code_point)) return CharacterClass::kSpace;
  return class_by_category(code_point);
}

char32_t lower_case(char32_t code_point) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point)));
}

bool is_word_character(char32_t code_point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return code_point == 0x200C || code_point == 0x200D || is_alphabetic_symbol(code_point);
  }
}

// Only runs of characters that are not stable, and the one before each, can change.
std::string composed(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  CodePoints points;
  std::size_t kept = 0;      // what lies before is in the result
  std::size_t previous = 0;  // where the stable character before `at` begins
  for (std::size_t at = 0; at < text.size();) {
    Utf8Step step = utf8_step(text, at);
    if (is_stable(step.code_point)) {
      previous = at;
      at += step.length;
      continue;
    }
    const std::size_t begin = at > kept ? previous : at;
    while (!is_stable(step.code_point)) {
      at += step.length;
      if (at == text.size()) break;
      step = utf8_step(text, at);
    }
    result += text.substr(kept, begin - kept);
    append_composed(result, text.substr(begin, at - begin), points);
    kept = at;
  }
  result += text.substr(kept);
  return result;
}

}  // namespace rgu::llm
