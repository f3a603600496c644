// How far a maximum that was found can be trusted. The kind travels with the number.
#pragma once

#include <string_view>

namespace rgu {

// kExact: the maximum, up to rounding. kCertified: the maximum is at most a stated gap above.
// kBestFound: a member attains it; nothing is known of the others.
enum class AnswerKind { kExact, kCertified, kBestFound };

// "exact", "certified", "best found".
constexpr std::string_view name_of(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::kExact:
      return "exact";
    case AnswerKind::kCertified:
      return "certified";
    case AnswerKind::kBestFound:
      return "best found";
  }
  return "";
}

}  // namespace rgu
