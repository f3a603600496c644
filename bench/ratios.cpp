#include "ratios.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "rgu/base/check.hpp"

namespace rgu::bench {
namespace {

class Collector : public benchmark::ConsoleReporter {
 public:
  Collector() : ConsoleReporter(OO_None) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Aggregate && run.aggregate_name == "median") {
        medians_[run.run_name.function_name + "/" + run.run_name.args] = run.GetAdjustedRealTime();
      }
    }
    ConsoleReporter::ReportRuns(runs);
  }

  // 0 if it did not run.
  double median(const std::string& name) const {
    const auto found = medians_.find(name);
    return found == medians_.end() ? 0 : found->second;
  }

 private:
  std::map<std::string, double> medians_;
};

}  // namespace

int run(int argc, char** argv, const std::vector<Ratio>& ratios) {
  std::vector<std::string> defaults = {"--benchmark_enable_random_interleaving=true",
                                       "--benchmark_repetitions=9", "--benchmark_min_time=0.05",
                                       "--benchmark_report_aggregates_only=true"};
  std::vector<char*> arguments = {argv[0]};
  for (std::string& argument : defaults) arguments.push_back(argument.data());
  bool must_reach = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      must_reach = true;
    } else {
      arguments.push_back(argv[i]);
    }
  }
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  int missed = 0;
  for (const Ratio& ratio : ratios) {
    const double numerator = collector.median(ratio.numerator);
    const double denominator = collector.median(ratio.denominator);
    if (numerator == 0 || denominator == 0) continue;
    const double value = numerator / denominator;
    if (ratio.target == 0) {
      fmt::print("ratio  {:<64} {:7.2f}\n", ratio.what, value);
      continue;
    }
    const bool reached =
        ratio.sense == Ratio::kAtLeast ? value >= ratio.target : value <= ratio.target;
    missed += !reached;
    fmt::print("ratio  {:<64} {:7.2f}  {} {:<5g} {}\n", ratio.what, value,
               ratio.sense == Ratio::kAtLeast ? "at least" : "at most ", ratio.target,
               reached ? "reached" : "MISSED");
  }
  return must_reach && missed > 0 ? 1 : 0;
}

std::optional<InstructionSet> choose_instructions(int& argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--instructions") != 0) continue;
    setenv("RGU_INSTRUCTIONS", argv[i + 1], 1);
    std::rotate(argv + i, argv + i + 2, argv + argc);
    argc -= 2;
    break;
  }
  try {
    const InstructionSet set = instruction_set();
    fmt::print("instructions: {}\n", name_of(set));
    return set;
  } catch (const InvalidInput& error) {
    fmt::print(stderr, "{}\n", error.what());
    return {};
  }
}

}  // namespace rgu::bench
