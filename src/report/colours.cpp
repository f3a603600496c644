#include "rgu/report/colours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace rgu::report {
namespace {

struct Rgb {
  double red, green, blue;
};

// Anchors of the map "viridis", evenly spaced.
constexpr std::array<Rgb, 9> kViridis = {{{68, 1, 84},
                                          {71, 45, 123},
                                          {59, 82, 139},
                                          {44, 114, 142},
                                          {33, 145, 140},
                                          {40, 174, 128},
                                          {94, 201, 98},
                                          {173, 220, 48},
                                          {253, 231, 37}}};
constexpr std::array<Rgb, 7> kBlueOrange = {{{16, 68, 128},
                                             {56, 122, 184},
                                             {140, 182, 217},
                                             {226, 228, 230},
                                             {240, 178, 112},
                                             {209, 113, 28},
                                             {134, 60, 4}}};

double linear_light(double channel) {
  const double c = channel / 255;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

MapColour between(std::span<const Rgb> anchors, double fraction) {
  const double at = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(anchors.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), anchors.size() - 2);
  const double t = at - static_cast<double>(below);
  const auto mix = [&](double Rgb::*channel) {
    return std::round((1 - t) * anchors[below].*channel + t * anchors[below + 1].*channel);
  };
  const Rgb c = {mix(&Rgb::red), mix(&Rgb::green), mix(&Rgb::blue)};
  const double luminance =
      0.2126 * linear_light(c.red) + 0.7152 * linear_light(c.green) + 0.0722 * linear_light(c.blue);
  // Below this luminance white has more contrast than black.
  return {fmt::format("#{:02x}{:02x}{:02x}", static_cast<int>(c.red), static_cast<int>(c.green),
                      static_cast<int>(c.blue)),
          luminance < 0.179};
}

}  // namespace

MapColour sequential(double fraction) { return between(kViridis, fraction); }

MapColour diverging(double fraction) { return between(kBlueOrange, (fraction + 1) / 2); }

}  // namespace rgu::report
