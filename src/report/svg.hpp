// A small writer of SVG: what it makes is valid XML, stands alone as a file and follows the theme
// inside a page (see Paint).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rgu/report/colours.hpp"

namespace rgu::report {

struct Point {
  double x, y;
};

struct Box {
  double x, y, width, height;
};

struct TextStyle {
  Paint paint = kInk;
  double size = 12;
  std::string_view anchor = "start";  // or "middle", "end"
  bool bold = false;
};

struct Stroke {
  Paint paint = kInk;
  double width = 1;
  double opacity = 1;
  std::string_view dash = "";
};

// A box in a fixed colour.
struct Tile {
  Box box;
  std::string rgb;
};

class Svg {
 public:
  Svg(double width, double height);

  double width() const { return width_; }
  double height() const { return height_; }

  void text(Point at, std::string_view words, const TextStyle& style = {});
  void line(Point from, Point to, const Stroke& stroke);
  // Breaks where a coordinate is NaN; a point without neighbours becomes a dot.
  void polyline(const std::vector<Point>& points, const Stroke& stroke);
  void polygon(const std::vector<Point>& points, Paint paint, double opacity);
  void circle(Point centre, double radius, Paint paint);
  void ring(Point centre, double radius, Paint paint);  // hollow
  void box(const Box& box, Paint paint);
  // A cell of a map in a fixed colour; `tip` is what hovering shows, may be empty.
  void cell(const Box& box, std::string_view rgb, std::string_view tip);
  // Many cells without tips, far smaller as text.
  void tiles(const std::vector<Tile>& tiles);
  void arrow(Point from, Point to, std::string_view rgb, double opacity);

  // The whole element; `label` is what it shows, in words.
  std::string str(std::string_view label) const;

 private:
  double width_;
  double height_;
  std::string body_;
};

// About how wide `words` is drawn, generously.
double text_width(std::string_view words, double size);

}  // namespace rgu::report
