// What all ranks of a job try, and complain of, together.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "rgu/base/ranks.hpp"

namespace rgu {

// Bad input that every rank of a job has been told of: one voice is enough.
class SharedComplaint : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// make() on every rank; what any of them has against its input is thrown on all.
template <class Make>
auto together(Ranks& ranks, const Make& make) {
  std::optional<decltype(make())> made;
  std::string complaint;
  try {
    made.emplace(make());
  } catch (const std::invalid_argument& error) {
    complaint = error.what();
  }
  for (const std::string& text : ranks.gather(complaint)) {
    if (!text.empty()) throw SharedComplaint(text);
  }
  return std::move(*made);
}

}  // namespace rgu
