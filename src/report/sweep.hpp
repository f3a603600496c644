// What robustness costs and what it gains, against the radius of the ambiguity set.
#pragma once

#include <string>
#include <vector>

#include "rgu/base/answer_kind.hpp"
#include "rgu/report/figures.hpp"

namespace rgu {

// Costs at one radius: of the robust policy, and of the one trained for the nominal utility.
struct SweepRow {
  double radius = 0;
  double robust_nominal = 0;
  double robust_worst = 0;
  double nominal_nominal = 0;
  double nominal_worst = 0;
  AnswerKind kind = AnswerKind::kExact;  // of the two worst cases, the weaker
};

// Price: by how much the robust policy is costlier at the nominal utility. Gain: by how much it is
// cheaper in the worst case. Rows may come in any order. All throw InvalidInput without rows or
// where a radius is negative or not finite.
std::string html_sweep(const std::string& problem, const std::vector<SweepRow>& rows);
Figure sweep_figure(const std::string& problem, const std::vector<SweepRow>& rows);

}  // namespace rgu
