#include "rgu/llm/decode/forward.hpp"

#include <algorithm>

namespace rgu::llm::decode {
namespace {

using ActivationKernel = void (*)(float* x, Size size);

ActivationKernel activation_of(const ModelConfig& config, const Kernels& kernels) {
  switch (config.activation) {
    case Activation::kGelu:
      return kernels.gelu;
    case Activation::kGeluTanh:
      return kernels.gelu_tanh;
    case Activation::kSilu:
      return kernels.silu;
  }
  return kernels.gelu;
}

// The panels of a product, and where there are more threads than panels the rows too, in pieces.
struct Pieces {
  Size panels = 0;  // or pairs of panels
  Size parts = 1;   // of the rows
  Size rows = 0;

  Pieces(const Team& team, Size panel_count, Size row_count)
      : panels(panel_count), rows(row_count) {
    constexpr Size kLeastRows = 8;
    parts = std::clamp<Size>(team.size / std::max<Size>(panels, 1), 1, 1 + rows / kLeastRows);
  }
  Size count() const { return panels * parts; }
};

// Panels `panels` of the rows `rows`.
struct Piece {
  Range panels = {};
  Range rows = {};
};

// Calls work(piece) for this thread's pieces, neighbouring panels of the same rows together.
template <class Work>
void for_pieces(const Team& team, const Pieces& pieces, const Work& work) {
  Range mine = team.share(pieces.count());
  while (mine.begin < mine.end) {
    const Size part = mine.begin / pieces.panels;
    const Size first = mine.begin % pieces.panels;
    const Size last = std::min(pieces.panels, first + (mine.end - mine.begin));
    work(Piece{
        .panels = {first, last},
        .rows = {pieces.rows * part / pieces.parts, pieces.rows * (part + 1) / pieces.parts}});
    mine.begin += last - first;
  }
}

class LayerPass {
 public:
  LayerPass(const Team& team, const PackedModel& model, const Kernels& kernels, const Pass& pass,
            Workspace& work)
      : team_(team), model_(model), kernels_(kernels), pass_(pass), work_(work) {}

  void norm(Size row, float* to) const {
    const auto epsilon = static_cast<float>(model_.config.norm_epsilon);
    const auto kernel = model_.gated() ? kernels_.rms_norm : kernels_.layer_norm;
    kernel(work_.stream.row(row), model_.hidden(), epsilon, to);
  }

  void norm_rows() const {
    const Range rows = team_.share(pass_.rows);
    for (Size row = rows.begin; row < rows.end; ++row) norm(row, work_.normed.row(row));
    team_.barrier();
  }

  void parallel_layer(Size number, const PackedLayer& layer) const {
    norm_rows();
    const Size first = layer.attention_in.panels();
    const Pieces pieces(team_, first + layer.mlp_in.panels(), pass_.rows);
    for_pieces(team_, pieces, [&](const Piece& piece) {
      const auto [begin, end] = piece.panels;
      if (begin < first)
        attention_in(layer, {.panels = {begin, std::min(end, first)}, .rows = piece.rows});
      if (end > first)
        mlp_in(layer,
               {.panels = {std::max(begin, first) - first, end - first}, .rows = piece.rows});
    });
    team_.barrier();
    attend(number);
    add_product(layer.mlp_out, 0);
  }

  void sequential_layer(Size number, const PackedLayer& layer) const {
    norm_rows();
    for_pieces(team_, {team_, layer.attention_in.panels(), pass_.rows},
               [&](const Piece& piece) { attention_in(layer, piece); });
    team_.barrier();
    attend(number);
    add_product(layer.attention_out, 0);
    norm_rows();
    const Size panels = layer.mlp_in.panels() / (model_.gated() ? 2 : 1);
    for_pieces(team_, {team_, panels, pass_.rows}, [&](const Piece& piece) {
      model_.gated() ? gated_mlp_in(layer, piece) : mlp_in(layer, piece);
    });
    team_.barrier();
    add_product(layer.mlp_out, model_.hidden());
  }

 private:
  Product product_of(const PackedMatrix& matrix, const Piece& piece, const Rows& x,
                     Size column) const {
    return {.x = x.row(piece.rows.begin) + column,
            .x_stride = x.stride(),
            .rows = piece.rows.end - piece.rows.begin,
            .weights = matrix.panel(piece.panels.begin),
            .depth = matrix.depth(),
            .panels = piece.panels.end - piece.panels.begin,
            .bias = matrix.bias(piece.panels.begin),
            .y = nullptr,
            .y_stride = 0,
            .add = false};
  }

  void attention_in(const PackedLayer& layer, const Piece& piece) const {
    Product product = product_of(layer.attention_in, piece, work_.normed, 0);
    product.y = work_.attention.row(piece.rows.begin) + piece.panels.begin * kPanel;
    product.y_stride = work_.attention.stride();
    kernels_.product(product);
  }

