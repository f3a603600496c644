// How custom utilities use ADOL-C: recordings, threads, tapes, files.
#include "rgu/utility/tape.hpp"

#include <adolc/taping.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/utility/custom.hpp"
#include "utility/custom_functions.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_functions::declaration, testing_functions::Huber, testing_functions::StateEntropy,
    testing_functions::WeightedSquares;

TEST(Tape, RecordsOnceAndAgainOnlyForANewBranch) {
  const CustomUtility utility(Huber{.threshold = 1},
                              declaration({.states = 1, .actions = 1}, 0, NatureShape::kNone));
  EXPECT_EQ(utility.recordings(), 0);
  for (const double x : {0.1, 0.5, 0.9}) {
    const UtilityGradient gradient = utility.evaluate(Matrix{{x}}, Vector());
    EXPECT_DOUBLE_EQ(gradient.value, x * x / 2);
    EXPECT_DOUBLE_EQ(gradient.occupancy(0, 0), x);
  }
  EXPECT_EQ(utility.recordings(), 1);
  for (const double x : {3.0, 7.0}) {
    const UtilityGradient gradient = utility.evaluate(Matrix{{x}}, Vector());
    EXPECT_DOUBLE_EQ(gradient.value, x - 0.5);
    EXPECT_DOUBLE_EQ(gradient.occupancy(0, 0), 1);
  }
  EXPECT_EQ(utility.recordings(), 2);
  EXPECT_DOUBLE_EQ(utility.evaluate(Matrix{{0.5}}, Vector()).occupancy(0, 0), 0.5);
  EXPECT_EQ(utility.recordings(), 3);
}

// abs, max and min switch sides on one recording.
TEST(Tape, KinksNeedNoNewRecording) {
  const auto function = []<class T>(const OccupancyView<T>& lambda, const NatureView<T>&) -> T {
    using std::abs, std::max, std::min;
    const T& x = lambda(0, 0);
    return abs(x) + max(x, T(1)) + 2 * min(x, T(-1));
  };
  const CustomUtility utility(function,
                              declaration({.states = 1, .actions = 1}, 0, NatureShape::kNone));
  const auto slope = [&](double x) {
    return utility.evaluate(Matrix{{x}}, Vector()).occupancy(0, 0);
  };
  EXPECT_EQ(slope(2), 1 + 1 + 0);
  EXPECT_EQ(slope(0.5), 1 + 0 + 0);
  EXPECT_EQ(slope(-0.5), -1 + 0 + 0);
  EXPECT_EQ(slope(-2), -1 + 0 + 2);
  EXPECT_EQ(utility.recordings(), 1);
}

