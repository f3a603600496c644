#include "rgu/align/report.hpp"

#include <fmt/format.h>

#include <array>

#include "rgu/align/report_answers.hpp"
#include "rgu/align/report_figures.hpp"
#include "rgu/align/report_results.hpp"
#include "rgu/report/html_page.hpp"
#include "rgu/report/text.hpp"
#include "rgu/report/toml_colours.hpp"

namespace rgu::align {
namespace {

using report::escaped;

std::string contents(const std::string& body) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kParts = {
      {{"result", "Result"},
       {"seeds", "Every seed"},
       {"paper", "Figure of the paper"},
       {"nature", "Nature"},
       {"policy", "Policy"},
       {"answers", "Before and after"},
       {"logged", "Last answers"},
       {"update", "Updates"},
       {"settings", "Settings"}}};
  std::string html = "<nav class=\"contents\" aria-label=\"Contents\">";
  for (const auto& [id, title] : kParts) {
    if (body.find(fmt::format("<section id=\"{}\"", id)) == std::string::npos) continue;
    html += fmt::format("<a href=\"#{}\">{}</a>", id, title);
  }
  return html + "</nav>\n";
}

std::string section_of(std::string_view id, std::string_view title, const std::string& html) {
  return html.empty() ? "" : report::section_html(id, title, html);
}

std::string paper_section(const FigureSet& figures, bool several_seeds) {
  if (figures.paper.empty()) return "";
  std::string html =
      "<p class=\"aside\">The objective f = −R + ξ(C − d) and its parts over the outer steps, on "
      "answers that no update saw.";
  if (several_seeds) {
    html +=
        " Lines are means over the seeds; bands, one standard deviation either way; faint lines, "
        "single seeds.";
  }
  html +=
      "</p>\n<div class=\"bar js-only\"><span class=\"choices x-axis\">Horizontal axis </span>"
      "<span>Drag to zoom, double-click to return.</span></div>\n";
  return report::section_html("paper", "The figure of the paper",
                              html + figures_html("", figures.paper, FigureRows::kThree));
}

std::string update_section(const FigureSet& figures) {
  std::string html = figures_html("", figures.others, FigureRows::kThree);
  if (!figures.constants.empty()) {
    html += "<p class=\"aside\">The same at every step, in every seed:";
    for (std::size_t i = 0; i < figures.constants.size(); ++i) {
      html += (i == 0 ? " " : "; ") + escaped(figures.constants[i]);
    }
    html += ".</p>\n";
  }
  const std::string thinned = report::thinning_sentence(figures.all());
  if (!thinned.empty()) html += fmt::format("<p class=\"aside\">{}</p>\n", thinned);
  return section_of("update", "Scores and updates", html);
}

std::string settings_section(const RunRecord& run) {
  std::string html;
  if (!run.config.empty()) {
    html = "<pre tabindex=\"0\"><code>" + report::coloured_toml(run.config) +
           "</code></pre>\n"
           "<p>Saved as <code>config.toml</code> this repeats the run:</p>\n"
           "<pre><code>rgu align config.toml</code></pre>\n";
  }
  if (!run.version.empty()) html += fmt::format("<p>Made with {}.</p>\n", escaped(run.version));
  return section_of("settings", "Settings", html);
}

}  // namespace

std::string html_report(const RunRecord& run) {
  const FigureSet figures = run_figures(run);
  const std::string sections =
      result_section(run) + warning_section({run}, {}) + seeds_section(run) +
      paper_section(figures, run.seeds.size() > 1) + shown_section(run) +
      section_of("nature", "What nature chose",
                 figures_html("", figures.nature, FigureRows::kTwo)) +
      section_of("policy", "The policy and its answers",
                 figures_html("", figures.policy, FigureRows::kTwo)) +
      logged_section(run) + update_section(figures) + settings_section(run);
  const std::string title = run.name.empty() ? "Unnamed run" : run.name;
  report::Page page{.title = title + " – alignment", .body = {}, .figures = figures.all()};
  page.body = report::heading_html({.kicker = "Alignment report",
                                    .title = title,
                                    .lead = run.description,
                                    .meta = run.version}) +
              contents(sections) + "<main>\n" + sections + "</main>\n";
  return report::page_html(page);
}

}  // namespace rgu::align
