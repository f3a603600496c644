#include "rgu/llm/torch/cpu_attention.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <cblas.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

namespace rgu::llm {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The products of one head are too small to be divided: a BLAS with threads of its own works on one
// thread, while the heads are divided among LibTorch's.
class SerialBlas {
 public:
  SerialBlas() : before_(openblas_get_num_threads()) { openblas_set_num_threads(1); }
  ~SerialBlas() { openblas_set_num_threads(before_); }
  SerialBlas(const SerialBlas&) = delete;
  SerialBlas& operator=(const SerialBlas&) = delete;

 private:
  int before_;
};

// A (T, head size) matrix for each sequence and head, wherever it lies.
struct HeadMatrices {
  float* data = nullptr;
  std::int64_t sequence_stride = 0;
  std::int64_t head_stride = 0;
  std::int64_t row_stride = 0;

  float* at(std::int64_t sequence, std::int64_t head) const {
    return data + sequence * sequence_stride + head * head_stride;
  }
};

// In a matrix (B T, width), heads side by side: `stride` from head to head, the first at `offset`.
HeadMatrices columns(const at::Tensor& matrix, std::int64_t tokens, std::int64_t stride,
                     std::int64_t offset) {
  return {.data = matrix.data_ptr<float>() + offset,
          .sequence_stride = tokens * matrix.size(1),
          .head_stride = stride,
          .row_stride = matrix.size(1)};
}

// A tensor (B, heads, T, columns).
HeadMatrices blocks(const at::Tensor& tensor) {
  return {.data = tensor.data_ptr<float>(),
          .sequence_stride = tensor.stride(0),
          .head_stride = tensor.stride(1),
          .row_stride = tensor.stride(2)};
}

struct Projections {
  HeadMatrices queries;
  HeadMatrices keys;
  HeadMatrices values;

  Projections(const variable_list& matrices, const AttentionShape& shape) {
    const std::int64_t size = shape.head_size;
    if (matrices.size() == 1) {
      queries = columns(matrices[0], shape.tokens, 3 * size, 0);
      keys = columns(matrices[0], shape.tokens, 3 * size, size);
      values = columns(matrices[0], shape.tokens, 3 * size, 2 * size);
    } else {
      queries = columns(matrices[0], shape.tokens, size, 0);
      keys = columns(matrices[1], shape.tokens, size, 0);
      values = columns(matrices[2], shape.tokens, size, 0);
    }
  }
};

enum class Turn { kForward = 1, kBack = -1 };

struct Rows {
  float* data;
  std::int64_t stride;
};

// `to` = `from`, its planes turned by the angles of the sequence's positions, or back. May be the
// same rows.
void turn(Rows from, Rows to, const AttentionShape& shape, const Rotation& rotation,
          std::int64_t sequence, Turn direction) {
  const std::int64_t half = rotation.cos.size(2);
  const std::int64_t first = rotation.cos.size(0) == 1 ? 0 : sequence * shape.tokens * half;
  const float* cosines = rotation.cos.data_ptr<float>() + first;
  const float* sines = rotation.sin.data_ptr<float>() + first;
  const auto sign = static_cast<float>(direction);
  for (std::int64_t t = 0; t < shape.tokens; ++t) {
    const float* x = from.data + t * from.stride;
    float* y = to.data + t * to.stride;
    for (std::int64_t i = 0; i < half; ++i) {
      const float cosine = cosines[t * half + i], sine = sign * sines[t * half + i];
      const float first_part = x[i], second_part = x[half + i];
      y[i] = first_part * cosine - second_part * sine;
      y[half + i] = second_part * cosine + first_part * sine;
    }
    if (x != y) std::copy(x + 2 * half, x + shape.head_size, y + 2 * half);
  }
}

// C = alpha op(A) op(B) + beta C, with C (m, n) and inner size k.
struct Product {
  CBLAS_TRANSPOSE transpose_a = CblasNoTrans;
  CBLAS_TRANSPOSE transpose_b = CblasNoTrans;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  float alpha = 1;
  float beta = 0;
};
void multiply(const Product& p, Rows a, Rows b, Rows c) {
  const auto number = [](std::int64_t value) { return static_cast<blasint>(value); };
  cblas_sgemm(CblasRowMajor, p.transpose_a, p.transpose_b, number(p.m), number(p.n), number(p.k),
              p.alpha, a.data, number(a.stride), b.data, number(b.stride), p.beta, c.data,
              number(c.stride));
}

Rows rows_of(const HeadMatrices& matrices, std::int64_t sequence, std::int64_t head) {
  return {.data = matrices.at(sequence, head), .stride = matrices.row_stride};
}

// work(sequence, group, head) for all heads; heads of one group one after the other, on one thread.
template <class Work>
void for_each_head(const AttentionShape& shape, const Work& work) {
  const SerialBlas serial;
  const std::int64_t groups = shape.key_value_heads, sharing = shape.heads / groups;
  at::parallel_for(0, shape.batch * groups, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = 0; j < sharing; ++j) {
        work(i / groups, i % groups, (i % groups) * sharing + j);
      }
    }
  });
}

