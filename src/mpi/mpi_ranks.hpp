// Ranks by MPI.
#pragma once

#include <atomic>
#include <memory>

#include "rgu/base/launch.hpp"
#include "rgu/base/ranks.hpp"

namespace rgu {

// MPI from its start to its end. At most one in a process, made by the main thread, which then is
// the only one to use it.
class MpiRanks final : public Ranks {
 public:
  // `stop`, if given: set once the process was told to end, as the launcher does to all ranks when
  // one of them is gone. Waits for another rank that last longer than a moment then throw RankLost.
  explicit MpiRanks(const std::atomic<bool>* stop = nullptr);
  // Ends MPI; waits for the others. After an exception it ends the whole job instead, since the
  // others may wait for this rank.
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int neighbours() const override { return neighbours_; }
  void broadcast(std::span<std::byte> bytes) override;
  void sum(std::span<double> values) override;
  void sum(std::span<float> values) override;
  std::vector<std::string> gather(std::string_view own) override;
  void send(std::span<const double> values, int to) override;
  void receive(std::span<double> values, int from) override;
  void post(const Letter& letter, int to) override;
  std::optional<Letter> mail() override;

  // Ends all processes of the job with this exit code, at once.
  [[noreturn]] static void end_job(int code);

 private:
  template <class T>
  void sum_of(std::span<T> values);

  const std::atomic<bool>* stop_;
  int rank_ = 0;
  int size_ = 1;
  int neighbours_ = 1;
  int exceptions_;  // in flight when it was made
};

}  // namespace rgu
