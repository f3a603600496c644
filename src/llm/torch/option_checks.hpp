// Visitors of describe_training: one checks, one writes down what a run is made from.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/training_options.hpp"

namespace rgu::llm {

// Throws InvalidInput for the first option outside its range.
struct OptionCheck {
  template <class Number>
  void operator()(std::string_view name, const Number& value, const OptionRange& range,
                  std::string_view) const {
    const auto number = static_cast<double>(value);
    check(std::isfinite(number) && (range.above ? number > range.least : number >= range.least),
          "{} = {}: must be {} {}", name, value, range.above ? "above" : "at least", range.least);
    check(range.below ? number < range.most : number <= range.most, "{} = {}: must be {} {}", name,
          value, range.below ? "below" : "at most", range.most);
  }
  template <class Number>
  void operator()(std::string_view name, const std::optional<Number>& value,
                  const OptionRange& range, std::string_view help) const {
    if (value) (*this)(name, *value, range, help);
  }
  void operator()(std::string_view, const auto&, std::string_view) const {}
};

// What a run is made from, by name: runs that agree in it do the same steps.
using Fingerprint = std::map<std::string, std::string>;

// Puts every option but those that steps do not depend on.
struct FingerprintOptions {
  Fingerprint& fingerprint;

  template <class Number>
  void operator()(std::string_view name, const Number& value, const OptionRange&,
                  std::string_view) const {
    if (name == "threads" || name == "evaluation_interval" || name == "checkpoint_interval") return;
    fingerprint[std::string(name)] = fmt::format("{}", value);
  }
  template <class Number>
  void operator()(std::string_view name, const std::optional<Number>& value,
                  const OptionRange& range, std::string_view help) const {
    if (value) (*this)(name, *value, range, help);
  }
  void operator()(std::string_view name, const Schedule& value, std::string_view) const {
    fingerprint[std::string(name)] = kScheduleNames[static_cast<std::size_t>(value)];
  }
  void operator()(std::string_view name, const ScoreType& value, std::string_view) const {
    fingerprint[std::string(name)] = value == ScoreType::kCost ? "cost" : "reward";
  }
  void operator()(std::string_view, const std::string&, std::string_view) const {}  // the device

  void adapter(const std::optional<AdapterConfig>& config) const {
    if (!config) return;
    fingerprint["rank"] = fmt::format("{}", config->rank);
    fingerprint["alpha"] = fmt::format("{}", config->alpha);
    fingerprint["dropout"] = fmt::format("{}", config->dropout);
    fingerprint["target_modules"] = fmt::format("{}", fmt::join(config->target_modules, ","));
  }
};

}  // namespace rgu::llm
