#include "rgu/report/html_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "rgu/base/check.hpp"
#include "rgu/report/comparison.hpp"
#include "rgu/report/html_page.hpp"
#include "rgu/report/summary.hpp"
#include "rgu/report/text.hpp"

namespace rgu {
namespace {

using report::Comparison;
using report::counted;
using report::escaped;
using report::number;

std::string cell_html(const WorstCaseRecord* worst, bool lowest) {
  if (worst == nullptr) return "<td>–</td>";
  return fmt::format(R"(<td><span{}>{}</span> <small>{}</small></td>)",
                     lowest ? " class=\"lowest\"" : "", number(worst->value),
                     report::kind_text(*worst));
}

std::string table_rows(const Comparison& comparison) {
  std::string html;
  for (const report::SeedRow& row : comparison.rows) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", row.seed);
    for (std::size_t r = 0; r < row.cells.size(); ++r) {
      html += cell_html(row.cells[r], row.lowest == static_cast<int>(r));
    }
    html += fmt::format("<td class=\"words\">{}</td></tr>\n", escaped(row.verdict));
  }
  return html;
}

std::string table_html(const std::vector<RunRecord>& runs, const Comparison& comparison) {
  std::string html =
      "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>"
      "<th scope=\"col\" class=\"left\">seed</th>";
  for (const std::string& name : comparison.names) {
    html += fmt::format("<th scope=\"col\">Γ, {}</th>", escaped(name));
  }
  html += "<th scope=\"col\" class=\"words\">lowest Γ</th></tr></thead>\n<tbody>\n" +
          table_rows(comparison) +
          "</tbody>\n<tfoot>\n<tr><th scope=\"row\" class=\"left\">mean ± sd</th>";
  for (const RunRecord& run : runs) {
    const report::Summary summary = report::summary_of(run);
    html +=
        fmt::format("<td>{} <small>{}</small></td>", report::text_of(summary.worst), summary.kinds);
  }
  html += "<td></td></tr>\n<tr><th scope=\"row\" class=\"left\">lowest in</th>";
  for (const std::size_t wins : comparison.wins) {
    html += fmt::format("<td>{}</td>", counted(wins, "seed"));
  }
  return html + "<td></td></tr>\n</tfoot></table></div>\n";
}

std::string caution(const std::vector<RunRecord>& runs) {
  for (const RunRecord& run : runs) {
    for (const SeedRecord& seed : run.seeds) {
      if (seed.worst_case.kind == AnswerKind::kExact) continue;
      return "<p class=\"aside\">A Γ that is not exact is a lower bound of the true worst case. "
             "Where "
             "the table says “not certain”, the true order may be another.</p>\n";
    }
  }
  return "";
}

std::string curves_html(const std::vector<report::CurveFigure>& figures) {
  if (figures.empty()) return "";
  std::string html =
      R"(<p class="aside">Lines are means over the seeds; bands, one standard deviation either way (on a logarithmic scale, no lower than the lowest seed); faint lines, single seeds.</p>
<div class="bar js-only"><span class="choices x-axis">Horizontal axis </span><span>Drag to zoom, double-click to return.</span></div>
<div class="plots">
)";
  for (const report::CurveFigure& figure : figures) html += report::curve_html(figure);
  html += "</div>\n";
  const std::string thinned = report::thinning_sentence(figures);
  if (!thinned.empty()) html += "<p class=\"aside\">" + thinned + "</p>\n";
  return report::section_html("curves", "Convergence", html);
}

std::string settings_html(const std::vector<RunRecord>& runs, const Comparison& comparison) {
  std::string rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    rows += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(comparison.names[i]),
                        escaped(runs[i].name + " · " + runs[i].method + " · " + runs[i].ambiguity +
                                " · " + runs[i].version));
  }
  return report::section_html("runs", "The runs", "<dl class=\"facts\">\n" + rows + "</dl>\n");
}

}  // namespace

std::string html_comparison(const std::vector<RunRecord>& runs) {
  check(!runs.empty(), "number of runs to compare is 0, must be at least 1");
  for (const RunRecord& run : runs) report::check_shapes(run);
  const Comparison comparison = report::comparison_of(runs);
  report::Page page{.title = "Comparison of runs", .body = {}, .figures = comparison.figures};
  page.body = report::heading_html({.kicker = "Comparison of " + counted(runs.size(), "run"),
                                    .title = runs.front().name,
                                    .lead = runs.front().description,
                                    .meta = {}}) +
              "<main>\n" +
              report::section_html(
                  "table", "Worst case, seed by seed",
                  "<p>f is a cost: the lower Γ, the better the policy's worst case.</p>\n" +
                      table_html(runs, comparison) + caution(runs)) +
              curves_html(comparison.figures) + settings_html(runs, comparison) + "</main>\n";
  return report::page_html(page);
}

}  // namespace rgu
