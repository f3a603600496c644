// One pass of rows of tokens through the layers of a model.
#pragma once

#include <span>
#include <vector>

#include "rgu/llm/decode/attention.hpp"
#include "rgu/llm/decode/team.hpp"

namespace rgu::llm::decode {

inline constexpr Size kMaxRows = 256;  // of one pass; more rows take several

// What the passes of one call write, for at most `rows` rows and sequences of `positions` tokens.
struct Workspace {
  Rows stream = {};     // x, the residual stream
  Rows normed = {};     // x normed, without gain
  Rows attention = {};  // queries, keys, values
  Rows gates = {};      // of a gated MLP: a panel of gates, a panel of values, ...
  Rows mixed = {};      // what attention gives, then what the MLP's activation gives
  Rows outputs = {};    // the last norm of the rows whose logits are wanted
  Angles angles = {};
  std::vector<AttentionScratch> scratch = {};  // by thread

  Workspace(const PackedModel& model, int threads, Size rows, Size positions);
};

// A row whose output is wanted, and where in Workspace::outputs it goes.
struct OutputRow {
  Size row = 0;
  Size place = 0;
};

// The rows of a pass: all runs together, in the order of their rows.
struct Pass {
  std::span<const Run> runs = {};
  Size rows = 0;
  std::span<const OutputRow> outputs = {};
};

// From the embeddings in work.stream to work.outputs. Called by every thread of a team; whoever
// reads the outputs waits at a barrier first.
void forward(const Team& team, const PackedModel& model, const Kernels& kernels, const Pass& pass,
             Workspace& work);

}  // namespace rgu::llm::decode