// Shared utilities with and without branches, against the formula, from four threads.
TEST(Tape, IsCorrectFromFourThreads) {
  const CustomUtility huber(Huber{.threshold = 1},
                            declaration({.states = 1, .actions = 1}, 0, NatureShape::kNone));
  const CustomUtility squares(WeightedSquares{}, declaration({.states = 2, .actions = 1}, 2));
  std::atomic<int> wrong = 0;
  const auto work = [&](std::uint64_t seed) {
    Rng rng(seed);
    for (int trial = 0; trial < 300; ++trial) {
      const double x = rng.uniform(0, 2);
      const double slope = huber.evaluate(Matrix{{x}}, Vector()).occupancy(0, 0);
      if (std::abs(slope - std::min(x, 1.0)) > 1e-14) ++wrong;
      const double y = rng.normal();
      const UtilityGradient gradient = squares.evaluate(Matrix{{x}, {2}}, Vector{{y, 0}});
      if (std::abs(gradient.value - (x * x * std::exp(y) + 4)) > 1e-12) ++wrong;
      if (std::abs(gradient.nature(0) - x * x * std::exp(y)) > 1e-12) ++wrong;
      // Utilities also come and go in every thread.
      const CustomUtility own(StateEntropy{},
                              declaration({.states = 1, .actions = 1}, 0, NatureShape::kNone));
      const double entropy = own.evaluate(Matrix{{x}}, Vector()).value;
      if (std::abs(entropy - x * std::log(x + 0.1)) > 1e-14) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// More than ADOL-C can differentiate at a time (32), visited in turn, twice.
TEST(Tape, AnyNumberCanBeInUse) {
  const auto scaled = [](double factor) {
    const auto function = [factor](const auto& lambda, const auto&) {
      return factor * lambda(0, 0) * lambda(0, 0);
    };
    return std::make_unique<CustomUtility<decltype(function)>>(
        function, declaration({.states = 1, .actions = 1}, 0, NatureShape::kNone));
  };
  std::vector<decltype(scaled(1))> utilities;
  for (int i = 0; i < 40; ++i) utilities.push_back(scaled(i));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 40; ++i) {
      const auto& utility = *utilities[static_cast<std::size_t>(i)];
      EXPECT_EQ(utility.evaluate(Matrix{{3}}, Vector()).occupancy(0, 0), 6.0 * i);
      EXPECT_EQ(utility.evaluate(Matrix{{2}}, Vector()).value, 4.0 * i);
    }
  }
  EXPECT_EQ(utilities.back()->recordings(), 2);  // one per round, none for the second call
}

// One is used before each of many others: it is never the one that was used longest ago.
TEST(Tape, ThoseInUseStayRecorded) {
  const auto declared = declaration({.states = 1, .actions = 1}, 0, NatureShape::kNone);
  const CustomUtility favourite(StateEntropy{}, declared);
  std::vector<std::unique_ptr<CustomUtility<StateEntropy>>> others;
  for (int i = 0; i < 3 * Tape::kLiveTapes; ++i) {
    favourite.evaluate(Matrix{{0.5}}, Vector());
    others.push_back(std::make_unique<CustomUtility<StateEntropy>>(StateEntropy{}, declared));
    others.back()->evaluate(Matrix{{0.5}}, Vector());
  }
  EXPECT_EQ(favourite.recordings(), 1);
}

TEST(Tape, TapesOfDestroyedUtilitiesAreReused) {
  for (int i = 0; i < 100; ++i) {
    const CustomUtility utility(WeightedSquares{}, declaration({.states = 2, .actions = 1}, 2));
    EXPECT_EQ(utility.evaluate(Matrix{{1}, {2}}, Vector{{0, 0}}).value, 5);
  }
}

// An empty working directory, to see what is written into it. Every file made or removed in it
// changes its time stamp.
class WorkingDirectory {
 public:
  WorkingDirectory() {
    std::filesystem::create_directory(path_);
    std::filesystem::current_path(path_);
    made_ = std::filesystem::last_write_time(path_);
  }
  ~WorkingDirectory() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(path_);
  }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

  bool empty() const { return std::filesystem::is_empty(path_); }
  bool untouched() const { return std::filesystem::last_write_time(path_) == made_; }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / fmt::format("rgu_tape_test_{}", ::getpid());
  std::filesystem::file_time_type made_;
};

TEST(Tape, OfTenThousandCellsWritesNoFile) {
  const WorkingDirectory directory;
  const OccupancyShape shape{.states = 1000, .actions = 10};
  const CustomUtility utility(WeightedSquares{}, declaration(shape, 1000));
  Rng rng(9);
  for (int trial = 0; trial < 3; ++trial) {
    const Matrix occupancy = as_matrix(uniform_vector(10000, rng), 1000, 10);
    const Vector nature = uniform_vector(1000, rng);
    const UtilityGradient gradient = utility.evaluate(occupancy, nature);
    const Vector scale = nature.array().exp();
    EXPECT_TRUE(gradient.occupancy.isApprox(2 * scale.asDiagonal() * occupancy, 1e-13));
    EXPECT_TRUE(gradient.nature.isApprox(
        (scale.array() * occupancy.rowwise().squaredNorm().array()).matrix(), 1e-13));
  }
  EXPECT_EQ(utility.recordings(), 1);
  EXPECT_TRUE(directory.untouched());
}

// More operations and locations than the buffers of ADOL-C hold by default.
TEST(Tape, OfAMillionOperationsWritesNoFile) {
  const WorkingDirectory directory;
  const auto chain = []<class T>(const OccupancyView<T>& lambda, const NatureView<T>& xi) {
    using std::pow, std::sqrt;
    T x = lambda(0, 0);
    for (int i = 0; i < 200000; ++i) x = sqrt(x * x + 1e-7) + xi(0) * 1e-9;
    return pow(x, xi(0));
  };
  const CustomUtility utility(chain, declaration({.states = 1, .actions = 1}, 1));
  // x^2 grows by 1e-7 a step, up to the small term: x^2 = 1 + 0.02.
  const UtilityGradient gradient = utility.evaluate(Matrix{{1}}, Vector{{2}});
  EXPECT_NEAR(gradient.value, 1.02, 1e-3);
  EXPECT_TRUE(std::isfinite(gradient.occupancy(0, 0)));
  EXPECT_TRUE(directory.untouched());
}

