#include "rgu/report/html_report.hpp"

#include <fmt/format.h>

#include <array>

#include "rgu/report/html_page.hpp"
#include "rgu/report/html_sections.hpp"

namespace rgu {
namespace {

std::string contents(const std::string& body) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kParts = {
      {{"summary", "Result"},
       {"seeds", "Every seed"},
       {"curves", "Convergence"},
       {"policy", "Policy"},
       {"price", "Nominal and worst"},
       {"nature", "Worst utility"},
       {"settings", "Settings"},
       {"theory", "Theory"},
       {"reproduce", "Reproduce"}}};
  std::string html = "<nav class=\"contents\" aria-label=\"Contents\">";
  for (const auto& [id, title] : kParts) {
    if (body.find(fmt::format("<section id=\"{}\"", id)) == std::string::npos) continue;
    html += fmt::format("<a href=\"#{}\">{}</a>", id, title);
  }
  return html + "</nav>\n";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : " · ") + part;
  }
  return text;
}

}  // namespace

std::string html_report(const RunRecord& run) {
  report::check_shapes(run);
  const report::Summary summary = report::summary_of(run);
  const report::CurveSet curves = report::curve_set(run);
  const std::string sections =
      report::summary_section(run, summary) + report::warning_section(run, summary) +
      report::result_section(run, summary) + report::curve_section(curves, run.seeds.size()) +
      report::policy_section(run, summary) + report::price_section(run) +
      report::nature_section(run, summary) + report::settings_section(run) +
      report::theory_section(run) + report::reproduction_section(run);
  report::Page page{.title = run.name + " – robust policy", .body = {}, .figures = curves.paper};
  page.figures.insert(page.figures.end(), curves.others.begin(), curves.others.end());
  page.body = report::heading_html({.kicker = "Robust policy report",
                                    .title = run.name.empty() ? "Unnamed problem" : run.name,
                                    .lead = run.description,
                                    .meta = joined({run.method, run.version})}) +
              contents(sections) + "<main>\n" + sections + "</main>\n";
  return report::page_html(page);
}

}  // namespace rgu
