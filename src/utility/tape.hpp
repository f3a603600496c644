// A function recorded by ADOL-C, and its gradient by reverse mode. Part of rgu::autodiff.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>

#include "rgu/base/types.hpp"
#include "rgu/utility/active.hpp"

namespace rgu {

// A program is recorded when first differentiated and played back after that, until a comparison in
// it comes out differently than when it was recorded: then it is recorded again.
//
// ADOL-C works with global state. All of it is behind one mutex here, so tapes may be used from
// several threads, one at a time; a program must not use another tape. Code outside the library
// that also uses ADOL-C must not run at the same time, and must leave the tags kFirstTag ..
// kFirstTag + kLiveTapes - 1 alone.
class Tape {
 public:
  // The value at the inputs, a pure function of them: the same inputs, the same operations.
  using Program = std::function<Active(const Active* inputs)>;

  static constexpr short kFirstTag = 32700;
  // ADOL-C can differentiate at most 32 recordings at a time. Of ours this many are kept, the most
  // recently used; any number of Tapes may exist.
  static constexpr int kLiveTapes = 16;

  Tape(Index inputs, Program program) : inputs_(inputs), program_(std::move(program)) {}
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // The value at `at` (n); the gradient goes to `gradient`, resized to (n). Throws what the program
  // throws, and InvalidInput if the program may leave more than 2^28 entries on its tape.
  double differentiate(const Vector& at, Vector& gradient);

  int recordings() const { return recordings_; }  // how often the program was recorded

 private:
  struct Slots;

  void record(const Vector& at);
  bool trace(const Vector& at, std::size_t spent);
  double run(const Vector& at) const;

  Index inputs_;
  Program program_;
  std::optional<int> slot_;  // which of the live tapes is ours, if one is
  std::atomic<int> recordings_ = 0;
};

}  // namespace rgu
