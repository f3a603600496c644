// What all ranks of a job try, and complain of, together.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "rgu/base/check.hpp"
#include "rgu/base/ranks.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/base/types.hpp"

namespace rgu {

// Bad input that all ranks throw at the same place: it is enough that rank 0 tells it.
class SharedComplaint : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

// The same of a file or folder that cannot be written.
class SharedFileError : public FileError {
 public:
  using FileError::FileError;
};

// The part of a list of `count` that is this rank's. Those of all ranks, one after the other, are
// the list.
struct Share {
  Index first = 0;
  Index count = 0;
};
inline Share own_share(const Ranks& ranks, Index count) {
  const Index first = count * ranks.rank() / ranks.size();
  return {.first = first, .count = count * (ranks.rank() + 1) / ranks.size() - first};
}

// make() on every rank; what any of them has against its input is thrown on all.
template <class Make>
auto together(Ranks& ranks, const Make& make) {
  std::optional<decltype(make())> made;
  std::string complaint;
  try {
    made.emplace(make());
  } catch (const InvalidInput& error) {
    complaint = error.what();
  }
  for (const std::string& text : ranks.gather(complaint)) {
    if (!text.empty()) throw SharedComplaint(text);
  }
  return std::move(*made);
}

}  // namespace rgu
