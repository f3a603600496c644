// Axes of a figure: the range, the ticks at round numbers and their labels.
#pragma once

#include <string>
#include <vector>

namespace rgu::report {

enum class Scale { kLinear, kLog };

struct Tick {
  double value;
  std::string label;
};

struct Axis {
  Scale scale = Scale::kLinear;
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;

  // 0 at `low`, 1 at `high`; NaN where the scale has no place for the value.
  double fraction(double value) const;
};

// The axis for the finite ones of `values`; on a log scale, for the positive ones. About `ticks`
// ticks. Without any value it runs from 0 to 1 (log: from 0.1 to 1).
struct AxisRequest {
  Scale scale = Scale::kLinear;
  int ticks = 5;
  double padding = 0.04;  // of the range, at either end; linear scales only
};
Axis axis_for(const std::vector<double>& values, const AxisRequest& request);

}  // namespace rgu::report
