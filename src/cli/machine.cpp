#include "rgu/cli/machine.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <numeric>
#include <vector>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/thread_pool.hpp"
#include "rgu/base/version.hpp"

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
}

namespace rgu {
namespace {

using Clock = std::chrono::steady_clock;

// The value of the first line "key : value" of a file of the kernel; empty if there is none.
std::string kernel_value(const char* file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

std::uint64_t kernel_bytes(const std::string& key) {
  const std::string value = kernel_value("/proc/meminfo", key);
  return value.empty() ? 0 : std::stoull(value) * 1024;  // "24057552 kB"
}

int usable_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

// Units of work per second: the best of the tries that fit into `seconds`, two at least.
template <class Work>
double best_rate(double units, double seconds, Work work) {
  double best = 0, spent = 0;
  for (int tries = 0; tries < 2 || spent < seconds; ++tries) {
    const Clock::time_point begin = Clock::now();
    work();
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    best = std::max(best, units / took);
    spent += took;
  }
  return best;
}

template <class Real, class Product>
double product_rate(double seconds, Product product) {
  constexpr int kSize = 1024;
  const std::vector<Real> a(kSize * kSize, Real(0.5)), b(kSize * kSize, Real(0.25));
  std::vector<Real> c(kSize * kSize);
  const Real one = 1, zero = 0;
  return best_rate(2.0 * kSize * kSize * kSize, seconds, [&] {
    product("N", "N", &kSize, &kSize, &kSize, &one, a.data(), &kSize, b.data(), &kSize, &zero,
            c.data(), &kSize);
  });
}

// Sums more memory than caches hold, each thread its own part.
double read_rate(int threads, double seconds) {
  constexpr std::size_t kWords = std::size_t{1} << 26;  // 512 MB in all
  const std::vector<std::uint64_t> memory(kWords, 1);
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(threads));
  ThreadPool pool(threads);
  const std::size_t part = kWords / sums.size();
  return best_rate(static_cast<double>(part * sums.size() * sizeof memory[0]), seconds, [&] {
    pool.for_each(threads, [&](Index i) {
      const auto begin = memory.begin() + i * static_cast<std::ptrdiff_t>(part);
      sums[static_cast<std::size_t>(i)] +=
          std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(part), std::uint64_t{0});
    });
  });
}

}  // namespace

MachineFacts machine_facts() {
  return {.cpu = kernel_value("/proc/cpuinfo", "model name"),
          .threads = usable_threads(),
          .instructions = widest_instructions(),
          .memory = kernel_bytes("MemTotal"),
          .available = kernel_bytes("MemAvailable")};
}

MeasuredRates measured_rates(int threads, double seconds) {
  prepare_blas();
  const int before = blas_facts().threads;
  set_blas_threads(threads);
  MeasuredRates rates;
  rates.sgemm = product_rate<float>(seconds / 3, sgemm_);
  rates.dgemm = product_rate<double>(seconds / 3, dgemm_);
  rates.read = read_rate(threads, seconds / 3);
  set_blas_threads(before);
  return rates;
}

}  // namespace rgu
