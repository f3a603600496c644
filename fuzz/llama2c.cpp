// The files of llama2.c: the same bytes as a model and as a tokenizer.
#include "rgu/llm/files/llama2c.hpp"

#include "rgu/llm/text/llama2c_tokenizer.hpp"
#include "support.hpp"
#include "tokenizer_checks.hpp"

using namespace rgu;
using namespace rgu::llm;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto path = fuzz::scratch_file("model.bin", bytes);
  const auto model = fuzz::accepted([&] { return read_llama2c(path); });
  if (model) {
    for (const auto& [name, tensor] : model->weights.tensors) floats_of(tensor);
  }
  const auto tokenizer = fuzz::accepted(
      [&] { return std::make_unique<PieceTokenizer>(llama2c_model(bytes, "input"), "input"); });
  if (tokenizer) fuzz::check_tokenizer(**tokenizer, "one small text\n");
  return 0;
}
