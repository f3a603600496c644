#include "rgu/report/svg_curves.hpp"

#include <algorithm>
#include <cmath>

namespace rgu::report {
namespace {

constexpr double kLegend = 34;  // the first line of the legend, under the title
constexpr double kLegendLine = 17;
constexpr double kBottom = 40;  // ticks and name of the x axis
constexpr double kRight = 14;

struct Frame {
  Axis x, y;
  Box box;

  Point at(double px, double py) const {
    return {box.x + x.fraction(px) * box.width, box.y + (1 - y.fraction(py)) * box.height};
  }
};

// On a log scale a band reaches no lower than the lowest seed: below zero there is no place for it.
double lower_edge(const Curve& curve, std::size_t i, Scale scale) {
  const double edge = curve.mean[i] - curve.deviation[i];
  if (scale == Scale::kLinear || std::isnan(edge)) return edge;
  double lowest = curve.mean[i];
  for (const auto& seed : curve.seeds) {
    if (seed[i] > 0) lowest = std::min(lowest, seed[i]);
  }
  return std::max(edge, lowest);
}

Axis y_axis(const CurveFigure& figure) {
  std::vector<double> values;
  for (const Curve& curve : figure.curves) {
    for (const auto& seed : curve.seeds) values.insert(values.end(), seed.begin(), seed.end());
    for (std::size_t i = 0; i < curve.mean.size(); ++i) {
      values.push_back(curve.mean[i]);
      if (std::isnan(curve.deviation[i])) continue;
      values.push_back(curve.mean[i] + curve.deviation[i]);
      values.push_back(lower_edge(curve, i, figure.scale));
    }
  }
  return axis_for(values, {.scale = figure.scale});
}

Axis x_axis(const CurveFigure& figure, int ticks) {
  std::vector<double> values;
  for (const Curve& curve : figure.curves) {
    values.insert(values.end(), curve.x[0].begin(), curve.x[0].end());
  }
  return axis_for(values, {.ticks = ticks, .padding = 0});
}

void draw_axes(Svg& svg, const Frame& frame, std::string_view x_name) {
  const Box& box = frame.box;
  for (const Tick& tick : frame.y.ticks) {
    const double y = box.y + (1 - frame.y.fraction(tick.value)) * box.height;
    svg.line({box.x, y}, {box.x + box.width, y}, {.paint = kRule});
    svg.text({box.x - 8, y + 4}, tick.label, {.paint = kMuted, .size = 11, .anchor = "end"});
  }
  const double bottom = box.y + box.height;
  svg.line({box.x, bottom}, {box.x + box.width, bottom}, {.paint = kMuted});
  for (const Tick& tick : frame.x.ticks) {
    const double x = box.x + frame.x.fraction(tick.value) * box.width;
    svg.line({x, bottom}, {x, bottom + 4}, {.paint = kMuted});
    svg.text({x, bottom + 17}, tick.label, {.paint = kMuted, .size = 11, .anchor = "middle"});
  }
  svg.text({box.x + box.width, bottom + 33}, x_name,
           {.paint = kMuted, .size = 11, .anchor = "end"});
}

// One polygon for each stretch where both edges are known.
void draw_band(Svg& svg, const Frame& frame, const Curve& curve) {
  std::vector<Point> upper, lower;
  const auto flush = [&] {
    upper.insert(upper.end(), lower.rbegin(), lower.rend());
    svg.polygon(upper, series_paint(curve.colour), 0.16);
    upper.clear();
    lower.clear();
  };
  for (std::size_t i = 0; i < curve.mean.size(); ++i) {
    const double mean = curve.mean[i];
    const double deviation = curve.deviation[i];
    const Point top = frame.at(curve.x[0][i], mean + deviation);
    const Point bottom = frame.at(curve.x[0][i], lower_edge(curve, i, frame.y.scale));
    if (std::isfinite(top.y) && std::isfinite(bottom.y)) {
      upper.push_back(top);
      lower.push_back(bottom);
    } else {
      flush();
    }
  }
  flush();
}

std::vector<Point> points_of(const Frame& frame, const Curve& curve, const std::vector<double>& y) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < y.size(); ++i) points.push_back(frame.at(curve.x[0][i], y[i]));
  return points;
}

// Where each name of the legend begins; a new line where one would not fit.
std::vector<Point> legend_places(const CurveFigure& figure, double room) {
  std::vector<Point> places;
  Point next = {2, kLegend};
  for (const Curve& curve : figure.curves) {
    const double width = 30 + text_width(curve.name, 11);
    if (next.x > 2 && next.x + width > room) next = {2, next.y + kLegendLine};
    places.push_back(next);
    next.x += width + 10;
  }
  return places;
}

void draw_legend(Svg& svg, const CurveFigure& figure, const std::vector<Point>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto [x, y] = places[i];
    const Paint paint = series_paint(figure.curves[i].colour);
    svg.line({x, y}, {x + 16, y}, {.paint = paint, .width = 2.2});
    svg.text({x + 21, y + 4}, figure.curves[i].name, {.size = 11});
  }
}

}  // namespace

Svg draw_curves(const CurveFigure& figure, const CurveDrawing& drawing) {
  Frame frame{x_axis(figure, drawing.width < 450 ? 4 : 6), y_axis(figure), {}};
  double left = 20;
  for (const Tick& tick : frame.y.ticks) left = std::max(left, 14 + text_width(tick.label, 11));
  // Lines of the legend after the first make the figure higher, not the plot lower.
  const std::vector<Point> legend = legend_places(figure, drawing.width);
  const double more = legend.empty() ? 0 : legend.back().y - kLegend;
  Svg svg(drawing.width, drawing.height + more);
  const double top = kLegend + more + 20;
  frame.box = {left, top, drawing.width - left - kRight, svg.height() - top - kBottom};
  const double fit = (drawing.width - 4) / text_width(figure.title, 1.06);  // bold is wider
  svg.text({2, 16}, figure.title, {.size = std::min(13.0, fit), .bold = true});
  draw_legend(svg, figure, legend);
  draw_axes(svg, frame, figure.x_names.at(0));
  for (const Curve& curve : figure.curves) draw_band(svg, frame, curve);
  for (const Curve& curve : figure.curves) {
    const Stroke faint{.paint = series_paint(curve.colour), .width = 0.8, .opacity = 0.3};
    if (curve.seeds.size() < 2) continue;
    for (const auto& seed : curve.seeds) svg.polyline(points_of(frame, curve, seed), faint);
  }
  for (const Curve& curve : figure.curves) {
    svg.polyline(points_of(frame, curve, curve.mean),
                 {.paint = series_paint(curve.colour), .width = 1.9});
  }
  return svg;
}

}  // namespace rgu::report
