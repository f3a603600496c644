// One seed of a problem solved in memory, as rgu.solve does it from Python: what the module costs
// is told by bench/python/overhead.py, which runs both in turns. Prints the seconds of each
// repetition.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "rgu/base/blas_setup.hpp"
#include "rgu/experiment/built_in.hpp"
#include "rgu/experiment/runner.hpp"
#include "rgu/experiment/solve_seed.hpp"

int main(int argc, char** argv) {
  using namespace rgu;
  using Clock = std::chrono::steady_clock;
  const std::string name = argc > 1 ? argv[1] : "exploration";
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 5;
  prepare_blas();
  ThreadPool pool(1);
  for (int i = 0; i < repetitions; ++i) {
    const Clock::time_point begin = Clock::now();
    const ProblemConfig config =
        read_config(find_problem(name), {"solver.method=worst-case", "stopping.iterations=1000",
                                         "output.baseline=false", "output.published=false"});
    const Instance instance = make_instance(config, 0);
    const RunRecord record = about(config, instance);
    std::vector<Metrics> metrics;
    const SolvedSeed solved =
        solve_seed({.config = config, .seed = 0, .of = instance}, std::nullopt, pool,
                   {.measured = [&](const Metrics& row, double) { metrics.push_back(row); }});
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    fmt::print("{} {:.17g} {}\n", seconds, solved.files.record.worst_case.value,
               record.method.size() + metrics.size());
  }
}