float score_scale(const AttentionShape& shape) {
  return 1 / std::sqrt(static_cast<float>(shape.head_size));
}

AttentionShape saved_shape(const AutogradContext& context) {
  const std::vector<std::int64_t> numbers = context.saved_data.at("shape").toIntVector();
  return {.batch = numbers[0],
          .tokens = numbers[1],
          .heads = numbers[2],
          .key_value_heads = numbers[3],
          .head_size = numbers[4]};
}

struct CpuAttention : torch::autograd::Function<CpuAttention> {
  // O = P V with P = softmax(S), S = scale Q K^T + bias, for each head; Q and K turned.
  static at::Tensor forward(AutogradContext* context, at::TensorList projections,
                            const AttentionShape& shape, const Rotation& rotation,
                            const at::Tensor& bias) {
    const variable_list matrices = projections.vec();
    const Projections from(matrices, shape);
    const auto options = matrices[0].options().requires_grad(false);
    const std::int64_t tokens = shape.tokens, size = shape.head_size;
    const at::Tensor queries = at::empty({shape.batch, shape.heads, tokens, size}, options);
    const at::Tensor keys = at::empty({shape.batch, shape.key_value_heads, tokens, size}, options);
    const at::Tensor scores = at::empty({shape.batch, shape.heads, tokens, tokens}, options);
    scores.copy_(bias.unsqueeze(1).expand_as(scores));
    for_each_head(shape, [&](std::int64_t b, std::int64_t group, std::int64_t head) {
      const Rows q = rows_of(blocks(queries), b, head), k = rows_of(blocks(keys), b, group);
      if (head % (shape.heads / shape.key_value_heads) == 0) {
        turn(rows_of(from.keys, b, group), k, shape, rotation, b, Turn::kForward);
      }
      turn(rows_of(from.queries, b, head), q, shape, rotation, b, Turn::kForward);
      multiply({.transpose_b = CblasTrans,
                .m = tokens,
                .n = tokens,
                .k = size,
                .alpha = score_scale(shape),
                .beta = 1},
               q, k, rows_of(blocks(scores), b, head));
    });
    const at::Tensor weights = at::_softmax(scores, -1, false);
    const at::Tensor output = at::empty({shape.batch * tokens, shape.heads * size}, options);
    const HeadMatrices outputs = columns(output, tokens, size, 0);
    for_each_head(shape, [&](std::int64_t b, std::int64_t group, std::int64_t head) {
      multiply({.m = tokens, .n = size, .k = tokens}, rows_of(blocks(weights), b, head),
               rows_of(from.values, b, group), rows_of(outputs, b, head));
    });
    context->save_for_backward(
        {queries, keys, weights, matrices.back(), rotation.cos, rotation.sin});
    context->saved_data["shape"] = std::vector<std::int64_t>{
        shape.batch, shape.tokens, shape.heads, shape.key_value_heads, shape.head_size};
    context->saved_data["projections"] = static_cast<std::int64_t>(matrices.size());
    return output;
  }

