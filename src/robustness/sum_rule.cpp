#include <algorithm>

#include "rgu/robustness/blocks.hpp"
#include "rgu/robustness/members.hpp"
#include "rgu/robustness/rules.hpp"

namespace rgu {

namespace {

WorstCase worst_of_block(const WorstCaseProblem& problem, const NatureBlock& block) {
  const Index size = block.utility->nature_dimension();
  if (block.weight == 0) {  // nature gains nothing here: any member will do
    return {.value = 0,
            .nature = centre_of(*block.set),
            .kind = AnswerKind::kExact,
            .gap = 0,
            .method = "a part of weight 0"};
  }
  WorstCaseOptions options = problem.options;
  if (options.hint) options.hint = Vector(problem.options.hint->segment(block.begin, size));
  return worst_case(*block.utility, *block.set, problem.occupancy, options);
}

}  // namespace

// The maximum of a sum over a product is the sum of the maxima.
std::optional<WorstCase> part_by_part(const WorstCaseProblem& problem) {
  const auto* sum = dynamic_cast<const Sum*>(&problem.utility);
  if (sum == nullptr) return std::nullopt;
  const std::optional<std::vector<NatureBlock>> blocks = aligned_blocks(*sum, problem.ambiguity);
  if (!blocks) return std::nullopt;

  WorstCase total;
  total.nature = Vector(sum->nature_dimension());
  total.kind = AnswerKind::kExact;
  total.gap = 0;
  for (const NatureBlock& block : *blocks) {
    if (block.set == nullptr) continue;
    const WorstCase part = worst_of_block(problem, block);
    total.nature.segment(block.begin, part.nature.size()) = part.nature;
    total.kind = std::max(total.kind, part.kind);  // the enumeration goes from strong to weak
    if (part.gap > 0) total.gap += block.weight * part.gap;
    total.method += (total.method.empty() ? "part by part: " : "; ") + part.method;
  }
  total.value = problem.at(total.nature).value;
  return total;
}

}  // namespace rgu
