// Colours that people with any colour vision tell apart.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace rgu::report {

// A named colour. In a page the style sheet sets it by the name, so that it follows the theme; a
// lone SVG file uses `rgb`.
struct Paint {
  std::string_view name;
  std::string_view rgb;
};

inline constexpr Paint kInk = {"ink", "#1c2126"};
inline constexpr Paint kMuted = {"muted", "#56606b"};
inline constexpr Paint kRule = {"rule", "#dfe3e8"};
inline constexpr Paint kPaper = {"paper", "#ffffff"};
inline constexpr Paint kWall = {"wall", "#8b949e"};

// Lines, in the order of Okabe and Ito, the bright ones darkened for white paper.
inline constexpr std::array<Paint, 8> kSeries = {{{"c0", "#0072b2"},
                                                  {"c1", "#c84e00"},
                                                  {"c2", "#008a64"},
                                                  {"c3", "#b0558a"},
                                                  {"c4", "#94690a"},
                                                  {"c5", "#3a7fb8"},
                                                  {"c6", "#5c5c5c"},
                                                  {"c7", "#7a3fa0"}}};

constexpr Paint series_paint(int i) {
  return kSeries[static_cast<std::size_t>(i) % kSeries.size()];
}

// One value in a heat map.
struct MapColour {
  std::string rgb;  // "#440154"
  bool dark;        // text on it must be light
};

// From dark violet (0) over green to yellow (1); even steps look even.
MapColour sequential(double fraction);

// From blue (-1) over grey (0) to orange (1).
MapColour diverging(double fraction);

}  // namespace rgu::report