  void mlp_in(const PackedLayer& layer, const Piece& piece) const {
    Product product = product_of(layer.mlp_in, piece, work_.normed, 0);
    product.y = work_.mixed.row(piece.rows.begin) + model_.hidden() + piece.panels.begin * kPanel;
    product.y_stride = work_.mixed.stride();
    kernels_.product(product);
    const auto activate = activation_of(model_.config, kernels_);
    for (Size row = 0; row < product.rows; ++row) {
      activate(product.y + row * product.y_stride, product.panels * kPanel);
    }
  }

  // A panel here is a pair of panels of the matrix.
  void gated_mlp_in(const PackedLayer& layer, const Piece& piece) const {
    const Piece pairs{.panels = {2 * piece.panels.begin, 2 * piece.panels.end}, .rows = piece.rows};
    Product product = product_of(layer.mlp_in, pairs, work_.normed, 0);
    product.y = work_.gates.row(piece.rows.begin) + pairs.panels.begin * kPanel;
    product.y_stride = work_.gates.stride();
    kernels_.product(product);
    const auto activate = activation_of(model_.config, kernels_);
    for (Size row = piece.rows.begin; row < piece.rows.end; ++row) {
      for (Size panel = piece.panels.begin; panel < piece.panels.end; ++panel) {
        float* gate = work_.gates.row(row) + 2 * panel * kPanel;
        activate(gate, kPanel);
        kernels_.multiply(gate, gate + kPanel, kPanel);
        std::copy_n(gate, kPanel, work_.mixed.row(row) + model_.hidden() + panel * kPanel);
      }
    }
  }

  void attend(Size layer) const {
    const Size heads = model_.key_value_heads();
    const AttentionRows rows{.from = &work_.attention, .to = &work_.mixed, .angles = &work_.angles};
    const Range items = team_.share(static_cast<Size>(pass_.runs.size()) * heads);
    AttentionScratch& scratch = work_.scratch[static_cast<std::size_t>(team_.rank)];
    for (Size item = items.begin; item < items.end; ++item) {
      const Run& run = pass_.runs[static_cast<std::size_t>(item / heads)];
      attend_run(model_, kernels_, layer, item % heads, run, rows, scratch);
    }
    team_.barrier();
  }

  // x += matrix (columns of `mixed` from `column` on) + bias.
  void add_product(const PackedMatrix& matrix, Size column) const {
    for_pieces(team_, {team_, matrix.panels(), pass_.rows}, [&](const Piece& piece) {
      Product product = product_of(matrix, piece, work_.mixed, column);
      product.y = work_.stream.row(piece.rows.begin) + piece.panels.begin * kPanel;
      product.y_stride = work_.stream.stride();
      product.add = true;
      kernels_.product(product);
    });
    team_.barrier();
  }

  const Team& team_;
  const PackedModel& model_;
  const Kernels& kernels_;
  const Pass& pass_;
  Workspace& work_;
};

}  // namespace

Workspace::Workspace(const PackedModel& model, int threads, Size rows, Size positions)
    : stream(rows, model.hidden()),
      normed(rows, model.hidden()),
      attention(rows, (model.heads() + 2 * model.key_value_heads()) * model.head_size()),
      gates(model.gated() ? rows : 0, 2 * rounded_up(model.intermediate(), kPanel)),
      mixed(rows, model.hidden() + rounded_up(model.intermediate(), kPanel)),
      outputs(rows, model.hidden()),
      angles(model.config, rows) {
  for (int i = 0; i < threads; ++i) scratch.emplace_back(model, positions);
}

void forward(const Team& team, const PackedModel& model, const Kernels& kernels, const Pass& pass,
             Workspace& work) {
  const LayerPass layers(team, model, kernels, pass, work);
  const Range runs = team.share(static_cast<Size>(pass.runs.size()));
  for (Size i = runs.begin; i < runs.end; ++i) {
    const Run& run = pass.runs[static_cast<std::size_t>(i)];
    for (Size j = 0; j < run.rows; ++j) {
      work.angles.turn_to(run.first_row + j, run.first_position + j);
    }
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto number = static_cast<Size>(i);
    model.parallel() ? layers.parallel_layer(number, model.layers[i])
                     : layers.sequential_layer(number, model.layers[i]);
  }
  const Range outputs = team.share(static_cast<Size>(pass.outputs.size()));
  for (Size i = outputs.begin; i < outputs.end; ++i) {
    const OutputRow& output = pass.outputs[static_cast<std::size_t>(i)];
    layers.norm(output.row, work.outputs.row(output.place));
  }
}

}  // namespace rgu::llm::decode
