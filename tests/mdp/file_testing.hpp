// Folders that vanish and messages of what was thrown, for the tests of file formats.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "rgu/base/check.hpp"

namespace rgu {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = testing::TempDir() + "/rgu_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline void put(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The message of the `Error` that `call` throws; a failure if it throws none.
template <class Error = InvalidInput, class Call>
std::string thrown_by(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

// `text` with its only occurrence of `from` replaced by `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == text.npos || text.find(from, at + 1) != text.npos) {
    throw std::logic_error("'" + from + "' must occur once in the text to change");
  }
  return text.replace(at, from.size(), to);
}

// A text that a reader must refuse, and what the message must say.
struct Refused {
  std::string name;
  std::string text;
  std::vector<std::string> parts;
};

inline void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

inline std::string name_of_case(const testing::TestParamInfo<Refused>& info) {
  return info.param.name;
}

inline void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), message.npos) << "no '" << part << "' in: " << message;
  }
  EXPECT_EQ(message.find('\n'), message.npos) << "more than one line: " << message;
}

}  // namespace rgu
