#include "rgu/report/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rgu/report/text.hpp"

namespace rgu::report {
namespace {

struct Range {
  double low, high;
};

Range range_of(const std::vector<double>& values, Scale scale) {
  Range range{HUGE_VAL, -HUGE_VAL};
  for (const double value : values) {
    if (!std::isfinite(value) || (scale == Scale::kLog && value <= 0)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  if (range.low <= range.high) return range;
  return scale == Scale::kLog ? Range{0.1, 1} : Range{0, 1};
}

// The step 1, 2 or 5 times a power of ten of which `width` holds about `ticks`.
double round_step(double width, int ticks) {
  const double rough = width / ticks;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power * 1.0000001) return factor * power;
  }
  return 10 * power;
}

std::string linear_label(double value, double step, double largest) {
  if (value == 0) return "0";
  if (largest >= 1e6 || largest < 1e-3) return number(value);
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  std::string text = fmt::format("{:.{}f}", value, decimals);
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

Axis linear_axis(Range range, const AxisRequest& request) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (range.high - range.low <= 1e-12 * size || range.high == range.low) {
    const double half = size == 0 ? 1 : 0.5 * size;
    range = {range.low - half, range.high + half};
  }
  const double pad = request.padding * (range.high - range.low);
  Axis axis{Scale::kLinear, range.low - pad, range.high + pad, {}};
  const double step = round_step(axis.high - axis.low, request.ticks);
  for (double i = std::ceil(axis.low / step); i * step <= axis.high; ++i) {
    axis.ticks.push_back({i * step, linear_label(i * step, step, size)});
  }
  return axis;
}

Axis log_axis(Range range, int ticks) {
  if (range.low == range.high) range = {range.low / 3, range.high * 3};
  const double pad = std::pow(range.high / range.low, 0.04);
  Axis axis{Scale::kLog, range.low / pad, range.high * pad, {}};
  const int first = static_cast<int>(std::ceil(std::log10(axis.low)));
  const int last = static_cast<int>(std::floor(std::log10(axis.high)));
  const int stride = std::max(1, (last - first + 1 + ticks + 1) / (ticks + 2));
  const bool narrow = axis.high / axis.low < 100;
  for (int e = first - 1; e <= last; ++e) {
    for (const int factor : {1, 2, 5}) {
      const double value = factor * std::pow(10.0, e);
      if (value < axis.low || value > axis.high) continue;
      if (factor == 1 && e % stride == 0) {
        axis.ticks.push_back(
            {value, std::abs(e) < 3 ? fmt::format("{:g}", value) : power_of_ten(e)});
      } else if (narrow && factor != 1) {
        axis.ticks.push_back({value, std::abs(e) < 3
                                         ? fmt::format("{:g}", value)
                                         : fmt::format("{}×", factor) + power_of_ten(e)});
      }
    }
  }
  return axis;
}

}  // namespace

double Axis::fraction(double value) const {
  if (scale == Scale::kLinear) return (value - low) / (high - low);
  return value > 0 ? std::log(value / low) / std::log(high / low) : std::nan("");
}

Axis axis_for(const std::vector<double>& values, const AxisRequest& request) {
  const Range range = range_of(values, request.scale);
  return request.scale == Scale::kLog ? log_axis(range, request.ticks)
                                      : linear_axis(range, request);
}

}  // namespace rgu::report
