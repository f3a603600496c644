#include <fmt/format.h>

#include <set>

#include "rgu/align/report.hpp"
#include "rgu/align/report_answers.hpp"
#include "rgu/align/report_figures.hpp"
#include "rgu/align/report_results.hpp"
#include "rgu/base/check.hpp"
#include "rgu/report/html_page.hpp"
#include "rgu/report/text.hpp"
#include "rgu/report/toml_colours.hpp"

namespace rgu::align {
namespace {

using report::escaped;

// All different: the second run of a name is "name (2)".
std::vector<std::string> names_of(const std::vector<RunRecord>& runs) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const RunRecord& run : runs) {
    const std::string name = run.name.empty() ? fmt::format("run {}", names.size() + 1)
                                              : report::shortened(run.name, 36);
    std::string unique = name;
    for (int i = 2; !taken.insert(unique).second; ++i) unique = fmt::format("{} ({})", name, i);
    names.push_back(std::move(unique));
  }
  return names;
}

std::string curves_section(const FigureSet& figures) {
  const std::string plots =
      figures_html("The figure of the paper", figures.paper, FigureRows::kThree) +
      figures_html("What nature chose", figures.nature, FigureRows::kTwo) +
      figures_html("The policy and its answers", figures.policy, FigureRows::kTwo) +
      figures_html("Scores and updates", figures.others, FigureRows::kThree);
  if (plots.empty()) return "";
  std::string html =
      R"(<p class="aside">Lines are means over the seeds; bands, one standard deviation either way; faint lines, single seeds.</p>
<div class="bar js-only"><span class="choices x-axis">Horizontal axis </span><span>Drag to zoom, double-click to return.</span></div>
)" + plots;
  const std::string thinned = report::thinning_sentence(figures.all());
  if (!thinned.empty()) html += fmt::format("<p class=\"aside\">{}</p>\n", thinned);
  return report::section_html("curves", "Over the outer steps", html);
}

std::string runs_section(const std::vector<RunRecord>& runs,
                         const std::vector<std::string>& names) {
  std::string html;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    html += fmt::format("<h3 class=\"part\">{}</h3>\n", escaped(names[r]));
    if (!runs[r].description.empty()) {
      html += fmt::format("<p>{}</p>\n", escaped(runs[r].description));
    }
    html += facts_html(runs[r]);
    if (runs[r].config.empty()) continue;
    html += "<details><summary>Settings</summary>\n<pre tabindex=\"0\"><code>" +
            report::coloured_toml(runs[r].config) + "</code></pre></details>\n";
  }
  return report::section_html("runs", "The runs", html);
}

}  // namespace

std::string html_comparison(const Comparison& comparison) {
  const std::vector<RunRecord>& runs = comparison.runs;
  check(!runs.empty(), "number of runs to compare is 0, must be at least 1");
  const std::vector<std::string> names = names_of(runs);
  const FigureSet figures = comparison_figures(runs, names);
  const std::string title = comparison.title.empty() ? "Alignment runs" : comparison.title;
  report::Page page{.title = title, .body = {}, .figures = figures.all()};
  page.body =
      report::heading_html({.kicker = "Comparison of " + report::counted(runs.size(), "run"),
                            .title = title,
                            .lead = comparison.lead,
                            .meta = runs.front().version}) +
      "<main>\n" + comparison_section(runs, names) + warning_section(runs, names) +
      shown_side_by_side(runs, names) + curves_section(figures) + runs_section(runs, names) +
      "</main>\n";
  return report::page_html(page);
}

}  // namespace rgu::align
