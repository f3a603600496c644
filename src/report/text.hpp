// Text for HTML, SVG and JSON. What comes from a file may hold anything: every string passes
// through here before it enters a page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rgu::report {

// Valid UTF-8 that XML allows: bytes that are not, control characters other than tab and line feed,
// and those that change the direction of what follows become U+FFFD.
std::string printable(std::string_view text);

// `printable`, with & < > " ' as entities: safe between tags and inside quoted attributes.
std::string escaped(std::string_view text);

// A JSON string with its quotes; no '<', '>', '&', U+2028 or U+2029 inside, so that it may stand in
// a <script> element.
std::string json_string(std::string_view text);

// A JSON number of seven digits; null unless finite.
std::string json_number(double value);
std::string json_numbers(const std::vector<double>& values);

// For people: four significant digits, "−0.1322", "1.234×10⁻⁵", "0", "∞"; "–" for NaN.
std::string number(double value);

// The same without zeros at the end: "0.03", "1".
std::string short_number(double value);

// A column of numbers with the same number of decimals, so that they line up: four digits for the
// largest. As `number` where that would not do.
std::vector<std::string> column(const std::vector<double>& values);

// "12,345,678".
std::string count(long long value);

// "3 seeds", "1 seed".
std::string counted(std::size_t n, std::string_view thing);

// `printable`, cut to `letters` letters with "…" at the end where it is longer.
std::string shortened(std::string_view text, std::size_t letters);

// A power of ten: "10⁻⁵".
std::string power_of_ten(int exponent);

// 64 hexadecimal digits as base64, as the Content-Security-Policy writes hashes.
std::string base64_of_hex(std::string_view hex);

}  // namespace rgu::report
