// The global minimum of the drift envelope against Debian's `sdpa`, run as a program of its own on
// the dual semidefinite program over all of Z (D, D): no reduction of the library's is shared.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "global/drift_instances.hpp"
#include "rgu/global/drift_interior_point.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

// A folder that is removed at the end.
class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / ("rgu_sdpa_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { fs::remove_all(path_); }

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// Those its manual calls stable but slow, and more accurate.
constexpr const char* kSettings =
    "1000 unsigned int maxIteration;\n1.0E-9 double 0.0 < epsilonStar;\n1.0E4 double 0.0 < "
    "lambdaStar;\n2.0 double 1.0 < omegaStar;\n-1.0E5 double lowerBound;\n1.0E5 double "
    "upperBound;\n0.1 double 0.0 <= betaStar < 1.0;\n0.3 double 0.0 <= betaBar < 1.0, betaStar <= "
    "betaBar;\n0.8 double 0.0 < gammaStar < 1.0;\n1.0E-9 double 0.0 < epsilonDash;\n%+8.3e char* "
    "xPrint\n%+8.3e char* XPrint\n%+8.3e char* YPrint\n%+10.16e char* infPrint\n";

bool sdpa_is_installed() { return std::system("command -v sdpa >/dev/null 2>&1") == 0; }

// Minimises unit (1-g) <rho, y> over x = (y, Z without Z_11) subject to Z >= 0, B y >= v'Z v and
// tr Z22 <= 1, Z_11 = 1 less the rest of tr Z11. In SDPA's sparse format: sum_k x_k F_k - F_0 >= 0,
// a line "k block i j value" for each entry.
void write_dual(const std::string& file, const testing_drift::DriftInstance& instance,
                double unit) {
  const FiniteMdp& mdp = instance.mdp;
  const Matrix kernel = mdp.is_sparse() ? Matrix(mdp.sparse_kernel()) : mdp.dense_kernel();
  const Matrix& psi = instance.drift.features();
  const Index n = psi.rows(), d = instance.drift.dimension(), order = d + psi.cols();
  Matrix seen(n, order);
  seen << psi * instance.ball.centre().transpose(), instance.ball.radius() * psi;

  std::ostringstream entries;
  entries << std::setprecision(17);
  const auto put = [&](Index k, int block, Index i, Index j, double value) {
    if (value == 0) return;
    entries << k << ' ' << block << ' ' << i + 1 << ' ' << j + 1 << ' ' << value << '\n';
  };
  put(0, 1, 0, 0, -1);
  for (Index i = 0; i < n; ++i) put(0, 2, i, i, seen(i, 0) * seen(i, 0));
  put(0, 2, n, n, -1);
  for (Index s = 0; s < mdp.states(); ++s) {
    for (Index i = 0; i < n; ++i) {
      put(s + 1, 2, i, i, (i / mdp.actions() == s ? 1 : 0) - mdp.discount() * kernel(i, s));
    }
  }
  Index number = mdp.states();
  for (Index a = 0; a < order; ++a) {
    for (Index b = a; b < order; ++b) {
      if (b == 0) continue;
      ++number;
      const bool on_trace = a == b && a < d;
      if (on_trace) put(number, 1, 0, 0, -1);
      put(number, 1, a, b, 1);
      for (Index i = 0; i < n; ++i) {
        const double own = (a == b ? 1 : 2) * seen(i, a) * seen(i, b);
        put(number, 2, i, i, (on_trace ? seen(i, 0) * seen(i, 0) : 0) - own);
      }
      if (a == b && a >= d) put(number, 2, n, n, -1);
    }
  }
  std::ofstream out(file);
  out << std::setprecision(17) << number << "\n2\n" << order << ' ' << -(n + 1) << '\n';
  for (Index s = 0; s < mdp.states(); ++s)
    out << unit * (1 - mdp.discount()) * mdp.start()(s) << ' ';
  for (Index k = mdp.states(); k < number; ++k) out << "0 ";
  out << '\n' << entries.str();
}

double number_after(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return std::nan("");
  return std::strtod(text.c_str() + text.find('=', at) + 1, nullptr);
}

// SDPA's tolerances are absolute below 1, hence the unit. Not a number where its two optima differ.
double sdpa_optimum(const testing_drift::DriftInstance& instance, double unit) {
  const Scratch scratch;
  write_dual(scratch.file("program.dat-s"), instance, unit);
  std::ofstream(scratch.file("settings")) << kSettings;
  const std::string command = "OPENBLAS_NUM_THREADS=1 sdpa -ds " + scratch.file("program.dat-s") +
                              " -o " + scratch.file("answer") + " -p " + scratch.file("settings") +
                              " -numThreads 1 >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) return std::nan("");
  std::ostringstream text;
  text << std::ifstream(scratch.file("answer")).rdbuf();
  const double primal = number_after(text.str(), "objValPrimal");
  const double dual = number_after(text.str(), "objValDual");
  if (!(std::abs(primal - dual) <= 1e-6 * std::abs(primal))) return std::nan("");
  return -0.5 * (primal + dual) / unit;
}

TEST(DriftAgainstSdpa, HasTheSameOptimumOnRandomInstances) {
  if (!sdpa_is_installed()) GTEST_SKIP() << "sdpa is not installed (Debian's package sdpa)";
  int compared = 0;
  for (std::uint64_t seed = 0; compared < 15; ++seed) {
    ASSERT_LT(seed, 60) << "SDPA solved only " << compared;
    const auto instance = testing_drift::plain_drift(seed);
    const GlobalSolution found =
        drift_interior_point(instance.mdp, instance.drift, instance.ball, {.tolerance = 1e-7});
    ASSERT_EQ(found.status, GlobalStatus::kCertified) << instance.about;
    if (found.value == 0) continue;  // then SDPA has no interior
    const double optimum = sdpa_optimum(instance, -3e3 / found.value);
    if (std::isnan(optimum)) continue;
    EXPECT_NEAR(found.value, optimum, 1e-6 * std::abs(optimum)) << instance.about;
    EXPECT_LE(found.lower_bound, optimum + 1e-6 * std::abs(optimum)) << instance.about;
    ++compared;
  }
}

}  // namespace
}  // namespace rgu
