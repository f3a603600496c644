#include "rgu/report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "rgu/base/check.hpp"
#include "rgu/report/curves.hpp"
#include "rgu/report/html_page.hpp"
#include "rgu/report/svg_curves.hpp"
#include "rgu/report/text.hpp"

namespace rgu {
namespace {

using report::Curve;
using report::CurveFigure;
using report::escaped;
using report::short_number;

double price(const SweepRow& row) { return row.robust_nominal - row.nominal_nominal; }
double gain(const SweepRow& row) { return row.nominal_worst - row.robust_worst; }

double robust_nominal(const SweepRow& row) { return row.robust_nominal; }
double robust_worst(const SweepRow& row) { return row.robust_worst; }
double nominal_nominal(const SweepRow& row) { return row.nominal_nominal; }
double nominal_worst(const SweepRow& row) { return row.nominal_worst; }

std::vector<SweepRow> sorted(std::vector<SweepRow> rows) {
  check(!rows.empty(), "number of radii in the sweep is 0, must be at least 1");
  for (const SweepRow& row : rows) check_nonnegative("radius of the sweep", row.radius);
  std::sort(rows.begin(), rows.end(),
            [](const SweepRow& a, const SweepRow& b) { return a.radius < b.radius; });
  return rows;
}

struct Line {
  std::string name;
  std::string help;
  double (*value)(const SweepRow&);
};

CurveFigure named(std::string id, std::string title) {
  CurveFigure figure;
  figure.id = std::move(id);
  figure.title = std::move(title);
  return figure;
}

CurveFigure figure_of(const std::vector<SweepRow>& rows, CurveFigure figure,
                      const std::vector<Line>& lines) {
  figure.x_names = {"radius"};
  for (const Line& line : lines) {
    Curve curve;
    curve.name = line.name;
    curve.help = line.help;
    curve.colour = static_cast<int>(figure.curves.size());
    curve.x.resize(1);
    curve.measured = rows.size();
    for (const SweepRow& row : rows) {
      curve.x[0].push_back(row.radius);
      curve.mean.push_back(line.value(row));
      curve.deviation.push_back(std::nan(""));
    }
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

// " (exact)", " (exact or best found)".
std::string kinds_of(const std::vector<SweepRow>& rows) {
  std::set<AnswerKind> kinds;
  for (const SweepRow& row : rows) kinds.insert(row.kind);
  std::string text;
  for (const AnswerKind kind : kinds) {
    text += text.empty() ? " (" : " or ";
    text += name_of(kind);
  }
  return text + ")";
}

CurveFigure price_and_gain(const std::vector<SweepRow>& rows) {
  return figure_of(rows, named("sweep", "Price and gain of robustness"),
                   {{"price", "what the robust policy costs more at the nominal utility", price},
                    {"gain" + kinds_of(rows), "what it saves in the worst case", gain}});
}

CurveFigure values(const std::vector<SweepRow>& rows) {
  return figure_of(rows, named("sweep_values", "Cost of both policies"),
                   {{"robust policy, nominal", "", robust_nominal},
                    {"robust policy, worst case" + kinds_of(rows), "", robust_worst},
                    {"nominal policy, nominal", "", nominal_nominal},
                    {"nominal policy, worst case" + kinds_of(rows), "", nominal_worst}});
}

std::vector<std::string> column_of(const std::vector<SweepRow>& rows,
                                   double (*value)(const SweepRow&)) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const SweepRow& row : rows) values.push_back(value(row));
  return report::column(values);
}

std::string table_html(const std::vector<SweepRow>& rows) {
  std::string html = R"(<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col" class="left">radius</th><th scope="col">robust, nominal</th><th scope="col">robust, worst Γ</th><th scope="col">nominal, nominal</th><th scope="col">nominal, worst Γ</th><th scope="col" class="left">kind of Γ</th><th scope="col">price</th><th scope="col">gain</th></tr></thead>
<tbody>
)";
  const auto a = column_of(rows, robust_nominal), b = column_of(rows, robust_worst),
             c = column_of(rows, nominal_nominal), d = column_of(rows, nominal_worst),
             prices = column_of(rows, price), gains = column_of(rows, gain);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    html += fmt::format(
        R"(<tr><th scope="row">{:g}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class="left">{}</td><td>{}</td><td>{}</td></tr>)",
        rows[i].radius, a[i], b[i], c[i], d[i], name_of(rows[i].kind), prices[i], gains[i]);
    html += '\n';
  }
  return html + "</tbody></table></div>\n";
}

// The radius at which robustness pays best, in words.
std::string verdict(const std::vector<SweepRow>& rows) {
  const SweepRow& best = *std::max_element(
      rows.begin(), rows.end(),
      [](const SweepRow& a, const SweepRow& b) { return gain(a) - price(a) < gain(b) - price(b); });
  return fmt::format(
      "Robustness gains most for its price at radius {:g}: it saves {} in the worst case ({}) and "
      "costs "
      "{} at the nominal utility. f is a cost: lower is better.",
      best.radius, short_number(gain(best)), name_of(best.kind), short_number(price(best)));
}

}  // namespace

Figure sweep_figure(const std::string& problem, const std::vector<SweepRow>& rows) {
  const CurveFigure figure = price_and_gain(sorted(rows));
  const std::string title = figure.title + ", " + problem;
  return {figure.id, title, report::draw_curves(figure).str(title)};
}

std::string html_sweep(const std::string& problem, const std::vector<SweepRow>& rows) {
  const std::vector<SweepRow> ordered = sorted(rows);
  report::Page page{.title = problem + " – radius sweep",
                    .body = {},
                    .figures = {price_and_gain(ordered), values(ordered)}};
  std::string plots = "<div class=\"plots\">\n";
  for (const CurveFigure& figure : page.figures) plots += report::curve_html(figure);
  page.body = report::heading_html(
                  {.kicker = "Sweep over the radius of the ambiguity set",
                   .title = problem,
                   .lead = "The same problem solved at every radius, once with robustness and "
                           "once without, both policies judged by both measures.",
                   .meta = {}}) +
              "<main>\n" +
              report::section_html("summary", "Price and gain",
                                   "<p class=\"verdict\">" + escaped(verdict(ordered)) + "</p>\n" +
                                       plots + "</div>\n") +
              report::section_html("table", "Every radius", table_html(ordered)) + "</main>\n";
  return report::page_html(page);
}

}  // namespace rgu
