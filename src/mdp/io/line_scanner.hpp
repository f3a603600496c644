// Reads a text line by line and field by field, without copies and without allocation.
#pragma once

#include <limits>
#include <string_view>

#include "rgu/base/text_file.hpp"
#include "rgu/mdp/io/place.hpp"

namespace rgu {

// The largest id of a state or action, and the largest count, that a file may hold.
inline constexpr std::int32_t kLargestId = std::numeric_limits<std::int32_t>::max() - 1;

// Lines end in LF or CRLF; blank lines are passed over. Within a line, blanks (space, tab) before a
// field are passed over. A field ends at a blank, ',', ':', '=' or the end of the line. What does
// not parse throws InvalidInput at its line, with the text found and the rule.
class LineScanner {
 public:
  explicit LineScanner(const NamedText& source);

  // To the next line that is not blank; false at the end of the text.
  bool next_line();

  Place place() const { return {file_, line_number_}; }
  std::string_view line() const;  // the whole line
  bool at_end();                  // nothing but blanks left on the line
  bool accept(char c);            // passes over `c` if it comes next

  std::int32_t id(std::string_view name);                 // an integer in 0 .. kLargestId
  double finite(std::string_view name);                   // a finite double
  double probability(std::string_view name);              // a finite double >= 0
  std::string_view word();                                // up to the end of the field, maybe empty
  std::string_view until(char c, std::string_view name);  // what comes before `c`; passes over both

 private:
  void skip_blanks();
  std::string_view field() const;

  std::string_view file_;
  const char* next_;  // where the next line begins
  const char* end_;   // of the text
  const char* line_begin_;
  const char* line_end_;
  const char* at_;  // in the line
  Index line_number_ = 0;
};

}  // namespace rgu
