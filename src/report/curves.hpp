// The curves of a run: which metrics share a figure, mean and standard deviation over the seeds,
// and fewer points where there are too many to draw.
#pragma once

#include <string>
#include <vector>

#include "rgu/record/run_record.hpp"
#include "rgu/report/axes.hpp"

namespace rgu::report {

// One quantity. All its lists have the same length, one entry a point; NaN: a gap.
struct Curve {
  std::string name;
  std::string help;
  int colour = 0;
  std::vector<std::vector<double>> x;  // one list for each x axis of the figure, nondecreasing
  std::vector<double> mean;
  std::vector<double> deviation;  // over the seeds; NaN where fewer than two were measured
  std::vector<std::string> labels;
  std::vector<std::vector<double>> seeds;
  std::size_t measured = 0;  // points before `thinned`
};

struct CurveFigure {
  std::string id;
  std::string title;
  Scale scale = Scale::kLinear;
  std::vector<std::string> x_names;
  std::vector<Curve> curves;
};

struct ConstantMetric {
  MetricField field;
  double value;
};

struct CurveSet {
  std::vector<CurveFigure> paper;  // the three figures of the paper, where they were measured
  std::vector<CurveFigure> others;
  std::vector<ConstantMetric> constants;  // the same number at all times, in all seeds: not drawn
};

inline constexpr std::size_t kMostPoints = 2000;

CurveSet curve_set(const RunRecord& run);

// One metric of a run against iteration, samples and seconds. The mean is over the seeds that have
// the iteration; so are samples and seconds, each made nondecreasing. Every seed keeps its place.
Curve metric_curve(const RunRecord& run, const MetricField& field);

bool was_measured(const RunRecord& run, const MetricField& field);

// How the metric is best seen.
Scale usual_scale(const MetricField& field);

// Makes the scale linear where some seed is not positive.
void settle_scale(CurveFigure& figure);

// "iteration", "samples", "seconds": those that all of `runs` have.
std::vector<std::string> x_names_of(const std::vector<RunRecord>& runs);

// `curve` with only those x axes.
void keep_x(Curve& curve, const std::vector<std::string>& names);

// The curve with about `most` points or fewer: of each stretch the points remain at which the mean
// or one of the seeds is least or greatest, and always the first and the last point.
Curve thinned(Curve curve, std::size_t most = kMostPoints);

}  // namespace rgu::report
