// Where in a file something is wrong, and messages that say so: "file:line: reason".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rgu/base/check.hpp"

namespace rgu {

struct Place {
  std::string_view file;
  Index line = 1;  // the first line is 1
};

// Throws InvalidInput with "file:line: message".
template <class... Args>
[[noreturn]] void fail_at(const Place& place, fmt::format_string<Args...> message, Args&&... args) {
  throw InvalidInput(fmt::format("{}:{}: {}", place.file, place.line,
                                 fmt::format(message, std::forward<Args>(args)...)));
}

template <class... Args>
void check_at(bool valid, const Place& place, fmt::format_string<Args...> message, Args&&... args) {
  if (!valid) fail_at(place, message, std::forward<Args>(args)...);
}

// `text` fit for a one-line message: cut after 40 bytes, bytes that are not printable ASCII written
// as \xNN.
std::string printable(std::string_view text);

// The same between quotes.
std::string excerpt(std::string_view text);

// Are the numbers finite, >= 0, and do they sum to 1 within FiniteMdp::kRowSumTolerance?
bool is_distribution(std::span<const double> probabilities);

// Throws unless is_distribution(probabilities). `thing` names them.
void check_distribution(const Place& place, std::string_view thing,
                        std::span<const double> probabilities);

}  // namespace rgu
