#include "rgu/record/metrics_file.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "rgu/base/check.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu {

std::string to_line(const Metrics& metrics) {
  Json line = {{"iteration", metrics.iteration}};
  for (const MetricField& field : kMetricFields) {
    const double value = metrics.*field.member;
    if (std::isnan(value)) continue;
    line[std::string(field.name)] = to_json(value);
    if (field.member == &Metrics::envelope) {
      line["envelope_kind"] = name_of(metrics.envelope_kind);
    }
  }
  line["samples"] = metrics.samples;
  return line.dump() + '\n';
}

Metrics parse_metrics(std::string_view text) {
  const Json line = parse_json(text);
  Metrics metrics;
  metrics.iteration = number<Index>(line, "iteration");
  metrics.samples = number<Index>(line, "samples");
  for (const MetricField& field : kMetricFields) {
    if (line.contains(field.name)) metrics.*field.member = number<double>(line, field.name);
  }
  if (line.contains("envelope_kind")) {
    metrics.envelope_kind = answer_kind(words(line, "envelope_kind"));
  }
  return metrics;
}

}  // namespace rgu
