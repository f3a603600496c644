#include "rgu/base/thread_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

TEST(ThreadPool, RunsEachPieceExactlyOnce) {
  for (const int threads : {1, 2, 8}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 200; ++round) {
      std::vector<int> hits(37, 0);
      pool.for_each(37, [&](Index i) { ++hits[static_cast<std::size_t>(i)]; });
      EXPECT_THAT(hits, testing::Each(1));
    }
  }
}

TEST(ThreadPool, WakesAfterItSlept) {
  ThreadPool pool(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::atomic<int> sum = 0;
  pool.for_each(10, [&](Index i) { sum += static_cast<int>(i); });
  EXPECT_EQ(sum, 45);
}

TEST(ThreadPool, RethrowsAndStaysUsable) {
  ThreadPool pool(4);
  const auto fails = [](Index i) {
    if (i == 3) throw InvalidInput("piece 3");
  };
  EXPECT_THROW(pool.for_each(100, fails), InvalidInput);
  std::atomic<int> count = 0;
  pool.for_each(100, [&](Index) { ++count; });
  EXPECT_EQ(count, 100);
}

TEST(ThreadPool, NestedLoopsRunInline) {
  ThreadPool pool(2);
  std::atomic<int> count = 0;
  pool.for_each(4, [&](Index) { pool.for_each(5, [&](Index) { ++count; }); });
  EXPECT_EQ(count, 20);
}

TEST(ThreadPool, RefusesZeroThreads) { EXPECT_THROW(ThreadPool(0), InvalidInput); }

}  // namespace
}  // namespace rgu
