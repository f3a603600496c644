#include "rgu/align/report_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rgu/align/report_numbers.hpp"
#include "rgu/align/summary.hpp"
#include "rgu/report/html_page.hpp"
#include "rgu/report/text.hpp"

namespace rgu::align {
namespace {

using report::counted;
using report::escaped;
using report::Spread;

std::string aside(std::string_view text) {
  return text.empty() ? "" : fmt::format("<p class=\"aside\">{}</p>\n", escaped(text));
}

// "0.894 ± 0.012"; without the deviation where all seeds agree.
std::string spread_text(Spread spread) {
  if (spread.deviation == 0) spread.deviation = std::nan("");
  return report::text_of(spread);
}

std::string met_text(const Met& met) {
  return met.of == 0 ? "–" : fmt::format("{} of {}", met.seeds, met.of);
}

bool meets(const Spread& cost, const ConstraintRecord& constraint) {
  return cost.mean <= constraint.threshold;
}

// "Its mean cost “harm”, −0.12 ± 0.03, meets the threshold 0 (in 5 of 5 seeds); the multiplier is
// 0.8 ± 0.1."
std::string constraint_sentence(const RunRecord& run, const ConstraintRecord& constraint) {
  const Spread cost = last_spread(run, "cost/" + constraint.name);
  if (cost.count == 0) return fmt::format(" The cost “{}” was not measured.", constraint.name);
  const Spread multiplier = last_spread(run, "multiplier/" + constraint.name);
  const bool fixed = constraint.least_multiplier == constraint.most_multiplier;
  std::string text = fmt::format(
      " Its mean cost “{}”, {}, {} the threshold {}{}", constraint.name, spread_text(cost),
      meets(cost, constraint) ? "meets" : "exceeds", report::short_number(constraint.threshold),
      run.seeds.size() > 1
          ? fmt::format(" (met in {} seeds)", met_text(threshold_met(run, constraint)))
          : "");
  if (fixed) {
    text += fmt::format("; the multiplier is fixed at {}",
                        report::short_number(constraint.most_multiplier));
  } else if (multiplier.count > 0) {
    text += fmt::format("; the multiplier is {}", spread_text(multiplier));
  }
  return text + ".";
}

std::string verdict(const RunRecord& run) {
  std::string text = fmt::format("The policy ends with the mean reward {} and the objective {}.",
                                 spread_text(last_spread(run, "reward")),
                                 spread_text(last_spread(run, "objective")));
  for (const ConstraintRecord& constraint : run.constraints) {
    text += constraint_sentence(run, constraint);
  }
  if (run.constraints.empty()) text += " No cost was bounded.";
  return text;
}

struct HeadlineNumber {
  std::string colour = {};
  std::string name = {};
  std::string metric = {};
  std::string kind = {};
};

std::string headline_html(const RunRecord& run, const HeadlineNumber& headline) {
  const Spread last = last_spread(run, headline.metric);
  if (last.count == 0) return "";
  std::string html =
      fmt::format(R"(<div class="{}"><dt>{}</dt><dd class="value">{})", headline.colour,
                  escaped(headline.name), report::number(last.mean));
  if (!headline.kind.empty()) {
    html += fmt::format(R"( <span class="kind">{}</span>)", escaped(headline.kind));
  }
  return html +
         fmt::format(R"(</dd><dd class="spread">{}first step {}</dd></div>)",
                     last.count > 1 ? spread_text(last) + " · " : "",
                     spread_text(first_spread(run, headline.metric))) +
         "\n";
}

std::string headlines(const RunRecord& run) {
  std::string html = headline_html(run, {"c0", "Objective f", "objective", ""}) +
                     headline_html(run, {"c2", "Mean reward R", "reward", ""});
  for (const ConstraintRecord& constraint : run.constraints) {
    const std::string metric = "cost/" + constraint.name;
    const bool met = meets(last_spread(run, metric), constraint);
    html += headline_html(run, {"c1", fmt::format("Mean cost C, {}", constraint.name), metric,
                                fmt::format("{} d = {}", met ? "meets" : "exceeds",
                                            report::short_number(constraint.threshold))});
  }
  return html.empty() ? "" : "<dl class=\"numbers\">\n" + html + "</dl>\n";
}

std::size_t most_steps(const RunRecord& run) {
  std::size_t most = 0;
  for (const SeedRecord& seed : run.seeds) most = std::max(most, seed.steps.size());
  return most;
}

// What "the end" is.
std::string averaging_sentence(std::size_t steps, bool several_seeds) {
  return fmt::format("Results are means over the last {}, of evaluation answers{}.",
                     last_steps(steps) == 1 ? "step" : counted(last_steps(steps), "step"),
                     several_seeds ? "; ±: sample standard deviation over the seeds" : "");
}

// A column of a table: what stands in it, by run or by seed.
struct Column {
  std::string title = {};
  std::string metric = {};
};

// What both tables show of the measured numbers, in this order.
std::vector<Column> columns_of(const std::vector<RunRecord>& runs) {
  constexpr std::array<std::string_view, 8> kShown = {
      "reward", "cost/", "objective", "envelope", "multiplier/", "weight/", "kl", "length_mean"};
  const std::vector<std::string> measured = measured_metrics(runs);
  std::vector<Column> columns;
  for (const std::string_view shown : kShown) {
    for (const std::string& metric : measured) {
      const bool all = shown.ends_with('/');
      if (all ? !metric.starts_with(shown) : metric != shown) continue;
      columns.push_back({symbol_of({metric}), metric});
    }
  }
  return columns;
}

std::string head_cells(const std::vector<Column>& columns) {
  std::string html;
  for (const Column& column : columns) {
    html += fmt::format("<th scope=\"col\">{}</th>", escaped(column.title));
  }
  return html;
}

// The deviation under the mean: beside it tables would be too wide.
std::string spread_cell(const Spread& spread) {
  if (spread.count == 0) return "<td>–</td>";
  const std::string text = spread_text(spread);
  const std::size_t cut = text.find(" ±");
  if (cut == text.npos) return fmt::format("<td>{}</td>", text);
  return fmt::format("<td>{}<br><small>{}</small></td>", text.substr(0, cut), text.substr(cut + 1));
}

std::string spread_cells(const RunRecord& run, const std::vector<Column>& columns) {
  std::string html;
  for (const Column& column : columns) {
    html += spread_cell(last_spread(run, column.metric));
  }
  return html;
}

// Numbers of all seeds, one list for each column, written so that they line up.
std::vector<std::vector<std::string>> seed_cells(const RunRecord& run,
                                                 const std::vector<Column>& columns) {
  std::vector<std::vector<std::string>> cells;
  for (const Column& column : columns) {
    std::vector<double> values;
    for (const SeedRecord& seed : run.seeds) values.push_back(final_mean(seed, column.metric));
    cells.push_back(report::column(values));
  }
  return cells;
}

std::vector<std::string> constraint_names(const std::vector<RunRecord>& runs) {
  std::vector<std::string> names;
  for (const RunRecord& run : runs) {
    for (const ConstraintRecord& constraint : run.constraints) {
      if (std::find(names.begin(), names.end(), constraint.name) == names.end()) {
        names.push_back(constraint.name);
      }
    }
  }
  return names;
}

std::string met_cell(const RunRecord& run, const std::string& name) {
  for (const ConstraintRecord& constraint : run.constraints) {
    if (constraint.name != name) continue;
    return fmt::format("<td>{}<br><small>C ≤ {}</small></td>",
                       met_text(threshold_met(run, constraint)),
                       report::short_number(constraint.threshold));
  }
  return "<td>–</td>";
}

std::string warning(const std::string& text) { return fmt::format("<p>{}</p>\n", escaped(text)); }

// The warnings of one run, each with `who` in front where there are several runs.
std::string warnings_of(const RunRecord& run, const std::string& who) {
  std::string html;
  std::size_t unfinished = 0;
  for (const SeedRecord& seed : run.seeds) unfinished += seed.finished ? 0 : 1;
  if (unfinished > 0) {
    html += warning(fmt::format("{}{} of {} did not end as planned: the numbers are those reached.",
                                who, unfinished, counted(run.seeds.size(), "seed")));
  }
  for (const std::string& text : run.warnings) html += warning(who + text);
  for (const SeedRecord& seed : run.seeds) {
    for (const std::string& note : seed.notes) {
      html += warning(fmt::format("{}Seed {}: {}", who, seed.seed, note));
    }
  }
  return html;
}

}  // namespace

std::string result_section(const RunRecord& run) {
  if (most_steps(run) == 0) {
    return report::section_html(
        "result", "Result", "<p>No step was recorded: there is no result.</p>\n" + facts_html(run));
  }
  return report::section_html(
      "result", "Result",
      "<p class=\"verdict\">" + escaped(verdict(run)) + "</p>\n" + headlines(run) +
          aside(averaging_sentence(most_steps(run), run.seeds.size() > 1)) + facts_html(run));
}

std::string warning_section(const std::vector<RunRecord>& runs,
                            const std::vector<std::string>& names) {
  std::string html;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    html += warnings_of(runs[r], names.empty() ? "" : names[r] + ": ");
  }
  if (html.empty()) return "";
  return "<section class=\"warnings\" id=\"warnings\"><div>\n<h2>Caveats</h2>\n" + html +
         "</div></section>\n";
}

