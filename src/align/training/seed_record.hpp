// What one seed of an alignment run leaves in its folder, and how it goes on from there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rgu/align/training/aligner.hpp"
#include "rgu/record/seed_recorder.hpp"
#include "rgu/solver/state.hpp"
#include "rgu/solver/status.hpp"

namespace rgu::align {

class SeedFiles {
 public:
  SeedFiles(std::filesystem::path folder, bool tensorboard);

  // Where a run of this seed goes on, if there is a checkpoint: the aligner gets its state back.
  std::optional<SolverState> resume(Aligner& aligner);
  // Where it begins: the answers that are shown.
  void begin(const std::vector<Aligner::ShownAnswer>& before);

  void add(const Aligner& aligner, double seconds);
  void checkpoint(const Aligner& aligner, const SolverState& state);
  const std::vector<std::string>& notes() const { return notes_; }
  void note(const std::string& text);  // kept in checkpoints, at most kMostNotes of them

  // The trained policy, the answers before and after, and result.json last.
  struct End {
    Status status = Status::kRunning;
    Index iterations = 0;
    std::vector<Aligner::ShownAnswer> after = {};  // unless it was interrupted
  };
  void finish(const Aligner& aligner, const End& end);

 private:
  static constexpr std::size_t kMostNotes = 20;

  SolverState restore(Aligner& aligner, const std::string& text);
  void remove_old_tensors(const std::string& keep);
  std::string shown_lines(const std::vector<Aligner::ShownAnswer>& after) const;

  std::filesystem::path folder_;
  SeedRecorder recorder_;
  std::vector<std::string> notes_;
  std::string tensors_;  // the file of the last checkpoint
};

// Has the seed come to its end? One that was interrupted, or never began, has not, nor one that did
// fewer than `iterations` because it was asked for fewer.
bool is_finished(const std::filesystem::path& seed_folder, Index iterations);

}  // namespace rgu::align
