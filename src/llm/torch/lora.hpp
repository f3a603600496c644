// Low-rank adapters as PEFT has them: y = W x + b + (alpha / rank) B A dropout(x), W and b frozen.
#pragma once

#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/torch/transformer.hpp"

namespace rgu::llm {

// A fresh adapter: A uniform on [-1/sqrt(in), 1/sqrt(in)) (Kaiming with a = sqrt 5), B zero, so
// that at first nothing changes. No target modules in the config: those that are usual for the
// architecture. `modules_to_save` names linear maps ("score_head") that are trained whole, in a
// copy. Throws InvalidInput if the model has an adapter, or where a name fits no module.
void add_adapter(Transformer& model, const AdapterConfig& config, Rng& rng);
// The adapter that a file holds, to be trained on.
void load_adapter(Transformer& model, const AdapterFiles& adapter);
// A copy of the adapter's present values, for save_adapter.
AdapterFiles adapter_files(const Transformer& model);

// While it lives, the model computes as if it had no adapter: the reference policy, without a
// second copy of the weights.
class AdapterOff {
 public:
  explicit AdapterOff(Transformer& model);
  ~AdapterOff();
  AdapterOff(const AdapterOff&) = delete;
  AdapterOff& operator=(const AdapterOff&) = delete;

 private:
  Transformer& model_;
  bool before_ = false;
};

// Merged, each adapted weight is a new tensor W + scaling B A, and a forward pass has no work with
// the adapter. The W before are kept (those of a mapped file cost nothing): unmerge gives them back
// to the last bit. A merged adapter can be switched off, but gets no gradients and has no dropout.
// With 16-bit weights the sum is rounded to their type.
void merge_adapter(Transformer& model);
void unmerge_adapter(Transformer& model);

// In a fixed order: for each adapted module, layer by layer, NAME.lora_A and NAME.lora_B; then the
// parameters of modules_to_save. Names are those of AdapterFiles::weights.
std::vector<NamedTensor> adapter_parameters(const Transformer& model);
// All that is to be trained: the base parameters where they are trained, then the adapter's.
std::vector<NamedTensor> trainable_parameters(const Transformer& model);

}  // namespace rgu::llm