std::string seeds_section(const RunRecord& run) {
  if (run.seeds.empty()) return "";
  const std::vector<Column> columns = columns_of({run});
  const auto cells = seed_cells(run, columns);
  std::vector<double> seconds;
  for (const SeedRecord& seed : run.seeds) {
    seconds.push_back(seed.seconds.empty() ? std::nan("") : seed.seconds.back());
  }
  const std::vector<std::string> times = report::column(seconds);
  std::string html =
      "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\" class=\"left\">"
      "seed</th><th scope=\"col\" class=\"words\">status</th><th scope=\"col\">steps</th>" +
      head_cells(columns) + "<th scope=\"col\">seconds</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < run.seeds.size(); ++i) {
    html += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"words\">{}</td><td>{}</td>",
                        run.seeds[i].seed, escaped(run.seeds[i].status), run.seeds[i].steps.size());
    for (const auto& column : cells) html += fmt::format("<td>{}</td>", column[i]);
    html += fmt::format("<td>{}</td></tr>\n", times[i]);
  }
  return report::section_html("seeds", "Every seed", html + "</tbody></table></div>\n");
}

std::string comparison_section(const std::vector<RunRecord>& runs,
                               const std::vector<std::string>& names) {
  const std::vector<Column> columns = columns_of(runs);
  const std::vector<std::string> constraints = constraint_names(runs);
  std::string html =
      "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\" class=\"words\">"
      "run</th>";
  for (const std::string& name : constraints) {
    html += fmt::format("<th scope=\"col\">{} met in</th>", escaped(name));
  }
  html += head_cells(columns) + "</tr></thead>\n<tbody>\n";
  std::size_t steps = 0;
  bool several_seeds = false;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", escaped(names[r]));
    for (const std::string& name : constraints) html += met_cell(runs[r], name);
    html += spread_cells(runs[r], columns) + "</tr>\n";
    steps = std::max(steps, most_steps(runs[r]));
    several_seeds = several_seeds || runs[r].seeds.size() > 1;
  }
  html += "</tbody></table></div>\n" + aside(averaging_sentence(steps, several_seeds)) +
          aside(
              "R is what is wanted, the higher the better; C is bounded by d; f = −R + ξ(C − d) "
              "and its worst case Γ over ξ are costs. “Met in”: the seeds whose C is at most d.");
  return report::section_html("table", "Results", html);
}

std::string figures_html(std::string_view heading, const std::vector<report::CurveFigure>& figures,
                         FigureRows rows) {
  if (figures.empty()) return "";
  const bool three = rows == FigureRows::kThree;
  const report::CurveDrawing drawing = three ? report::CurveDrawing{.width = 290, .height = 210}
                                             : report::CurveDrawing{.width = 400, .height = 260};
  std::string html = heading.empty() ? "" : fmt::format("<h3 class=\"part\">{}</h3>\n", heading);
  html += fmt::format("<div class=\"plots{}\">\n", three ? " three" : "");
  for (const report::CurveFigure& figure : figures) html += report::curve_html(figure, drawing);
  return html + "</div>\n";
}

std::string facts_html(const RunRecord& run) {
  if (run.facts.empty()) return "";
  std::string html = "<dl class=\"facts\">\n";
  for (const auto& [name, text] : run.facts) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(text));
  }
  return html + "</dl>\n";
}

}  // namespace rgu::align
