// What a command reads as input: texts given on the command line, in a file, or on standard input.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rgu/llm/files/token_id.hpp"

namespace rgu::llm {

// A line of a file, for messages that name it: "prompts.txt:3".
struct InputLine {
  std::string text = {};
  std::string where = {};
};

// The lines of a file (.gz and .xz too) that are not empty; "-" is standard input.
std::vector<InputLine> input_lines(const std::string& path);
// All of a file (.gz and .xz too), or of standard input.
std::string input_text(const std::string& path);

// Whether the lines are JSON objects, one each: whether the first is.
bool are_objects(const std::vector<InputLine>& lines);
nlohmann::json object_of(const InputLine& line);
// The string that an object has under `key`; throws InvalidInput.
std::string string_member(const nlohmann::json& object, std::string_view key,
                          const std::string& where);

// "5, 17 3" -> {5, 17, 3}; throws InvalidInput naming `where`.
std::vector<TokenId> token_ids(std::string_view text, const std::string& where);

}  // namespace rgu::llm
