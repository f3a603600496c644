// The processes of one job that runs on several machines, as far as the library knows of them. The
// only implementation with more than one process is mpi/mpi_ranks.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rgu {

// Another process of the job has ended, or the job was told to stop while this one waited for it.
class RankLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A message to one process, from one.
struct Letter {
  int from = 0;
  std::string text = {};
};

// Rank 0 leads. The calls of the first group are made by all ranks, in the same order; they give
// every rank the same bits. Only one thread of a process may use this. Any call may throw RankLost.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;  // 0 .. size() - 1
  virtual int size() const = 0;
  virtual int neighbours() const = 0;  // ranks on this machine, this one included
  bool leads() const { return rank() == 0; }

  virtual void broadcast(std::span<std::byte> bytes) = 0;  // what rank 0 has
  virtual void sum(std::span<double> values) = 0;          // entry by entry
  virtual void sum(std::span<float> values) = 0;
  virtual void largest(std::span<double> values) = 0;                 // entry by entry
  virtual std::vector<std::string> gather(std::string_view own) = 0;  // every rank's, in order

  // One rank sends, another receives as many.
  virtual void send(std::span<const std::byte> bytes, int to) = 0;
  virtual void receive(std::span<std::byte> bytes, int from) = 0;

  // Letters arrive in the order in which one rank posts them to another.
  virtual void post(const Letter& letter, int to) = 0;  // `from` is not looked at
  virtual std::optional<Letter> mail() = 0;             // one that has arrived, if any
  virtual Letter next_letter() = 0;                     // waits for one
};

// A job of one process.
Ranks& alone();

// broadcast() of a plain value, and of a text with its size.
template <class T>
requires std::is_trivially_copyable_v<T>
void broadcast(Ranks& ranks, T& value) {
  ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)));
}
void broadcast(Ranks& ranks, std::string& text);

// The sum, and the largest, of one number.
double sum(Ranks& ranks, double value);
double largest(Ranks& ranks, double value);

}  // namespace rgu
