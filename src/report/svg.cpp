#include "rgu/report/svg.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <map>

#include "rgu/report/text.hpp"

namespace rgu::report {
namespace {

constexpr std::string_view kFont = "system-ui, 'Helvetica Neue', Helvetica, Arial, sans-serif";

template <class... Args>
void add(std::string& body, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(body), format, std::forward<Args>(args)...);
}

std::string stroke_attributes(const Stroke& stroke) {
  std::string text = fmt::format(R"(class="stroke-{}" stroke="{}" stroke-width="{:g}")",
                                 stroke.paint.name, stroke.paint.rgb, stroke.width);
  if (stroke.opacity < 1) text += fmt::format(R"( stroke-opacity="{:g}")", stroke.opacity);
  if (!stroke.dash.empty()) text += fmt::format(R"( stroke-dasharray="{}")", stroke.dash);
  return text;
}

bool is_drawn(const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y); }

}  // namespace

Svg::Svg(double width, double height) : width_(width), height_(height) {}

void Svg::text(Point at, std::string_view words, const TextStyle& style) {
  add(body_, R"(<text x="{:.1f}" y="{:.1f}" class="fill-{}" fill="{}")", at.x, at.y,
      style.paint.name, style.paint.rgb);
  if (style.size != 12) add(body_, R"( font-size="{:g}")", style.size);
  if (style.anchor != "start") add(body_, R"( text-anchor="{}")", style.anchor);
  if (style.bold) body_ += R"( font-weight="600")";
  add(body_, ">{}</text>\n", escaped(words));
}

void Svg::line(Point from, Point to, const Stroke& stroke) {
  add(body_, R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" {}/>)", from.x, from.y, to.x,
      to.y, stroke_attributes(stroke));
  body_ += '\n';
}

void Svg::polyline(const std::vector<Point>& points, const Stroke& stroke) {
  std::string data;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_drawn(points[i])) continue;
    const bool joined = i > 0 && is_drawn(points[i - 1]);
    const bool alone = !joined && (i + 1 == points.size() || !is_drawn(points[i + 1]));
    add(data, "{}{:.1f} {:.1f}", joined ? "L" : "M", points[i].x, points[i].y);
    if (alone) data += "h0";
  }
  if (data.empty()) return;
  add(body_, R"(<path d="{}" fill="none" stroke-linejoin="round" stroke-linecap="round" {}/>)",
      data, stroke_attributes(stroke));
  body_ += '\n';
}

void Svg::polygon(const std::vector<Point>& points, Paint paint, double opacity) {
  if (points.size() < 3) return;
  body_ += R"(<polygon points=")";
  for (const Point& p : points) add(body_, "{:.1f},{:.1f} ", p.x, p.y);
  add(body_, R"(" class="fill-{}" fill="{}" fill-opacity="{:g}"/>)", paint.name, paint.rgb,
      opacity);
  body_ += '\n';
}

void Svg::circle(Point centre, double radius, Paint paint) {
  add(body_, R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:g}" class="fill-{}" fill="{}"/>)", centre.x,
      centre.y, radius, paint.name, paint.rgb);
  body_ += '\n';
}

void Svg::ring(Point centre, double radius, Paint paint) {
  add(body_, R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:g}" class="fill-paper stroke-{}" fill="{}" )",
      centre.x, centre.y, radius, paint.name, kPaper.rgb);
  add(body_, R"(stroke="{}" stroke-width="2"/>)", paint.rgb);
  body_ += '\n';
}

void Svg::box(const Box& box, Paint paint) {
  add(body_, R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" class="fill-{}" )",
      box.x, box.y, box.width, box.height, paint.name);
  add(body_, R"(fill="{}"/>)", paint.rgb);
  body_ += '\n';
}

void Svg::cell(const Box& box, std::string_view rgb, std::string_view tip) {
  add(body_, R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}")", box.x,
      box.y, box.width, box.height, rgb);
  if (tip.empty()) {
    body_ += "/>";
  } else {
    add(body_, "><title>{}</title></rect>", escaped(tip));
  }
  body_ += '\n';
}

void Svg::tiles(const std::vector<Tile>& tiles) {
  std::map<std::string_view, std::string> paths;
  for (const auto& [box, rgb] : tiles) {
    add(paths[rgb], "M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", box.x, box.y, box.width, box.height,
        box.width);
  }
  for (const auto& [rgb, data] : paths) {
    add(body_, R"(<path d="{}" fill="{}"/>)", data, rgb);
    body_ += '\n';
  }
}

void Svg::arrow(Point from, Point to, std::string_view rgb, double opacity) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < 0.5) return;
  const Point along = {(to.x - from.x) / length, (to.y - from.y) / length};
  const double head = std::min(4.5, 0.6 * length);
  const Point neck = {to.x - head * along.x, to.y - head * along.y};
  const double half = 0.55 * head;
  add(body_, R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="{}" stroke-width="1.4" )", from.x,
      from.y, neck.x, neck.y, rgb);
  add(body_, R"(stroke-opacity="{:.2f}"/>)", opacity);
  add(body_, R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}z" fill="{}" )", to.x, to.y,
      neck.x - half * along.y, neck.y + half * along.x, neck.x + half * along.y,
      neck.y - half * along.x, rgb);
  add(body_, R"(fill-opacity="{:.2f}"/>)", opacity);
  body_ += '\n';
}

std::string Svg::str(std::string_view label) const {
  std::string text;
  add(text, R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:g} {:g}" width="{:g}" )",
      width_, height_, width_);
  add(text, R"(height="{:g}" role="img" aria-label="{}" )", height_, escaped(label));
  add(text, R"(font-family="{}" font-size="12">)", kFont);
  add(text, "\n<desc>{}</desc>\n", escaped(label));
  add(text, R"(<rect width="100%" height="100%" class="sheet" fill="{}"/>)", kPaper.rgb);
  return text + '\n' + body_ + "</svg>\n";
}

double text_width(std::string_view words, double size) {
  double letters = 0;
  for (const char c : words) letters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1 : 0;
  return 0.62 * size * letters;
}

}  // namespace rgu::report
