#include "rgu/llm/files/llama2c.hpp"

#include <array>
#include <cstring>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/mapped_file.hpp"

namespace rgu::llm {
namespace {

constexpr std::size_t kHeaderBytes = 7 * sizeof(std::int32_t);
constexpr std::int32_t kLaterVersions = 0x616b3432;  // "24ka", the first word from version 1 on

ModelConfig config_of(std::span<const std::byte> file, const std::string& where) {
  check(file.size() >= kHeaderBytes, "{}: has {} bytes, a llama2.c model has at least {}", where,
        file.size(), kHeaderBytes);
  std::array<std::int32_t, 7> header{};
  std::memcpy(header.data(), file.data(), kHeaderBytes);
  check(header[0] != kLaterVersions, "{}: is of a later version of llama2.c, must be of the first",
        where);
  const std::int64_t vocabulary = header[5];
  ModelConfig config{.architecture = Architecture::kLlama,
                     .vocabulary = vocabulary < 0 ? -vocabulary : vocabulary,
                     .hidden = header[0],
                     .layers = header[2],
                     .heads = header[3],
                     .key_value_heads = header[4],
                     .intermediate = header[1],
                     .max_positions = header[6],
                     .activation = Activation::kSilu,
                     .rotary_fraction = 1,
                     .rotary_base = 10000,
                     .norm_epsilon = 1e-5,
                     .parallel_residual = false,
                     .tied_embeddings = vocabulary > 0,
                     .initializer_range = 0.02,
                     .bos = 1,
                     .eos = 2};
  check_config(config, where);
  return config;
}

// Hands out one section of the file after the other; what the file is too short for is counted, not
// given.
class Sections {
 public:
  explicit Sections(std::span<const std::byte> file) : file_(file) {}

  TensorView next(TensorShape shape) {
    const auto bytes = static_cast<std::uint64_t>(element_count(shape)) * sizeof(float);
    const bool fits = used_ + bytes <= file_.size();
    TensorView view{.type = DataType::kF32, .shape = std::move(shape), .bytes = {}};
    if (fits) view.bytes = file_.subspan(used_, bytes);
    used_ += bytes;
    return view;
  }
  std::uint64_t used() const { return used_; }

 private:
  std::span<const std::byte> file_;
  std::uint64_t used_ = kHeaderBytes;
};

// The tensors of all layers, (layers, rows, columns) or (layers, columns), under the names of each.
struct Section {
  std::string name;
  TensorView all;
};

std::vector<Section> layer_sections(const ModelConfig& config, Sections& sections) {
  const std::int64_t layers = config.layers;
  const std::int64_t width = config.hidden;
  const std::int64_t shared = config.key_value_heads * config.head_size();
  const std::int64_t inner = config.intermediate;
  // In a list in braces, from left to right.
  return {{"input_layernorm", sections.next({layers, width})},
          {"self_attn.q_proj", sections.next({layers, width, width})},
          {"self_attn.k_proj", sections.next({layers, shared, width})},
          {"self_attn.v_proj", sections.next({layers, shared, width})},
          {"self_attn.o_proj", sections.next({layers, width, width})},
          {"post_attention_layernorm", sections.next({layers, width})},
          {"mlp.gate_proj", sections.next({layers, inner, width})},
          {"mlp.down_proj", sections.next({layers, width, inner})},
          {"mlp.up_proj", sections.next({layers, inner, width})}};
}

TensorView layer_of(const TensorView& all, std::int64_t layer) {
  const std::size_t bytes = all.bytes.size() / static_cast<std::size_t>(all.shape[0]);
  return {.type = all.type,
          .shape = {all.shape.begin() + 1, all.shape.end()},
          .bytes = all.bytes.subspan(static_cast<std::size_t>(layer) * bytes, bytes)};
}

// Rows 2 i + j of a head go to i + j * head_size / 2, for j = 0 and 1.
std::vector<float> half_split(const TensorView& tensor, std::int64_t head_size) {
  const auto columns = static_cast<std::size_t>(tensor.shape[1]);
  const auto rows = static_cast<std::size_t>(tensor.shape[0]);
  const auto size = static_cast<std::size_t>(head_size);
  std::vector<float> values(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t in_head = row % size;
    const std::size_t to = row - in_head + in_head / 2 + (in_head % 2) * (size / 2);
    std::memcpy(values.data() + to * columns, tensor.bytes.data() + row * columns * sizeof(float),
                columns * sizeof(float));
  }
  return values;
}

void put_layers(const ModelConfig& config, const std::vector<Section>& sections, Weights& weights) {
  for (const auto& [name, all] : sections) {
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
      const std::string full = fmt::format("model.layers.{}.{}.weight", layer, name);
      const TensorView tensor = layer_of(all, layer);
      if (name == "self_attn.q_proj" || name == "self_attn.k_proj") {
        weights.put(full, half_split(tensor, config.head_size()), tensor.shape);
      } else {
        weights.tensors[full] = tensor;
      }
    }
  }
}

}  // namespace

ModelFiles read_llama2c(const std::filesystem::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  const std::string where = path.string();
  ModelFiles model{
      .config = config_of(file->bytes(), where), .weights = {}, .folder = path.parent_path()};
  const ModelConfig& config = model.config;
  Sections sections(file->bytes());
  auto& tensors = model.weights.tensors;
  tensors["model.embed_tokens.weight"] = sections.next({config.vocabulary, config.hidden});
  const std::vector<Section> layers = layer_sections(config, sections);
  tensors["model.norm.weight"] = sections.next({config.hidden});
  sections.next(
      {2, config.max_positions, config.head_size() / 2});  // cosines and sines, which are known
  if (!config.tied_embeddings)
    tensors["lm_head.weight"] = sections.next({config.vocabulary, config.hidden});
  check(sections.used() == file->bytes().size(), "{}: has {} bytes, its header asks for {}", where,
        file->bytes().size(), sections.used());
  put_layers(config, layers, model.weights);
  model.weights.owners.push_back(file);
  return model;
}

}  // namespace rgu::llm
