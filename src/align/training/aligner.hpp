// The policy's side of alignment by PGDA: samples answers, lets them be scored, and takes its step
// by PPO.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rgu/align/metrics.hpp"
#include "rgu/align/record.hpp"
#include "rgu/align/score_shaping.hpp"
#include "rgu/align/training/setup.hpp"
#include "rgu/align/training/together.hpp"
#include "rgu/llm/files/tensor.hpp"
#include "rgu/solver/pgda.hpp"

namespace rgu::align {

// How the time of one outer step was spent.
struct StepTiming {
  double sampling = 0;  // seconds
  double scoring = 0;
  double update = 0;
};

struct AlignerHooks {
  std::function<void(std::string_view)> phase = {};  // told what is begun: "sampling", ..
  const std::atomic<bool>* interrupt = nullptr;
  Ranks* ranks = &alone();  // must outlive it
};

// On several ranks each samples and scores a share of the answers, which all then have, and reads a
// share of the passes of an update. All make the same calls in the same order; setup and seed are
// the same everywhere. But for rounding, and for dropout, it is what one rank does.
class Aligner final : public PolicyPlayer {
 public:
  // The setup must outlive it.
  Aligner(const Setup& setup, std::uint64_t seed, AlignerHooks hooks = {});
  ~Aligner() override;

  const Objective& objective() const;

  Index draw(Index iteration) override;
  SaddleGradient nature_gradient(const Vector& nature) const override;
  double descend(const Vector& nature) override;

  // Of the last step.
  StepNumbers numbers() const;
  StepTiming timing() const;
  std::vector<LoggedAnswer> logged_answers() const;
  std::vector<std::string> alarms() const;  // of the last step: KL far below zero
  std::vector<std::string> take_notes();    // of the scorers of all ranks, since the last call

  // Answers of the present policy to the prompts that are shown.
  struct ShownAnswer {
    std::string prompt = {};
    JudgedAnswer answer = {};
  };
  std::vector<ShownAnswer> shown_answers();

  // All that training has changed. A new aligner of the same setup and seed that restores it goes
  // on to the last bit (same machine and threads).
  struct State {
    std::int64_t updates = 0;
    double kl_coefficient = 0;
    RunningMoments moments = {};
    Index answers = 0;  // drawn so far
    llm::Weights tensors = {};
  };
  State state() const;
  void restore(const State& state);
  void share();  // all ranks get the state of rank 0

  void save_adapter(const std::filesystem::path& folder) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rgu::align
