#include "rgu/mdp/io/line_scanner.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace rgu {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_field(char c) { return is_blank(c) || c == ',' || c == ':' || c == '='; }

}  // namespace

LineScanner::LineScanner(const NamedText& source)
    : file_(source.file),
      next_(source.text.data()),
      end_(source.text.data() + source.text.size()),
      line_begin_(next_),
      line_end_(next_),
      at_(next_) {}

bool LineScanner::next_line() {
  while (next_ != end_) {
    line_begin_ = at_ = next_;
    const void* newline = std::memchr(next_, '\n', static_cast<std::size_t>(end_ - next_));
    line_end_ = newline != nullptr ? static_cast<const char*>(newline) : end_;
    next_ = newline != nullptr ? line_end_ + 1 : end_;
    ++line_number_;
    if (line_end_ != line_begin_ && line_end_[-1] == '\r') --line_end_;
    if (!at_end()) return true;
  }
  return false;
}

std::string_view LineScanner::line() const {
  return {line_begin_, static_cast<std::size_t>(line_end_ - line_begin_)};
}

bool LineScanner::at_end() {
  skip_blanks();
  return at_ == line_end_;
}

bool LineScanner::accept(char c) {
  skip_blanks();
  if (at_ == line_end_ || *at_ != c) return false;
  ++at_;
  return true;
}

std::int32_t LineScanner::id(std::string_view name) {
  skip_blanks();
  std::int32_t value = -1;
  const auto [stop, error] = std::from_chars(at_, line_end_, value);
  const bool whole = stop == line_end_ || ends_field(*stop);
  if (error != std::errc() || !whole || value < 0 || value > kLargestId) {
    fail_at(place(), "{} is {}, must be an integer in 0 .. {}", name, excerpt(field()), kLargestId);
  }
  at_ = stop;
  return value;
}

double LineScanner::finite(std::string_view name) {
  skip_blanks();
  double value = 0;
  const auto [stop, error] = std::from_chars(at_, line_end_, value);
  const bool whole = stop == line_end_ || ends_field(*stop);
  if (error != std::errc() || !whole || !std::isfinite(value)) {
    fail_at(place(), "{} is {}, must be a finite number", name, excerpt(field()));
  }
  at_ = stop;
  return value;
}

double LineScanner::probability(std::string_view name) {
  const double value = finite(name);
  if (!(value >= 0)) fail_at(place(), "{} is {}, must be >= 0", name, value);
  return value;
}

std::string_view LineScanner::word() {
  skip_blanks();
  const std::string_view text = field();
  at_ += text.size();
  return text;
}

std::string_view LineScanner::until(char c, std::string_view name) {
  const char* stop = std::find(at_, line_end_, c);
  check_at(stop != line_end_, place(), "{} in {} has no closing {}", name, excerpt(line()), c);
  const std::string_view text(at_, static_cast<std::size_t>(stop - at_));
  at_ = stop + 1;
  return text;
}

void LineScanner::skip_blanks() {
  while (at_ != line_end_ && is_blank(*at_)) ++at_;
}

std::string_view LineScanner::field() const {
  const char* stop = std::find_if(at_, line_end_, ends_field);
  return {at_, static_cast<std::size_t>(stop - at_)};
}

}  // namespace rgu