  // dV = P^T dO, dP = dO V^T, dS = P (dP - sum P dP), dQ = scale dS K, dK = scale dS^T Q, turned
  // back.
  static variable_list backward(AutogradContext* context, variable_list output_gradients) {
    const AttentionShape shape = saved_shape(*context);
    const variable_list saved = context->get_saved_variables();
    const at::Tensor queries = saved[0], keys = saved[1], weights = saved[2];
    const Rotation rotation = {.cos = saved[4], .sin = saved[5]};
    const bool joined = context->saved_data.at("projections").toInt() == 1;
    const std::int64_t tokens = shape.tokens, size = shape.head_size;
    const at::Tensor output_gradient = output_gradients[0].contiguous();

    const auto width = [&](std::int64_t heads) {
      return at::empty({shape.batch * tokens, heads * size}, output_gradient.options());
    };
    variable_list gradients;
    if (joined) {
      gradients = {width(3 * shape.heads)};
    } else {
      gradients = {width(shape.heads), width(shape.key_value_heads), width(shape.key_value_heads)};
    }
    const Projections to(gradients, shape);
    // Only the last of the saved projections is there: where the values are, in both layouts.
    const Projections from(
        joined ? variable_list{saved[3]} : variable_list{saved[3], saved[3], saved[3]}, shape);
    const HeadMatrices outputs = columns(output_gradient, tokens, size, 0);
    const std::int64_t sharing = shape.heads / shape.key_value_heads;

    const at::Tensor weight_gradient = at::empty_like(weights);
    for_each_head(shape, [&](std::int64_t b, std::int64_t group, std::int64_t head) {
      const Rows o = rows_of(outputs, b, head);
      multiply({.transpose_b = CblasTrans, .m = tokens, .n = tokens, .k = size}, o,
               rows_of(from.values, b, group), rows_of(blocks(weight_gradient), b, head));
      multiply({.transpose_a = CblasTrans,
                .m = tokens,
                .n = size,
                .k = tokens,
                .beta = head % sharing == 0 ? 0.0f : 1.0f},
               rows_of(blocks(weights), b, head), o, rows_of(to.values, b, group));
    });
    const at::Tensor score_gradient =
        at::_softmax_backward_data(weight_gradient, weights, -1, at::kFloat);
    for_each_head(shape, [&](std::int64_t b, std::int64_t group, std::int64_t head) {
      const Rows s = rows_of(blocks(score_gradient), b, head);
      const Rows q = rows_of(to.queries, b, head), k = rows_of(to.keys, b, group);
      multiply({.m = tokens, .n = size, .k = tokens, .alpha = score_scale(shape)}, s,
               rows_of(blocks(keys), b, group), q);
      turn(q, q, shape, rotation, b, Turn::kBack);
      multiply({.transpose_a = CblasTrans,
                .m = tokens,
                .n = size,
                .k = tokens,
                .alpha = score_scale(shape),
                .beta = head % sharing == 0 ? 0.0f : 1.0f},
               s, rows_of(blocks(queries), b, head), k);
      if (head % sharing == sharing - 1) turn(k, k, shape, rotation, b, Turn::kBack);
    });
    gradients.resize(gradients.size() + 3);  // none for the shape, the rotation and the bias
    return gradients;
  }
};

}  // namespace

bool fits_cpu_attention(const std::vector<at::Tensor>& projections) {
  return std::all_of(projections.begin(), projections.end(), [](const at::Tensor& matrix) {
    return matrix.is_cpu() && matrix.scalar_type() == at::kFloat && matrix.is_contiguous();
  });
}

at::Tensor attended_projections(const std::vector<at::Tensor>& projections,
                                const AttentionShape& shape, const Rotation& rotation,
                                const at::Tensor& bias) {
  return CpuAttention::apply(at::TensorList(projections), shape, rotation, bias);
}

}  // namespace rgu::llm
