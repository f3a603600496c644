// The envelope minimised over mixtures of a few occupancies: for models of any size.
#pragma once

#include <vector>

#include "rgu/global/envelope_search.hpp"

namespace rgu {

// Lambda is replaced by the hull of some of its members (columns), Gamma by the largest of some of
// its cuts. What is left is a matrix game, a linear program of a few dozen rows and columns. Its
// mixture of columns gives a trial, whose cut is added; its mixture of cuts is a minorant of Gamma
// on all of Lambda: planning against it proves a lower bound and gives a new column
// [DantzigWolfe1960, Kelley1960]. For envelopes with a few kinks, such as those of constraints.
// Memory: kMembers columns and cuts of S A numbers each.
class ColumnsAndCuts final : public EnvelopeMethod {
 public:
  bool advance(EnvelopeSearch& search) override;

  static constexpr std::size_t kMembers = 48;

 private:
  struct Mixture {
    Vector columns;  // weights, >= 0, sum 1
    Vector cuts;
  };
  Mixture game() const;
  void add_column(const EnvelopeModel& model, Matrix occupancy);
  void add_cut(const EnvelopeModel& model, Cut cut);
  void forget(const Mixture& mixture);

  std::vector<Matrix> columns_;
  std::vector<Cut> cuts_;
  std::vector<Vector> values_ = {};  // of each cut at each column
  Patience patience_{10};
};

}  // namespace rgu
