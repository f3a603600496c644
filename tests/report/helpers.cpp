#include "report/helpers.hpp"

#include <fmt/format.h>

#include <set>

namespace rgu {
namespace {

bool is_entity(std::string_view text) {
  for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
    if (text.starts_with(entity)) return true;
  }
  return false;
}

std::string text_fault(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') return "a < in the text";
    if (text[i] == '&' && !is_entity(text.substr(i))) return "a stray &";
    if (static_cast<unsigned char>(text[i]) < 0x20 && text[i] != '\n' && text[i] != '\t') {
      return "a control character";
    }
  }
  return "";
}

// Checks name="value" pairs; no name may occur twice.
std::string attributes_fault(std::string_view text) {
  std::set<std::string_view> names;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \n");
    if (begin == std::string_view::npos) return "";
    text.remove_prefix(begin);
    const std::size_t equals = text.find("=\"");
    if (equals == std::string_view::npos) return fmt::format("attribute without value: {}", text);
    const std::size_t end = text.find('"', equals + 2);
    if (end == std::string_view::npos) return "attribute without end";
    if (!names.insert(text.substr(0, equals)).second) return "attribute given twice";
    const std::string fault = text_fault(text.substr(equals + 2, end - equals - 2));
    if (!fault.empty()) return fault;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string xml_fault(std::string_view xml) {
  std::vector<std::string> open;
  std::size_t roots = 0;
  while (true) {
    const std::size_t begin = xml.find('<');
    const std::string fault = text_fault(xml.substr(0, begin));
    if (!fault.empty()) return fault;
    if (begin == std::string_view::npos) break;
    const std::size_t end = xml.find('>', begin);
    if (end == std::string_view::npos) return "a tag without end";
    std::string_view tag = xml.substr(begin + 1, end - begin - 1);
    xml.remove_prefix(end + 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1))
        return fmt::format("closes {} wrongly", tag);
      open.pop_back();
      continue;
    }
    const bool closed = tag.ends_with('/');
    if (closed) tag.remove_suffix(1);
    const std::size_t name = std::min(tag.find_first_of(" \n"), tag.size());
    const std::string attributes = attributes_fault(tag.substr(name));
    if (!attributes.empty()) return attributes;
    if (open.empty()) ++roots;
    if (!closed) open.emplace_back(tag.substr(0, name));
  }
  if (!open.empty()) return open.back() + " is not closed";
  return roots == 1 ? "" : fmt::format("{} root elements", roots);
}

}  // namespace rgu
