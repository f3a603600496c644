#include "rgu/llm/text/bpe_trainer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "llm/text/text_testing.hpp"
#include "mdp/file_testing.hpp"
#include "rgu/llm/text/tokenizer.hpp"

namespace rgu::llm {
namespace {

using testing::HasSubstr;

WordCounts counts_of(const std::vector<std::string>& texts) {
  WordCounts words;
  for (const std::string& text : texts) words.add(text);
  return words;
}

std::vector<std::string> merged_pieces(const TrainedBpe& trained) {
  return {trained.pieces.begin() + trained.special_tokens + 256, trained.pieces.end()};
}

TEST(WordCounts, AreOfWordsInFormC) {
  const WordCounts words = counts_of({"a b b", "cafe\u0301 \xff"});
  EXPECT_EQ(words.counts().at("a"), 1);
  EXPECT_EQ(words.counts().at(" b"), 2);
  EXPECT_EQ(words.counts().at("caf\u00e9"), 1);
  EXPECT_EQ(words.counts().at(" \uFFFD"), 1);
  EXPECT_EQ(words.counts().size(), 4u);
}

// hug 10, pug 5, pun 12, bun 4, hugs 5: u+g 20, then u+n 16, h+ug 15, p+un 12. Of p+ug and hug+s, 5
// each, hug+s is last because its left id is larger.
TEST(BpeTrainer, SolvesTheTextbookExample) {
  WordCounts words;
  words.add_word("hug", 10);
  words.add_word("pug", 5);
  words.add_word("pun", 12);
  words.add_word("bun", 4);
  words.add_word("hugs", 5);
  const TrainedBpe trained = train_byte_level_bpe(words, {.vocabulary = 2 + 256 + 6});
  EXPECT_EQ(merged_pieces(trained),
            (std::vector<std::string>{"ug", "un", "hug", "pun", "pug", "hugs"}));
  EXPECT_EQ(trained.special_tokens, 2);
  EXPECT_EQ(trained.pieces[0], "<|endoftext|>");
  EXPECT_EQ(trained.pieces[2], "!");  // the first byte character
}

TEST(BpeTrainer, StopsAtTheLeastFrequency) {
  WordCounts words;
  words.add_word("ab", 5);
  words.add_word("cd", 2);
  words.add_word("ef", 1);
  const auto trained = [&](std::int64_t frequency) {
    return merged_pieces(
        train_byte_level_bpe(words, {.vocabulary = 300, .min_frequency = frequency}));
  };
  EXPECT_EQ(trained(1), (std::vector<std::string>{"ab", "cd", "ef"}));
  EXPECT_EQ(trained(2), (std::vector<std::string>{"ab", "cd"}));
  EXPECT_EQ(trained(6), std::vector<std::string>{});
}

TEST(BpeTrainer, RefusesWrongOptions) {
  const WordCounts words = counts_of({"a"});
  const auto message = [&](const BpeTrainerOptions& options) {
    return thrown_by([&] { train_byte_level_bpe(words, options); });
  };
  EXPECT_THAT(message({.vocabulary = 257}), HasSubstr("vocabulary is 257, must be 258"));
  EXPECT_THAT(message({.min_frequency = 0}), HasSubstr("min_frequency is 0"));
  EXPECT_THAT(message({.special_tokens = {"<a>", "<a>"}}), HasSubstr("'<a>' is given twice"));
  EXPECT_THAT(message({.special_tokens = {""}}), HasSubstr("not empty"));
  EXPECT_THAT(message({.special_tokens = {"a"}}), HasSubstr("character of a byte"));
  WordCounts counts;
  EXPECT_THROW(counts.add_word("a", 0), InvalidInput);
}

// The definition: all pairs are counted anew before every merge.
TrainedBpe trained_naively(const WordCounts& words, const BpeTrainerOptions& options) {
  TrainedBpe trained = train_byte_level_bpe(WordCounts(), options);  // the vocabulary to begin with
  std::map<std::string, TokenId> ids;
  for (std::size_t i = 0; i < trained.pieces.size(); ++i)
    ids[trained.pieces[i]] = static_cast<TokenId>(i);
  std::vector<std::pair<std::vector<TokenId>, std::int64_t>> split;
  for (const auto& [word, count] : words.counts()) {
    split.push_back({{}, count});
    for (const char c : word) {
      split.back().first.push_back(
          ids.at(std::string(character_of_byte(static_cast<std::uint8_t>(c)))));
    }
  }
  while (static_cast<std::int64_t>(trained.pieces.size()) < options.vocabulary) {
    std::map<std::pair<TokenId, TokenId>, std::int64_t> pairs;
    for (const auto& [symbols, count] : split) {
      for (std::size_t i = 0; i + 1 < symbols.size(); ++i)
        pairs[{symbols[i], symbols[i + 1]}] += count;
    }
    std::pair<TokenId, TokenId> best;
    std::int64_t most = 0;
    for (const auto& [pair, count] : pairs) {
      if (count > most) best = pair;  // in the order of pairs: the smallest of equals
      most = std::max(most, count);
    }
    if (most < options.min_frequency) break;
    const std::string piece = trained.pieces[static_cast<std::size_t>(best.first)] +
                              trained.pieces[static_cast<std::size_t>(best.second)];
    const auto [id, is_new] = ids.emplace(piece, static_cast<TokenId>(trained.pieces.size()));
    if (is_new) trained.pieces.push_back(piece);
    if (std::find(trained.merges.begin(), trained.merges.end(), best) == trained.merges.end()) {
      trained.merges.push_back(best);
    }
    for (auto& [symbols, count] : split) {
      for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
        if (symbols[i] != best.first || symbols[i + 1] != best.second) continue;
        symbols[i] = id->second;
        symbols.erase(symbols.begin() + static_cast<long>(i) + 1);
      }
    }
  }
  return trained;
}

TEST(BpeTrainer, EqualsTheDefinitionOnSmallCorpora) {
  Rng rng(31);
  for (int round = 0; round < 150; ++round) {
    WordCounts words;
    const std::uint64_t letters = 1 + rng.below(4);
    for (std::size_t n = 1 + rng.below(30); n > 0; --n) {
      std::string word;
      for (std::size_t i = 1 + rng.below(12); i > 0; --i) word += "abcd"[rng.below(letters)];
      words.add_word(word, 1 + static_cast<std::int64_t>(rng.below(6)));
    }
    const BpeTrainerOptions options = {
        .vocabulary = 258 + static_cast<std::int64_t>(rng.below(60)),
        .min_frequency = 1 + static_cast<std::int64_t>(rng.below(3))};
    const TrainedBpe trained = train_byte_level_bpe(words, options);
    const TrainedBpe naive = trained_naively(words, options);
    ASSERT_EQ(trained.pieces, naive.pieces);
    ASSERT_EQ(trained.merges, naive.merges);
  }
}

const std::vector<std::string> kTexts = {"the cat sat on the mat, and the dog sat on the cat.",
                                         "The dog's mat isn't the cat's mat!",
                                         "Üben über Öfen\n\n  über 123 Öfen; 日本語 und 日本",
                                         "the the the then there those  these\tthat"};

TEST(BpeTrainer, ItsFileIsReadAndTextComesBack) {
  const TemporaryFolder folder;
  const WordCounts words = counts_of(kTexts);
  const TrainedBpe trained = train_byte_level_bpe(words, {.vocabulary = 320});
  write_tokenizer_json(trained, folder / "tokenizer.json");
  const auto tokenizer = open_tokenizer(folder.path());
  EXPECT_EQ(tokenizer->size(), static_cast<std::int64_t>(trained.pieces.size()));
  EXPECT_EQ(tokenizer->specials().eos, 0);
  EXPECT_EQ(tokenizer->specials().pad, 1);
  for (const std::string& text : kTexts) {
    const auto ids = tokenizer->encode(text);
    EXPECT_LT(ids.size(), text.size() * 3 / 4);
    EXPECT_EQ(tokenizer->decode(ids, Specials::kKeep), text);
  }
  EXPECT_EQ(tokenizer->piece(tokenizer->encode(" the").at(0)), "Ġthe");
}

TEST(BpeTrainer, ItsFileHasTheUsualParts) {
  const auto json = tokenizer_json_of(train_byte_level_bpe(counts_of(kTexts), {.vocabulary = 270}));
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"version", "truncation", "padding", "added_tokens",
                                            "normalizer", "pre_tokenizer", "post_processor",
                                            "decoder", "model"}));
  EXPECT_EQ(json["normalizer"]["type"], "NFC");
  EXPECT_EQ(json["pre_tokenizer"]["type"], "ByteLevel");
  EXPECT_EQ(json["model"]["type"], "BPE");
  EXPECT_EQ(json["model"]["vocab"].size(), 270u);
  EXPECT_EQ(json["model"]["merges"].size(), 12u);
  EXPECT_TRUE(json["model"]["merges"][0].is_string());
  EXPECT_EQ(json["added_tokens"][1]["content"], "<|padding|>");
  EXPECT_EQ(json["added_tokens"][1]["special"], true);
}

TEST(BpeTrainer, DoesNotDependOnTheOrderOfTexts) {
  std::vector<std::string> reversed(kTexts.rbegin(), kTexts.rend());
  const auto first =
      tokenizer_json_of(train_byte_level_bpe(counts_of(kTexts), {.vocabulary = 350}));
  const auto second =
      tokenizer_json_of(train_byte_level_bpe(counts_of(reversed), {.vocabulary = 350}));
  EXPECT_EQ(first.dump(), second.dump());
}

}  // namespace
}  // namespace rgu::llm
