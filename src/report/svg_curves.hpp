// Curves drawn as SVG: lines with a band of one standard deviation, single seeds faintly behind.
#pragma once

#include "rgu/report/curves.hpp"
#include "rgu/report/svg.hpp"

namespace rgu::report {

struct CurveDrawing {
  double width = 560;
  double height = 320;
};

// Against the first x axis of the figure.
Svg draw_curves(const CurveFigure& figure, const CurveDrawing& drawing = {});

}  // namespace rgu::report
