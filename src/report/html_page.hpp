// What all pages share: the frame with its styles and scripts, and the curves.
#pragma once

#include <string>
#include <vector>

#include "rgu/report/curves.hpp"
#include "rgu/report/svg_curves.hpp"

namespace rgu::report {

struct Page {
  std::string title;
  std::string body;  // HTML
  std::vector<CurveFigure> figures;
};

// A whole file. Its Content-Security-Policy allows the scripts and styles of this library and
// nothing else: no network, no other script.
std::string page_html(const Page& page);

struct Heading {
  std::string kicker;
  std::string title;
  std::string lead;
  std::string meta;
};

// The top of a page with the button that changes the theme. The texts are plain text.
std::string heading_html(const Heading& heading);

// One figure: the place of the interactive curves, the SVG for print, and the caption.
std::string curve_html(const CurveFigure& figure,
                       const CurveDrawing& drawing = {.width = 400, .height = 260});

// "One section": a heading with an anchor, then `content`, which is HTML.
std::string section_html(std::string_view id, std::string_view title, std::string_view content);

// A sentence where points were left out of some figure, else empty.
std::string thinning_sentence(const std::vector<CurveFigure>& figures);

// The curves as the JSON that report.js reads.
std::string figures_json(const std::vector<CurveFigure>& figures);

}  // namespace rgu::report