TEST(Tape, TooLongForATapeIsRejected) {
  const auto endless = []<class T>(const OccupancyView<T>& lambda, const NatureView<T>&) {
    T x = lambda(0, 0);
    for (int i = 0; i < (1 << 22); ++i) x = pow(1.0, x);
    return x;
  };
  const CustomUtility utility(endless,
                              declaration({.states = 1, .actions = 1}, 0, NatureShape::kNone));
  EXPECT_THAT([&] { utility.evaluate(Matrix{{1}}, Vector()); },
              ThrowsMessage<InvalidInput>(HasSubstr("tape entries, must be at most 268435456")));
}

// The first run only counts; here the second one, which records, throws.
TEST(Tape, AThrowWhileRecordingLeavesItUsable) {
  auto runs = std::make_shared<int>(0);
  const auto once = [runs]<class T>(const OccupancyView<T>& lambda, const NatureView<T>&) {
    T x = lambda(0, 0) * 2;
    if (++*runs == 2) throw std::runtime_error("second run");
    return x;
  };
  const CustomUtility utility(once,
                              declaration({.states = 1, .actions = 1}, 0, NatureShape::kNone));
  EXPECT_THROW(utility.evaluate(Matrix{{4}}, Vector()), std::runtime_error);
  EXPECT_EQ(utility.evaluate(Matrix{{4}}, Vector()).value, 8);
  EXPECT_EQ(utility.recordings(), 1);
}

// ADOL-C's store of variables is large after a large utility, and every sweep over a small one
// recorded then would copy it: the tape of the small one must not have it.
TEST(Tape, ASmallOneIsNotSlowedDownByALargeOne) {
  const OccupancyShape shape{.states = 100000, .actions = 1};
  const CustomUtility large(WeightedSquares{}, declaration(shape, 100000));
  const Matrix ones = Matrix::Ones(100000, 1);
  EXPECT_DOUBLE_EQ(large.evaluate(ones, Vector::Zero(100000)).value, 100000);
  const CustomUtility small(WeightedSquares{}, declaration({.states = 2, .actions = 1}, 2));
  EXPECT_EQ(small.evaluate(Matrix{{1}, {2}}, Vector{{0, 0}}).value, 5);

  std::vector<short> tags;
  cachedTraceTags(tags);
  std::vector<std::size_t> stores;
  for (const short tag : tags) {
    std::array<std::size_t, STAT_SIZE> used{};
    tapestats(tag, used.data());
    if (used[NUM_INDEPENDENTS] == 4) stores.push_back(used[NUM_MAX_LIVES]);
  }
  EXPECT_THAT(stores, testing::Each(testing::Le(4096u)));
  EXPECT_THAT(stores, testing::Not(testing::IsEmpty()));
  // What was recorded earlier still plays.
  EXPECT_DOUBLE_EQ(large.evaluate(2 * ones, Vector::Zero(100000)).value, 400000);
  EXPECT_EQ(large.recordings(), 1);
}

// Code outside the library that uses ADOL-C makes its store of variables large, unknown to us.
// While those variables live ADOL-C records them too.
TEST(Tape, LeavesNoFileWhereOtherCodeUsesAdolc) {
  const WorkingDirectory directory;
  const auto evaluate = [] {
    const CustomUtility utility(WeightedSquares{}, declaration({.states = 2, .actions = 1}, 2));
    return utility.evaluate(Matrix{{1}, {2}}, Vector{{0, 0}}).value;
  };
  { const std::vector<adouble> foreign(100000, adouble(1.0)); }
  EXPECT_EQ(evaluate(), 5);
  EXPECT_TRUE(directory.untouched());
  const std::vector<adouble> foreign(1000000, adouble(1.0));
  EXPECT_EQ(evaluate(), 5);
  EXPECT_TRUE(directory.empty());
}

}  // namespace
}  // namespace rgu
