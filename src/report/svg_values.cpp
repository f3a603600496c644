#include "rgu/report/svg_values.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/report/axes.hpp"

namespace rgu::report {
namespace {

constexpr double kTop = 56;
constexpr double kRow = 24;
constexpr double kPlotWidth = 250;

void draw_pair(Svg& svg, const ValuePair& pair, Point from, Point to) {
  const bool has_from = std::isfinite(pair.from);
  const bool has_to = std::isfinite(pair.to);
  if (has_from && has_to) {
    svg.line(from, to, {.paint = kSeries[1], .width = 2.5, .opacity = 0.45});
  }
  if (has_from) svg.ring(from, 4, kSeries[0]);
  if (has_to) svg.circle(to, 4.5, kSeries[1]);
}

void draw_key(Svg& svg, const PairDrawing& drawing) {
  svg.ring({8, 34}, 4, kSeries[0]);
  svg.text({17, 38}, drawing.from_name, {.size = 11});
  const double x = 36 + text_width(drawing.from_name, 11);
  svg.circle({x, 34}, 4.5, kSeries[1]);
  svg.text({x + 9, 38}, drawing.to_name, {.size = 11});
}

}  // namespace

Svg draw_pairs(const PairDrawing& drawing) {
  std::vector<double> values;
  double names = 0, remarks = 0;
  for (const ValuePair& pair : drawing.pairs) {
    values.insert(values.end(), {pair.from, pair.to});
    names = std::max(names, text_width(pair.name, 11));
    remarks = std::max(remarks, text_width(pair.remark, 11));
  }
  const Axis axis = axis_for(values, {.ticks = 4, .padding = 0.06});
  const double left = names + 14;
  const double bottom = kTop + kRow * static_cast<double>(drawing.pairs.size());
  const double key = 60 + text_width(drawing.from_name, 11) + text_width(drawing.to_name, 11);
  Svg svg(std::max({left + kPlotWidth + remarks + 24, key, text_width(drawing.title, 13)}),
          bottom + 28);
  svg.text({2, 16}, drawing.title, {.size = 13, .bold = true});
  draw_key(svg, drawing);
  const auto x = [&](double value) { return left + axis.fraction(value) * kPlotWidth; };
  for (const Tick& tick : axis.ticks) {
    svg.line({x(tick.value), kTop}, {x(tick.value), bottom}, {.paint = kRule});
    svg.text({x(tick.value), bottom + 17}, tick.label,
             {.paint = kMuted, .size = 11, .anchor = "middle"});
  }
  for (std::size_t i = 0; i < drawing.pairs.size(); ++i) {
    const ValuePair& pair = drawing.pairs[i];
    const double y = kTop + kRow * (static_cast<double>(i) + 0.5);
    svg.text({left - 10, y + 4}, pair.name, {.paint = kMuted, .size = 11, .anchor = "end"});
    draw_pair(svg, pair, {x(pair.from), y}, {x(pair.to), y});
    svg.text({left + kPlotWidth + 12, y + 4}, pair.remark, {.paint = kMuted, .size = 11});
  }
  return svg;
}

}  // namespace rgu::report
