// The matrix product of kernels.hpp, by tiles of rows x columns that stay in registers.
#pragma once

#include "rgu/llm/decode/kernel_lanes.hpp"

// NOLINTBEGIN(misc-definitions-in-headers): every file that includes this has its own
namespace rgu::llm::decode {
namespace {

constexpr Size kDepthBlock = 512;  // of k: a panel's share of it and the rows' stay in the L2 cache

// A tile: a few rows, and a few vectors of columns from one panel or several.
struct Tile {
  const float* x = nullptr;
  Size x_stride = 0;
  const float* weights = nullptr;
  Size panel_stride = 0;
  Size depth = 0;
  const float* bias = nullptr;
  float* y = nullptr;
  Size y_stride = 0;
  bool add = false;
  const float* ahead = nullptr;  // weights needed soon ...
  Size ahead_step = 0;           // ... of which so many floats are asked for with each k
};

constexpr Size kLine = 16;  // floats of a cache line

// Asks for weights that follow those in work, of each panel, or for the weights tile.ahead names.
enum class Fetch { kOwn, kOther };
constexpr Size kFetchDistance = 48;  // in steps of k

template <class Lanes, int kRows, int kVectors, Fetch kFetch>
void tile_product(const Tile& tile) {
  using V = Floats<Lanes>;
  constexpr int kInPanel = kPanel / Lanes::kWidth;
  V sum[kRows][kVectors];
#pragma GCC unroll 16
  for (int j = 0; j < kVectors; ++j) {
    const V start = tile.bias != nullptr ? load<Lanes>(tile.bias + j * Lanes::kWidth) : V{};
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const float* y = tile.y + i * tile.y_stride + j * Lanes::kWidth;
      sum[i][j] = tile.add ? load<Lanes>(y) + start : start;
    }
  }
  for (Size k = 0; k < tile.depth; ++k) {
    if constexpr (kFetch == Fetch::kOwn) {
#pragma GCC unroll 16
      for (int j = 0; j < kVectors * Lanes::kWidth / kLine; ++j) {
        constexpr int kLines = kPanel / kLine;
        __builtin_prefetch(tile.weights + (j / kLines) * tile.panel_stride +
                               (k + kFetchDistance) * kPanel + (j % kLines) * kLine,
                           0, 2);
      }
    } else {
      __builtin_prefetch(tile.ahead + k * tile.ahead_step, 0, 2);
    }
    V weight[kVectors];
#pragma GCC unroll 16
    for (int j = 0; j < kVectors; ++j) {
      weight[j] = load<Lanes>(tile.weights + (j / kInPanel) * tile.panel_stride + k * kPanel +
                              (j % kInPanel) * Lanes::kWidth);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const V x = all<Lanes>(tile.x[i * tile.x_stride + k]);
#pragma GCC unroll 16
      for (int j = 0; j < kVectors; ++j) sum[i][j] = Lanes::fused(x, weight[j], sum[i][j]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < kVectors; ++j) {
      store<Lanes>(tile.y + i * tile.y_stride + j * Lanes::kWidth, sum[i][j]);
    }
  }
}

using TileProduct = void (*)(const Tile& tile);

// By the number of rows, from 1: wide tiles, which with few rows take several panels at once so
// that memory and not the latency of an addition is the limit, and tiles of two vectors for what
// remains.
template <class Lanes>
struct Tiles {
  TileProduct wide[Lanes::kRows + 1] = {};
  int vectors[Lanes::kRows + 1] = {};
  TileProduct narrow[Lanes::kRows + 1] = {};
  TileProduct shared[Lanes::kRows + 1] = {};  // narrow, where other tiles use the same weights
};

template <class Lanes, int kRows = 1>
constexpr void fill(Tiles<Lanes>& tiles) {
  constexpr int kVectors = Lanes::vectors(kRows);
  tiles.wide[kRows] = tile_product<Lanes, kRows, kVectors, Fetch::kOwn>;
  tiles.vectors[kRows] = kVectors;
  tiles.narrow[kRows] = tile_product<Lanes, kRows, 2, Fetch::kOwn>;
  tiles.shared[kRows] = tile_product<Lanes, kRows, 2, Fetch::kOther>;
  if constexpr (kRows < Lanes::kRows) fill<Lanes, kRows + 1>(tiles);
}

template <class Lanes>
constexpr Tiles<Lanes> all_tiles() {
  Tiles<Lanes> tiles;
  fill<Lanes>(tiles);
  return tiles;
}

template <class Lanes>
constexpr Tiles<Lanes> kTiles = all_tiles<Lanes>();

// One block of k of one product.
struct DepthBlock {
  Size first = 0;
  Size size = 0;
};

// Columns from vector `vector` on for rows `first` .. `first + rows - 1`.
template <class Lanes>
RGU_INLINE Tile tile_at(const Product& p, const DepthBlock& block, Size first, Size vector) {
  constexpr Size kInPanel = kPanel / Lanes::kWidth;
  const Size column = vector * Lanes::kWidth;
  const Size panel_stride = p.depth * kPanel;
  Tile tile;
  tile.x = p.x + first * p.x_stride + block.first;
  tile.x_stride = p.x_stride;
  tile.weights = p.weights + vector / kInPanel * panel_stride + block.first * kPanel +
                 vector % kInPanel * Lanes::kWidth;
  tile.panel_stride = panel_stride;
  tile.depth = block.size;
  tile.bias = p.bias != nullptr && block.first == 0 ? p.bias + column : nullptr;
  tile.y = p.y + first * p.y_stride + column;
  tile.y_stride = p.y_stride;
  tile.add = p.add || block.first > 0;
  tile.ahead = tile.weights;
  return tile;
}

// Rows that fit one tile, so each weight is read once: all panels for them.
template <class Lanes>
void few_rows(const Product& p) {
  const Tiles<Lanes>& tiles = kTiles<Lanes>;
  const Size vectors = p.panels * (kPanel / Lanes::kWidth);
  const Size step = tiles.vectors[p.rows];
  const DepthBlock whole = {0, p.depth};
  Size vector = 0;
  for (; vector + step <= vectors; vector += step) {
    tiles.wide[p.rows](tile_at<Lanes>(p, whole, 0, vector));
  }
  for (; vector < vectors; vector += 2) tiles.narrow[p.rows](tile_at<Lanes>(p, whole, 0, vector));
}

// Panel by panel, all rows for each. While one panel is at work the next is fetched.
template <class Lanes>
void many_rows(const Product& p, const DepthBlock& block) {
  constexpr Size kInPanel = kPanel / Lanes::kWidth;
  const Tiles<Lanes>& tiles = kTiles<Lanes>;
  const Size parts = (p.rows + Lanes::kRows - 1) / Lanes::kRows;
  for (Size panel = 0; panel < p.panels; ++panel) {
    // After the last panel comes the next block of k of the first, or, most often, the next
    // product.
    const bool turns = panel + 1 == p.panels && block.first + block.size < p.depth;
    const float* next = turns ? p.weights + (block.first + block.size) * kPanel
                              : p.weights + ((panel + 1) * p.depth + block.first) * kPanel;
    for (Size part = 0; part < parts; ++part) {
      const Size first = p.rows * part / parts;
      const Size rows = p.rows * (part + 1) / parts - first;
      for (Size vector = 0; vector < kInPanel; vector += 2) {
        Tile tile = tile_at<Lanes>(p, block, first, panel * kInPanel + vector);
        const Size tile_number = part * (kInPanel / 2) + vector / 2;
        const Size tile_count = parts * (kInPanel / 2);
        tile.ahead_step = (kPanel + tile_count - 1) / tile_count;
        tile.ahead = next + tile_number * block.size * tile.ahead_step % (block.size * kPanel);
        tiles.shared[rows](tile);
      }
    }
  }
}

template <class Lanes>
void product(const Product& p) {
  if (p.rows <= Lanes::kRows) return few_rows<Lanes>(p);
  for (Size first = 0; first < p.depth; first += kDepthBlock) {
    const Size rest = p.depth - first;
    many_rows<Lanes>(p, {first, rest < kDepthBlock ? rest : kDepthBlock});
  }
}

}  // namespace
}  // namespace rgu::llm::decode
// NOLINTEND(misc-definitions-in-headers)
