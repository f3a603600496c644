#include "models.hpp"

#include "llm/data.hpp"
#include "rgu/base/check.hpp"
#include "rgu/llm/files/safetensors.hpp"
#include "rgu/llm/torch/tensors.hpp"
#include "rgu/llm/torch/torch_setup.hpp"

namespace rgu::llm {
namespace {

struct TinyNeoX : testing::Test {
  ModelFiles files = open_model(kReference / "tiny_neox.safetensors");
  nlohmann::json golden = json_file(kReference / "tiny_neox_golden.json");
  double tolerance = golden["tolerance"];
  at::Tensor ids = ids_of(golden["input_ids"]);
};

TEST_F(TinyNeoX, HasTheHiddenStatesLogitsAndLogProbabilitiesOfTheReference) {
  const Transformer model(files.config, files.weights);
  const at::Tensor hidden = model.forward(ids);
  const at::Tensor logits = model.logits(hidden);
  EXPECT_LT(distance(hidden[0], tensor_of_json(golden["final_hidden"])), tolerance);
  EXPECT_LT(distance(logits[0], tensor_of_json(golden["logits"])), tolerance);
  EXPECT_LT(
      distance(token_log_probabilities(logits[0], ids), tensor_of_json(golden["token_logprobs"])),
      tolerance);
}

TEST_F(TinyNeoX, InDoublePrecisionAgreesWithTheReferenceToItsLastDigits) {
  const Transformer model(files.config, files.weights, {.compute = DataType::kF64});
  EXPECT_LT(distance(model.logits(model.forward(ids))[0], tensor_of_json(golden["logits"])), 1e-10);
}

TEST_F(TinyNeoX, WithItsAdapterHasTheReferenceLogits) {
  AdapterFiles adapter = {.config = {.rank = golden["lora"]["r"],
                                     .alpha = golden["lora"]["alpha"],
                                     .target_modules = {"query_key_value"}},
                          .weights = {}};
  const Weights stored = read_safetensors(kReference / "tiny_neox_lora.safetensors");
  adapter.weights.owners = stored.owners;
  const std::string prefix = "base_model.model.", suffix = ".weight";
  for (const auto& [name, view] : stored.tensors) {
    adapter.weights
        .tensors[name.substr(prefix.size(), name.size() - prefix.size() - suffix.size())] = view;
  }
  Transformer model(files.config, files.weights);
  load_adapter(model, adapter);
  const at::Tensor logits = model.logits(model.forward(ids));
  EXPECT_LT(distance(logits[0], tensor_of_json(golden["lora"]["logits"])), tolerance);
  EXPECT_LT(distance(token_log_probabilities(logits[0], ids),
                     tensor_of_json(golden["lora"]["token_logprobs"])),
            tolerance);
  const AdapterOff reference(model);
  EXPECT_LT(distance(model.logits(model.forward(ids))[0], tensor_of_json(golden["logits"])),
            tolerance);
}

TEST_F(TinyNeoX, PaddedOnTheLeftHasTheSameLogits) {
  const Transformer model(files.config, files.weights);
  const at::Tensor padded = ids_of(golden["left_pad"]["input_ids"]);
  const at::Tensor mask = ids_of(golden["left_pad"]["attention_mask"]);
  const at::Tensor logits = model.logits(model.forward(padded, {.mask = mask}));
  EXPECT_LT(distance(logits[0].narrow(0, 3, 12), tensor_of_json(golden["logits"])), tolerance);
}

TEST_F(TinyNeoX, SharesTheMemoryOfTheMappedFile) {
  const Transformer model(files.config, files.weights);
  for (const NamedTensor& parameter : model.base_parameters()) {
    EXPECT_EQ(parameter.tensor.data_ptr<float>(),
              float_memory(files.weights.at(parameter.name)).data())
        << parameter.name;
    EXPECT_FALSE(parameter.tensor.requires_grad());
  }
  const Transformer trained(files.config, files.weights, {.base = BaseWeights::kTrained});
  for (const NamedTensor& parameter : trained.base_parameters()) {
    EXPECT_NE(parameter.tensor.data_ptr<float>(),
              float_memory(files.weights.at(parameter.name)).data());
    EXPECT_TRUE(parameter.tensor.requires_grad());
  }
}

TEST_F(TinyNeoX, OutlivesTheWeightsItWasMadeFrom) {
  const Transformer model(files.config, files.weights);
  files.weights = {};
  EXPECT_LT(distance(model.logits(model.forward(ids))[0], tensor_of_json(golden["logits"])),
            tolerance);
}

struct Stories : testing::Test {
  void SetUp() override {
    RGU_DATA_FILE(path, "golden/stories260K_golden.json");
    golden = json_file(path);
    config = read_model_config(data_folder() / "golden/stories260K_hf_config.json");
    weights = read_safetensors(data_folder() / "golden/stories260K_hf_llama_score.safetensors");
    tolerance = golden["tolerance"];
    ids = ids_of(golden["input_ids"]);
  }
  nlohmann::json golden;
  ModelConfig config;
  Weights weights;
  double tolerance = 0;
  at::Tensor ids;
};

TEST_F(Stories, HasTheReferenceLogitsAndGreedyTokens) {
  const Transformer model(config, weights);
  const at::Tensor last = model.logits(model.forward(ids)[0][-1]);
  EXPECT_LT(distance(last, tensor_of_json(golden["last_logits"])), tolerance);
  // Every greedy token is the most probable after those before it.
  const std::vector<std::int64_t> greedy = golden["greedy_ids"];
  const at::Tensor best = model.logits(model.forward(ids_of(greedy)))[0].argmax(-1);
  for (std::size_t i = 24; i < greedy.size(); ++i) {
    EXPECT_EQ(best[static_cast<std::int64_t>(i) - 1].item<std::int64_t>(), greedy[i]) << i;
  }
}

TEST_F(Stories, HasTheReferenceScores) {
  const Transformer model(config, weights, {.head = Head::kScore});
  const at::Tensor scores = model.score(model.forward(ids));
  EXPECT_LT(distance(scores[0].squeeze(1), tensor_of_json(golden["scores"])), tolerance);
  at::Tensor mask = at::ones_like(ids);
  EXPECT_NEAR(end_scores(scores, mask).item<double>(), golden["end_score"], tolerance);
  mask.narrow(1, 10, 14).zero_();
  const at::Tensor masked = model.score(model.forward(ids, {.mask = mask}));
  EXPECT_NEAR(end_scores(masked, mask).item<double>(), golden["end_score_if_mask_first_10"],
              tolerance);
}

TEST(Transformer, PaddingOnTheLeftOfAnyAmountLeavesTheLogits) {
  for (const ModelConfig& config : small_models()) {
    const Transformer model = small_model(config);
    const at::Tensor ids = random_ids(2, 7, config);
    const at::Tensor expected = model.logits(model.forward(ids));
    for (const std::int64_t padding : {1, 2, 9}) {
      const at::Tensor zeros = at::zeros({2, padding}, ids.options());
      const at::Tensor logits = model.logits(model.forward(
          at::cat({zeros, ids}, 1), {.mask = at::cat({zeros, at::ones_like(ids)}, 1)}));
      EXPECT_LT(distance(logits.narrow(1, padding, 7), expected), 1e-5);
    }
  }
}

TEST(Transformer, ReadWithACacheInPiecesGivesTheSameHiddenStates) {
  const at::NoGradGuard no_gradients;
  for (const ModelConfig& config : small_models()) {
    const Transformer model = small_model(config);
    const at::Tensor ids = random_ids(3, 8, config);
    at::Tensor mask = at::ones_like(ids);
    mask[1].narrow(0, 0, 2).zero_();
    const at::Tensor expected = model.forward(ids, {.mask = mask});
    KeyValueCache cache(config, {.rows = 3, .capacity = 11}, model.base_parameters()[0].tensor);
    std::vector<at::Tensor> pieces;
    std::int64_t begin = 0;
    for (const std::int64_t tokens : {4, 1, 3}) {
      pieces.push_back(model.forward(ids.narrow(1, begin, tokens),
                                     {.mask = mask.narrow(1, begin, tokens), .cache = &cache}));
      begin += tokens;
    }
    const at::Tensor hidden = at::cat(pieces, 1);
    EXPECT_LT(distance(hidden[0], expected[0]), 1e-5);
    EXPECT_LT(distance(hidden[1].narrow(0, 2, 6), expected[1].narrow(0, 2, 6)), 1e-5);
    EXPECT_EQ(cache.length(), 8);
  }
}

TEST(Transformer, ACacheThatKeepsRowsGoesOnWithThem) {
  const at::NoGradGuard no_gradients;
  const ModelConfig config = small_llama();
  const Transformer model = small_model(config);
  const at::Tensor ids = random_ids(3, 6, config);
  KeyValueCache cache(config, {.rows = 3, .capacity = 6}, model.base_parameters()[0].tensor);
  model.forward(ids.narrow(1, 0, 4), {.cache = &cache});
  const at::Tensor rows = at::tensor({2, 0, 2}, ids.options());
  cache.keep_rows(rows);
  const at::Tensor chosen = ids.index_select(0, rows);
  EXPECT_LT(distance(model.forward(chosen.narrow(1, 4, 2), {.cache = &cache}),
                     model.forward(chosen).narrow(1, 4, 2)),
            1e-5);
}

TEST(Transformer, SixteenBitWeightsAreTheRoundedFloats) {
  const ModelConfig config = small_neox();
  const Weights weights = lively_weights(config);
  for (const DataType type : {DataType::kBF16, DataType::kF16}) {
    Weights narrow;
    Weights rounded;
    for (const auto& [name, view] : weights.tensors) {
      const auto bytes = std::make_shared<const std::vector<std::byte>>(converted(view, type));
      narrow.owners.push_back(bytes);
      narrow.tensors[name] = {.type = type, .shape = view.shape, .bytes = *bytes};
      rounded.put(name, floats_of(narrow.tensors[name]), view.shape);
    }
    const at::Tensor ids = random_ids(2, 5, config);
    const Transformer expected(config, rounded);
    const Transformer widened(config, narrow);
    EXPECT_EQ(distance(widened.forward(ids), expected.forward(ids)), 0);
    const Transformer kept(config, narrow, {.compute = {}});
    EXPECT_EQ(kept.type(), scalar_type_of(type));
    for (const NamedTensor& parameter : kept.base_parameters()) {
      EXPECT_EQ(parameter.tensor.data_ptr(), narrow.at(parameter.name).bytes.data());
    }
    const Transformer converted_here(config, weights, {.compute = type});
    for (std::size_t i = 0; i < kept.base_parameters().size(); ++i) {
      EXPECT_TRUE(
          at::equal(kept.base_parameters()[i].tensor, converted_here.base_parameters()[i].tensor));
    }
  }
}

TEST(Transformer, ABatchOfDifferentLengthsIsItsSequencesOneByOne) {
  const ModelConfig config = small_neox();
  const Transformer model = small_model(config);
  const at::Tensor ids = random_ids(3, 9, config);
  at::Tensor mask = at::ones_like(ids);
  mask[0].narrow(0, 6, 3).zero_();  // padded on the right
  mask[1].narrow(0, 0, 4).zero_();  // and on the left
  const at::Tensor hidden = model.forward(ids, {.mask = mask});
  EXPECT_LT(
      distance(hidden[0].narrow(0, 0, 6), model.forward(ids.narrow(0, 0, 1).narrow(1, 0, 6))[0]),
      1e-5);
  EXPECT_LT(
      distance(hidden[1].narrow(0, 4, 5), model.forward(ids.narrow(0, 1, 1).narrow(1, 4, 5))[0]),
      1e-5);
}

TEST(Transformer, ScoresAreNormalisedAsTheConfigSays) {
  ModelConfig config = small_llama();
  config.score = ScoreConfig{};
  Weights weights = lively_weights(config, Head::kScore);
  const at::Tensor ids = random_ids(2, 5, config);
  const auto scores = [&] {
    const Transformer model(config, weights, {.head = Head::kScore});
    return model.score(model.forward(ids));
  };
  const at::Tensor raw = scores();
  EXPECT_EQ(raw.sizes(), (std::vector<std::int64_t>{2, 5, 1}));
  config.score->normalize = true;
  config.score->mean = 0.5;
  config.score->variance = 4;
  EXPECT_LT(distance(scores(), (raw - 0.5) / 2), 1e-6);
  config.score->type = ScoreType::kCost;
  EXPECT_LT(distance(scores(), raw / 2), 1e-6);
  weights.put("normalizer.var", {9}, {1});  // the checkpoint's own
  EXPECT_LT(distance(scores(), raw / 3), 1e-6);
  config.score->type = ScoreType::kCritic;
  EXPECT_EQ(distance(scores(), raw), 0);
}

TEST(EndScores, AreThoseOfTheLastTokenNotOfPadding) {
  const at::Tensor scores = at::arange(8, at::TensorOptions().dtype(at::kFloat)).view({2, 4, 1});
  const at::Tensor mask =
      at::tensor({0, 1, 1, 0, 1, 1, 1, 1}, at::TensorOptions().dtype(at::kLong));
  const at::Tensor ends = end_scores(scores, mask.view({2, 4}));
  EXPECT_EQ(ends[0].item<float>(), 2);
  EXPECT_EQ(ends[1].item<float>(), 7);
  EXPECT_THROW(end_scores(scores, at::zeros({2, 4})), InvalidInput);
}

TEST(Transformer, RefusesWhatDoesNotFit) {
  const ModelConfig config = small_neox();
  const Weights weights = lively_weights(config);
  const Transformer model(config, weights);
  EXPECT_THROW(model.forward(ids_of({1, 29})), InvalidInput);
  EXPECT_THROW(model.forward(ids_of({-1, 2})), InvalidInput);
  EXPECT_THROW(model.forward(random_ids(1, 65, config)), InvalidInput);
  EXPECT_THROW(model.forward(ids_of({1, 2}), {.mask = ids_of({1})}), InvalidInput);
  EXPECT_THROW(model.score(model.forward(ids_of({1}))), InvalidInput);
  EXPECT_THROW(Transformer(config, weights, {.device = "teapot"}), InvalidInput);
  EXPECT_THROW(Transformer(config, weights, {.compute = DataType::kI32}), InvalidInput);
  EXPECT_THROW(Transformer(config, weights, {.head = Head::kScore}), InvalidInput);
  EXPECT_THROW(prepare_torch(-1), InvalidInput);
}

}  // namespace
}  // namespace rgu::llm
