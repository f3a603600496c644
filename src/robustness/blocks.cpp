#include "rgu/robustness/blocks.hpp"

#include <algorithm>

#include "rgu/ambiguity/product_set.hpp"

namespace rgu {

namespace {

// The sets to hand out, in order.
std::vector<const ConvexSet*> pieces_of(const ConvexSet& set, Index wanted) {
  const auto* product = dynamic_cast<const ProductSet*>(&set);
  if (wanted == 1 || product == nullptr) return {&set};
  std::vector<const ConvexSet*> pieces;
  for (const auto& part : product->parts()) {
    if (part->dimension() > 0) pieces.push_back(part.get());
  }
  return pieces;
}

}  // namespace

std::optional<std::vector<NatureBlock>> aligned_blocks(const Sum& sum, const ConvexSet& set) {
  const auto has_nature = [](const WeightedUtility& part) {
    return part.utility->nature_dimension() > 0;
  };
  const Index wanted = std::count_if(sum.parts().begin(), sum.parts().end(), has_nature);
  const std::vector<const ConvexSet*> pieces = pieces_of(set, wanted);
  if (wanted > 0 && std::ssize(pieces) != wanted) return std::nullopt;

  std::vector<NatureBlock> blocks;
  Index begin = 0;
  auto piece = pieces.begin();
  for (const WeightedUtility& part : sum.parts()) {
    NatureBlock block{.weight = part.weight, .utility = part.utility.get(), .begin = begin};
    if (has_nature(part)) {
      block.set = *piece++;
      if (block.set->dimension() != part.utility->nature_dimension()) return std::nullopt;
    }
    begin += part.utility->nature_dimension();
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace rgu
