#include "rgu/report/html_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rgu/report/assets.hpp"
#include "rgu/report/svg_curves.hpp"
#include "rgu/report/text.hpp"

namespace rgu::report {
namespace {

// The licence of uPlot asks to be with every copy.
std::string footer_html() {
  return "<footer><details><summary>The curves are drawn by uPlot, MIT licence.</summary><pre>" +
         escaped(license_uplot().text) + "</pre></details></footer>\n";
}

std::string hash_source(const Asset& asset) {
  return "'sha256-" + base64_of_hex(asset.sha256) + "'";
}

std::string policy_meta() {
  return fmt::format(
      R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src {} {}; style-src {} {}; img-src data:; base-uri 'none'; form-action 'none'">)",
      hash_source(uplot_iife_min_js()), hash_source(report_js()), hash_source(uplot_min_css()),
      hash_source(report_css()));
}

// "[a,b,c]", each made by `text`.
template <class List, class Text>
std::string json_list(const List& list, Text text) {
  std::string json = "[";
  for (const auto& item : list) {
    if (json.size() > 1) json += ",\n";
    json += text(item);
  }
  json += ']';
  return json;
}

std::string json_strings(const std::vector<std::string>& texts) {
  return json_list(texts, json_string);
}

std::string json_lists(const std::vector<std::vector<double>>& lists) {
  return json_list(lists, json_numbers);
}

std::string curve_json(const Curve& curve) {
  return fmt::format(
      R"({{"name":{},"help":{},"colour":{},"x":{},"mean":{},"sd":{},"labels":{},"seeds":{}}})",
      json_string(curve.name), json_string(curve.help), curve.colour % kSeries.size(),
      json_lists(curve.x), json_numbers(curve.mean), json_numbers(curve.deviation),
      json_strings(curve.labels), json_lists(curve.seeds));
}

std::string figure_json(const CurveFigure& figure) {
  return fmt::format(R"({{"id":{},"title":{},"log":{},"x":{},"curves":{}}})",
                     json_string(figure.id), json_string(figure.title), figure.scale == Scale::kLog,
                     json_strings(figure.x_names), json_list(figure.curves, curve_json));
}

}  // namespace

std::string figures_json(const std::vector<CurveFigure>& figures) {
  return fmt::format(R"({{"figures":{}}})", json_list(figures, figure_json));
}

std::string heading_html(const Heading& heading) {
  std::string html = fmt::format(R"(<header class="top">
<p class="kicker">{}</p>
<button type="button" class="theme js-only" data-now="auto">Theme: auto</button>
<h1>{}</h1>
)",
                                 escaped(heading.kicker), escaped(heading.title));
  if (!heading.lead.empty())
    html += fmt::format("<p class=\"lead\">{}</p>\n", escaped(heading.lead));
  if (!heading.meta.empty())
    html += fmt::format("<p class=\"meta\">{}</p>\n", escaped(heading.meta));
  return html + "</header>\n";
}

std::string curve_html(const CurveFigure& figure, const CurveDrawing& drawing) {
  std::string caption;
  for (const Curve& curve : figure.curves) {
    if (curve.help.empty()) continue;
    caption += fmt::format("{}<b>{}</b> {}", caption.empty() ? "" : "; ", escaped(curve.name),
                           escaped(curve.help));
  }
  if (!caption.empty()) caption += '.';
  return fmt::format(R"(<figure class="plot" data-figure="{}">
<div class="head"><h3>{}</h3></div>
<div class="legend js-only"></div>
<div class="live js-only"></div>
<div class="static">{}</div>
<p class="note js-only" role="status" hidden></p>
<figcaption class="caption">{}</figcaption>
</figure>
)",
                     escaped(figure.id), escaped(figure.title),
                     draw_curves(figure, drawing).str(figure.title), caption);
}

std::string section_html(std::string_view id, std::string_view title, std::string_view content) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, title, content);
}

std::string thinning_sentence(const std::vector<CurveFigure>& figures) {
  std::size_t most = 0;
  for (const CurveFigure& figure : figures) {
    for (const Curve& curve : figure.curves) {
      if (curve.mean.size() < curve.measured) most = std::max(most, curve.measured);
    }
  }
  if (most == 0) return "";
  return fmt::format(
      "Of {} points about {} or fewer are drawn: the least and the greatest of every stretch, so "
      "that no "
      "peak "
      "is lost.",
      count(static_cast<long long>(most)), count(kMostPoints));
}

std::string page_html(const Page& page) {
  std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += policy_meta();
  html += R"(
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
)";
  html += fmt::format("<title>{}</title>\n", escaped(page.title));
  for (const Asset* style : {&uplot_min_css(), &report_css()}) {
    html += "<style>" + std::string(style->text) + "</style>\n";
  }
  html += "</head>\n<body>\n" + page.body + footer_html();
  html +=
      "<script type=\"application/json\" id=\"data\">" + figures_json(page.figures) + "</script>\n";
  for (const Asset* script : {&uplot_iife_min_js(), &report_js()}) {
    html += "<script>" + std::string(script->text) + "</script>\n";
  }
  return html + "</body>\n</html>\n";
}

}  // namespace rgu::report
