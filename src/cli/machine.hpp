// The machine a program runs on: what it says of itself, and what it does when measured.
#pragma once

#include <cstdint>
#include <string>

namespace rgu {

struct MachineFacts {
  std::string cpu;  // "Intel(R) Xeon(R) Processor"
  int threads = 1;  // that this process may run at once
  std::string
      instructions;  // the widest vectors: "AVX-512", "AVX2", "SSE2", or another architecture
  std::uint64_t memory = 0;  // bytes
  std::uint64_t available = 0;
};
MachineFacts machine_facts();

// Floating-point operations per second of a matrix product of OpenBLAS, and bytes per second of
// reading memory: the best of several tries, which together take about `seconds`.
struct MeasuredRates {
  double sgemm = 0;
  double dgemm = 0;
  double read = 0;
};
MeasuredRates measured_rates(int threads, double seconds);

}  // namespace rgu
