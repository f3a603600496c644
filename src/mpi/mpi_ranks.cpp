#include "rgu/mpi/mpi_ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <thread>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNumbers = 1;  // tags
constexpr int kLetters = 2;
constexpr std::size_t kMost = std::size_t{1} << 30;  // entries of one message: counts are int
// A wait spins for so long, then looks now and then: idle ranks leave the cores to others.
constexpr auto kSpin = std::chrono::microseconds(500);
constexpr auto kPause = std::chrono::microseconds(50);
// After the signal to end: the launcher kills a second after it.
constexpr auto kGrace = std::chrono::milliseconds(500);

void done(MPI_Request& request, const std::atomic<bool>* stop) {
  const Clock::time_point begin = Clock::now();
  Clock::time_point told = Clock::time_point::max();
  int finished = 0;
  while (true) {
    MPI_Test(&request, &finished, MPI_STATUS_IGNORE);
    if (finished != 0) return;
    const Clock::time_point now = Clock::now();
    if (stop != nullptr && stop->load()) {
      told = std::min(told, now);
      if (now - told > kGrace) {
        throw RankLost(
            "another process of this job has ended, or the job was told to stop while this process "
            "waited for another one");
      }
    }
    if (now - begin > kSpin) std::this_thread::sleep_for(kPause);
  }
}

template <class T>
MPI_Datatype type_of() {
  if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
  return MPI_BYTE;
}

// task(begin, count) over stretches that one message can hold.
template <class Task>
void in_stretches(std::size_t size, const Task& task) {
  for (std::size_t begin = 0; begin < size; begin += kMost) {
    task(begin, static_cast<int>(std::min(kMost, size - begin)));
  }
}

}  // namespace

MpiRanks::MpiRanks(const std::atomic<bool>* stop)
    : stop_(stop), exceptions_(std::uncaught_exceptions()) {
  int given = 0;
  int ready = 0;
  MPI_Initialized(&ready);
  if (ready == 0) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
  MPI_Comm_size(local, &neighbours_);
  MPI_Comm_free(&local);
}

MpiRanks::~MpiRanks() {
  if (std::uncaught_exceptions() > exceptions_ && size_ > 1) end_job(1);
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended == 0) MPI_Finalize();
}

void MpiRanks::end_job(int code) {
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

void MpiRanks::broadcast(std::span<std::byte> bytes) {
  if (size_ == 1) return;
  in_stretches(bytes.size(), [&](std::size_t begin, int count) {
    MPI_Request request;
    MPI_Ibcast(bytes.data() + begin, count, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    done(request, stop_);
  });
}

// Added up on rank 0 and told to all: so that all have the same bits.
template <class T>
void MpiRanks::sum_of(std::span<T> values) {
  if (size_ == 1) return;
  in_stretches(values.size(), [&](std::size_t begin, int count) {
    T* at = values.data() + begin;
    MPI_Request request;
    MPI_Ireduce(rank_ == 0 ? MPI_IN_PLACE : at, at, count, type_of<T>(), MPI_SUM, 0, MPI_COMM_WORLD,
                &request);
    done(request, stop_);
    MPI_Ibcast(at, count, type_of<T>(), 0, MPI_COMM_WORLD, &request);
    done(request, stop_);
  });
}

void MpiRanks::sum(std::span<double> values) { sum_of(values); }
void MpiRanks::sum(std::span<float> values) { sum_of(values); }

std::vector<std::string> MpiRanks::gather(std::string_view own) {
  const auto ranks = static_cast<std::size_t>(size_);
  check(own.size() < kMost, "a message of {} bytes, must be below {}", own.size(), kMost);
  const int size = static_cast<int>(own.size());
  std::vector<int> sizes(ranks);
  MPI_Request request;
  MPI_Iallgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
  done(request, stop_);
  std::vector<int> begins(ranks, 0);
  std::size_t total = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    begins[r] = static_cast<int>(total);
    total += static_cast<std::size_t>(sizes[r]);
    check(total < kMost, "messages of together {} bytes, must be below {}", total, kMost);
  }
  std::string all(total, '\0');
  MPI_Iallgatherv(own.data(), size, MPI_BYTE, all.data(), sizes.data(), begins.data(), MPI_BYTE,
                  MPI_COMM_WORLD, &request);
  done(request, stop_);
  std::vector<std::string> parts;
  for (std::size_t r = 0; r < ranks; ++r) {
    parts.push_back(
        all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(sizes[r])));
  }
  return parts;
}

void MpiRanks::send(std::span<const double> values, int to) {
  in_stretches(values.size(), [&](std::size_t begin, int count) {
    MPI_Request request;
    MPI_Isend(values.data() + begin, count, MPI_DOUBLE, to, kNumbers, MPI_COMM_WORLD, &request);
    done(request, stop_);
  });
}

void MpiRanks::receive(std::span<double> values, int from) {
  in_stretches(values.size(), [&](std::size_t begin, int count) {
    MPI_Request request;
    MPI_Irecv(values.data() + begin, count, MPI_DOUBLE, from, kNumbers, MPI_COMM_WORLD, &request);
    done(request, stop_);
  });
}

void MpiRanks::post(const Letter& letter, int to) {
  check(letter.text.size() < kMost, "a message of {} bytes, must be below {}", letter.text.size(),
        kMost);
  MPI_Request request;
  MPI_Isend(letter.text.data(), static_cast<int>(letter.text.size()), MPI_BYTE, to, kLetters,
            MPI_COMM_WORLD, &request);
  done(request, stop_);
}

std::optional<Letter> MpiRanks::mail() {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, kLetters, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return {};
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  Letter letter{.from = status.MPI_SOURCE,
                .text = std::string(static_cast<std::size_t>(size), '\0')};
  MPI_Request request;
  MPI_Irecv(letter.text.data(), size, MPI_BYTE, status.MPI_SOURCE, kLetters, MPI_COMM_WORLD,
            &request);
  done(request, stop_);
  return letter;
}

}  // namespace rgu
