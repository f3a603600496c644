#include "rgu/base/version.hpp"

#include <fmt/format.h>

#include <string_view>

namespace rgu {

std::string version_text() {
#ifdef NDEBUG
  constexpr std::string_view kind = "release";
#else
  constexpr std::string_view kind = "debug";
#endif
#ifdef __clang__
  constexpr std::string_view compiler = "clang++ " __clang_version__;
#else
  constexpr std::string_view compiler = "g++ " __VERSION__;
#endif
  return fmt::format("rgu {}, {}, {}", RGU_VERSION, compiler, kind);
}

}  // namespace rgu
