// The JSON of a model, taken apart: texts and rectangular arrays of numbers by their names. Knows
// which names exist, not what they mean.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rgu/base/text_file.hpp"
#include "rgu/mdp/io/place.hpp"

namespace rgu {

// A number (rank 0) or nested arrays of numbers of equal lengths (rank 1 to 3), row by row.
struct NumberArray {
  std::vector<Index> shape;
  std::vector<double> values;
  bool integers = true;  // no number has a fraction or an exponent

  Index rank() const { return std::ssize(shape); }
};

struct JsonField {
  Index line = 1;                   // where it begins
  std::optional<std::string> text;  // set for a text, else:
  NumberArray numbers;
};

struct JsonSection {
  Index line = 1;
  std::map<std::string, JsonField> fields;
};

// The sections are "" for the outermost object, "transitions", "signals" and "grid".
using JsonSections = std::map<std::string, JsonSection>;

// One pass over the text, memory in proportion to it. Throws InvalidInput, with file and line, if
// it is not JSON, holds an unknown or repeated name, something other than numbers in an array, or
// nested arrays of unequal lengths or deeper than three, or a format or version other than ours.
JsonSections parse_json_fields(const NamedText& source);

}  // namespace rgu
