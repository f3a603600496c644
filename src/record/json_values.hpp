// JSON as the record writes it: values that round-trip, and reading that names what is wrong.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rgu/base/answer_kind.hpp"
#include "rgu/base/types.hpp"

namespace rgu {

using Json = nlohmann::ordered_json;  // keeps the order of the keys

// Indented text; bytes that are no UTF-8 are replaced.
std::string to_text(const Json& json);

// Infinities and NaN, which JSON has no numbers for, are the words "inf", "-inf" and "nan".
Json to_json(double value);
Json to_json(const Vector& value);
Json to_json(const Matrix& value);  // a list of rows

// All throw InvalidInput: on text that is not JSON, is nested deeper than 64 levels or has an
// object of more than 10000 members; on an object without `key`, or with a value of another type or
// shape there.
Json parse_json(std::string_view text);
const Json& member(const Json& object, std::string_view key);
template <class T>
T number(const Json& object, std::string_view key);  // Index, double or std::uint64_t
std::string words(const Json& object, std::string_view key);
std::vector<std::string> word_list(const Json& object, std::string_view key);
Vector vector_of(const Json& object, std::string_view key);
Matrix matrix_of(const Json& object, std::string_view key);

AnswerKind answer_kind(std::string_view name);  // the inverse of name_of

}  // namespace rgu
