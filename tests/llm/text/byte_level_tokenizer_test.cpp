#include "rgu/llm/text/byte_level_tokenizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "llm/data.hpp"
#include "llm/text/text_testing.hpp"
#include "mdp/file_testing.hpp"
#include "rgu/llm/text/tokenizer_json.hpp"

namespace rgu::llm {
namespace {

using Ids = std::vector<TokenId>;
using testing::HasSubstr;

ByteLevelTokenizer tokenizer_of(const nlohmann::json& json) {
  return ByteLevelTokenizer(byte_level_model(json, "small.json"));
}

TokenId byte_id(char byte) { return 2 + static_cast<std::uint8_t>(byte); }

// 258 "he", 259 "ll", 260 "hell", 261 "hello", 262 "Ġhello".
nlohmann::json hello_json() {
  return small_tokenizer_json({"h e", "l l", "he ll", "hell o", "Ġ hello"});
}

TEST(ByteLevelTokenizer, MergesWithinWordsInTheOrderOfRanks) {
  const auto tokenizer = tokenizer_of(hello_json());
  EXPECT_EQ(tokenizer.encode("hello hello"), (Ids{261, 262}));
  EXPECT_EQ(tokenizer.encode("hell"), Ids{260});
  EXPECT_EQ(tokenizer.encode("lll"), (Ids{259, byte_id('l')}));  // leftmost first
  EXPECT_EQ(tokenizer.encode("he  hello"), (Ids{258, byte_id(' '), 262}));
  EXPECT_EQ(tokenizer.encode(""), Ids{});
  EXPECT_EQ(tokenizer.size(), 263);
  EXPECT_EQ(tokenizer.piece(262), "Ġhello");
}

TEST(ByteLevelTokenizer, MergesMayBePairs) {
  nlohmann::json json = hello_json();
  for (nlohmann::json& merge : json["model"]["merges"]) {
    const std::string text = merge;
    const std::size_t space = text.find(' ');
    merge = {text.substr(0, space), text.substr(space + 1)};
  }
  EXPECT_EQ(tokenizer_of(json).encode("hello hello"), (Ids{261, 262}));
}

TEST(ByteLevelTokenizer, ComposesWhereTheFileSaysSo) {
  nlohmann::json json = small_tokenizer_json({});
  const Ids composed_ids = {byte_id('\xc3'), byte_id('\xa9')};
  const Ids plain_ids = {byte_id('e'), byte_id('\xcc'), byte_id('\x81')};
  EXPECT_EQ(tokenizer_of(json).encode("e\u0301"), composed_ids);
  json["normalizer"] = {{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}}}};
  EXPECT_EQ(tokenizer_of(json).encode("e\u0301"), composed_ids);
  json["normalizer"] = nullptr;
  EXPECT_EQ(tokenizer_of(json).encode("e\u0301"), plain_ids);
}

TEST(ByteLevelTokenizer, AddsAPrefixSpaceWhereTheFileSaysSo) {
  nlohmann::json json = hello_json();
  json["pre_tokenizer"]["add_prefix_space"] = true;
  const auto tokenizer = tokenizer_of(json);
  EXPECT_EQ(tokenizer.encode("hello"), Ids{262});
  EXPECT_EQ(tokenizer.encode(" hello"), Ids{262});
  EXPECT_EQ(tokenizer.encode(""), Ids{});
  EXPECT_EQ(tokenizer.encode("hello<|padding|>hello"), (Ids{262, 1, 262}));
}

TEST(ByteLevelTokenizer, SplitsByTheFile) {
  nlohmann::json json = small_tokenizer_json({"o Ġ", "Ġ w"});
  EXPECT_EQ(tokenizer_of(json).encode("o w"), (Ids{byte_id('o'), 259}));  // no merge across words
  json["pre_tokenizer"]["use_regex"] = false;
  EXPECT_EQ(tokenizer_of(json).encode("o w"), (Ids{258, byte_id('w')}));
  const nlohmann::json split = {
      {"type", "Split"},
      {"pattern",
       {{"Regex", std::string("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| "
                              "?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+")}}},
      {"behavior", "Isolated"},
      {"invert", false}};
  json["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {split, json["pre_tokenizer"]}}};
  EXPECT_EQ(tokenizer_of(json).encode("o w"), (Ids{byte_id('o'), 259}));
}

TEST(ByteLevelTokenizer, MayTakeWholeWordsFirst) {
  nlohmann::json json = small_tokenizer_json({"a b"});
  json["model"]["vocab"]["xyz"] = 300;
  EXPECT_EQ(tokenizer_of(json).encode("xyz"), (Ids{byte_id('x'), byte_id('y'), byte_id('z')}));
  json["model"]["ignore_merges"] = true;
  EXPECT_EQ(tokenizer_of(json).encode("xyz ab"), (Ids{300, byte_id(' '), 258}));
}

TEST(ByteLevelTokenizer, PutsTheTemplatesTokensAround) {
  nlohmann::json json = hello_json();
  json["post_processor"] = {{"type", "TemplateProcessing"},
                            {"single",
                             {{{"SpecialToken", {{"id", "<|padding|>"}, {"type_id", 0}}}},
                              {{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                              {{"SpecialToken", {{"id", "<|endoftext|>"}, {"type_id", 0}}}}}},
                            {"special_tokens",
                             {{"<|padding|>", {{"id", "<|padding|>"}, {"ids", {1}}}},
                              {"<|endoftext|>", {{"id", "x"}, {"ids", {0}}}}}}};
  EXPECT_EQ(tokenizer_of(json).encode("hello"), (Ids{1, 261, 0}));
  EXPECT_EQ(tokenizer_of(json).encode(""), (Ids{1, 0}));
  json["post_processor"]["special_tokens"]["<|padding|>"]["ids"] = std::vector<int>(1025, 1);
  EXPECT_THAT(thrown_by([&] { tokenizer_of(json); }), HasSubstr("must be at most 1024"));
  json["post_processor"]["single"][0]["SpecialToken"]["id"] = "<s>";
  EXPECT_THAT(thrown_by([&] { tokenizer_of(json); }), HasSubstr("has no '<s>'"));
}

nlohmann::json with_added(int id, const std::string& content, const nlohmann::json& flags) {
  nlohmann::json json = hello_json();
  nlohmann::json token = {
      {"id", id}, {"content", content}, {"special", false}, {"normalized", true}};
  token.update(flags);
  json["added_tokens"].push_back(token);
  return json;
}

TEST(AddedTokens, AreFoundBeforeSplittingTheLongestFirst) {
  nlohmann::json json = with_added(270, "  ", nlohmann::json::object());
  json["added_tokens"].push_back({{"id", 271}, {"content", "   "}, {"normalized", true}});
  const auto tokenizer = tokenizer_of(json);
  EXPECT_EQ(tokenizer.encode("   hello"), (Ids{271, 261}));
  EXPECT_EQ(tokenizer.encode("     hello"), (Ids{271, 270, 261}));
  EXPECT_EQ(tokenizer.encode("    hello"), (Ids{271, 262}));
  EXPECT_EQ(tokenizer.decode(Ids{271, 261}, Specials::kSkip), "   hello");
  EXPECT_EQ(tokenizer.size(), 272);
  EXPECT_EQ(tokenizer.decode(Ids{265}, Specials::kKeep), "");  // an id that no piece has
}

TEST(AddedTokens, NormalizedOnesAreFoundInNormalTextOthersInRawText) {
  const std::string decomposed = "e\u0301";
  const auto normalized = tokenizer_of(with_added(270, decomposed, {{"normalized", true}}));
  EXPECT_EQ(normalized.encode("\u00e9"), Ids{270});
  EXPECT_EQ(normalized.encode(decomposed), Ids{270});
  const auto raw = tokenizer_of(with_added(270, decomposed, {{"normalized", false}}));
  EXPECT_EQ(raw.encode(decomposed), Ids{270});
  EXPECT_EQ(raw.encode("\u00e9"), (Ids{byte_id('\xc3'), byte_id('\xa9')}));
}

TEST(AddedTokens, MayStripTheSpaceAroundThem) {
  EXPECT_EQ(tokenizer_of(with_added(270, "<m>", {{"lstrip", true}})).encode("he \n<m> he"),
            (Ids{258, 270, byte_id(' '), 258}));
  EXPECT_EQ(tokenizer_of(with_added(270, "<m>", {{"rstrip", true}})).encode("he <m> \u3000he"),
            (Ids{258, byte_id(' '), 270, 258}));
}

TEST(AddedTokens, MayBeWholeWordsOnly) {
  const auto tokenizer = tokenizer_of(with_added(270, "ell", {{"single_word", true}}));
  EXPECT_EQ(tokenizer.encode("ell"), Ids{270});
  EXPECT_EQ(tokenizer.encode("-ell-"), (Ids{byte_id('-'), 270, byte_id('-')}));
  EXPECT_EQ(tokenizer.encode("hell"), Ids{260});
  EXPECT_EQ(tokenizer.encode("_ell"), (Ids{byte_id('_'), byte_id('e'), 259}));
}

TEST(AddedTokens, SpecialOnesAreLeftOutOnDemand) {
  const auto tokenizer = tokenizer_of(hello_json());
  const Ids ids = tokenizer.encode("hello<|endoftext|> hello");
  EXPECT_EQ(ids, (Ids{261, 0, 262}));
  EXPECT_EQ(tokenizer.decode(ids, Specials::kKeep), "hello<|endoftext|> hello");
  EXPECT_EQ(tokenizer.decode(ids, Specials::kSkip), "hello hello");
}

TEST(ByteLevelTokenizer, DecodesPartsOfCharactersAsReplacements) {
  const auto tokenizer = tokenizer_of(small_tokenizer_json({}));
  EXPECT_EQ(tokenizer.decode(Ids{byte_id('\xe2'), byte_id('\x82'), byte_id('a')}, Specials::kKeep),
            "\uFFFDa");
}

TEST(ByteLevelTokenizer, EncodesBadTextAsItsReplacement) {
  const auto tokenizer = tokenizer_of(hello_json());
  EXPECT_EQ(tokenizer.encode("he\xff\xe2\x82llo"), tokenizer.encode("he\uFFFD\uFFFDllo"));
  Rng rng(5);
  for (int i = 0; i < 1000; ++i) {
    const std::string bytes = random_bytes(rng, 40);
    EXPECT_EQ(tokenizer.encode(bytes), tokenizer.encode(with_replacements(bytes)));
  }
}

TEST(ByteLevelTokenizer, RefusesIdsOutsideItsVocabulary) {
  const auto tokenizer = tokenizer_of(hello_json());
  EXPECT_THAT(thrown_by([&] { tokenizer.decode(Ids{263}, Specials::kKeep); }), HasSubstr("263"));
  EXPECT_THROW(tokenizer.piece(-1), InvalidInput);
}

TEST(ByteLevelTokenizer, ServesManyThreadsAtOnce) {
  const auto tokenizer = tokenizer_of(hello_json());
  Rng rng(6);
  std::vector<std::string> texts(200);
  for (std::string& text : texts) text = random_unicode(rng, 100) + " hello hello";
  std::vector<Ids> alone;
  for (const std::string& text : texts) alone.push_back(tokenizer.encode(text));
  std::vector<std::vector<Ids>> together(4);
  std::vector<std::thread> threads;
  for (std::vector<Ids>& result : together) {
    threads.emplace_back([&] {
      for (const std::string& text : texts) result.push_back(tokenizer.encode(text));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<Ids>& result : together) EXPECT_EQ(result, alone);
}

// The definition: as long as there is a merge, the first one of the list that applies, leftmost.
Ids merged_naively(std::vector<std::string> symbols, const std::vector<std::string>& merges,
                   const nlohmann::json& vocabulary) {
  std::map<std::string, std::size_t> ranks;
  for (std::size_t i = 0; i < merges.size(); ++i) ranks[merges[i]] = i;
  while (true) {
    std::size_t best = merges.size();
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = ranks.find(symbols[i] + " " + symbols[i + 1]);
      if (found == ranks.end() || found->second >= best) continue;
      best = found->second;
      at = i;
    }
    if (best == merges.size()) break;
    symbols[at] += symbols[at + 1];
    symbols.erase(symbols.begin() + static_cast<long>(at) + 1);
  }
  Ids ids;
  for (const std::string& symbol : symbols) ids.push_back(vocabulary.at(symbol));
  return ids;
}

TEST(ByteLevelTokenizer, EqualsTheDefinitionOnRandomMerges) {
  Rng rng(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> pieces = {"a", "b", "c", "d"};
    std::vector<std::string> merges;
    for (int i = 0; i < 30; ++i) {
      const std::string left = pieces[rng.below(pieces.size())];
      const std::string right = pieces[rng.below(pieces.size())];
      if (std::find(pieces.begin(), pieces.end(), left + right) != pieces.end()) continue;
      pieces.push_back(left + right);
      merges.push_back(left + " " + right);
    }
    const nlohmann::json json = small_tokenizer_json(merges);
    const auto tokenizer = tokenizer_of(json);
    for (int i = 0; i < 40; ++i) {
      std::vector<std::string> symbols(rng.below(i < 20 ? 20 : 150));
      std::string word;
      for (std::string& symbol : symbols) word += symbol = "abcd"[rng.below(4)];
      const Ids expected = merged_naively(symbols, merges, json["model"]["vocab"]);
      ASSERT_EQ(tokenizer.encode(word), expected) << word;
      ASSERT_EQ(tokenizer.encode(word), expected) << "the second time: " << word;
    }
  }
}

struct RefusedJson {
  std::string pointer;
  nlohmann::json value;
  std::string message;
};

TEST(ByteLevelTokenizer, RefusesByNameWhatWouldGiveOtherIds) {
  for (const RefusedJson& c : std::vector<RefusedJson>{
           {"/normalizer/type", "NFKC", "normalizer.type is \"NFKC\""},
           {"/normalizer",
            {{"type", "Sequence"}, {"normalizers", {{{"type", "Lowercase"}}}}},
            "\"Lowercase\""},
           {"/pre_tokenizer/type", "Metaspace", "\"Metaspace\", must be ByteLevel"},
           {"/pre_tokenizer", nullptr, "pre_tokenizer is null"},
           {"/pre_tokenizer",
            {{"type", "Sequence"},
             {"pretokenizers", {{{"type", "Digits"}}, {{"type", "ByteLevel"}}}}},
            "\"Digits\""},
           {"/decoder/type", "WordPiece", "\"WordPiece\""},
           {"/post_processor", {{"type", "BertProcessing"}}, "\"BertProcessing\""},
           {"/model/type", "Unigram", "model.type is \"Unigram\", must be BPE"},
           {"/model/dropout", 0.1, "model.dropout is 0.1"},
           {"/model/continuing_subword_prefix", "##", "continuing_subword_prefix"},
           {"/model/end_of_word_suffix", "</w>", "end_of_word_suffix"},
           {"/model/vocab/he", -1, "of 'he' is -1"},
           {"/model/vocab/he", 1.5, "of 'he' is 1.5"},
           {"/model/vocab/he", 2000000000, "of 'he' is 2000000000"},
           {"/model/vocab/he", 3, "both have id 3"},
           {"/model/merges/0", "h e x", "merges[0] is \"h e x\""},
           {"/model/merges/0", "h", "merges[0] is \"h\""},
           {"/model/merges/0", {"h", 3}, "merges[0]"},
           {"/model/merges/0", "h zz", "merges[0]: 'zz' is not in the vocabulary"},
           {"/model/merges/1", "l h", "merges[1]: 'lh' is not in the vocabulary"},
           {"/model/vocab", 7, "vocab is 7, must be an object"},
           {"/added_tokens/0/id", 4, "added_tokens[0]"},
           {"/added_tokens/0/content", 4, "content is 4, must be a string"},
           {"/added_tokens/0/content", std::string(1025, 'a'),
            "1025 bytes, must have at most 1024"},
           {"/added_tokens/0/special", "yes", "special is \"yes\", must be true or false"},
           {"/added_tokens", 1, "must be an array"},
       }) {
    nlohmann::json json = hello_json();
    json[nlohmann::json::json_pointer(c.pointer)] = c.value;
    const std::string message = thrown_by([&] { tokenizer_of(json); });
    EXPECT_THAT(message, HasSubstr("small.json: "));
    EXPECT_THAT(message, HasSubstr(c.message)) << c.pointer;
  }
}

TEST(ByteLevelTokenizer, LeavesBytesWithoutATokenOutUnlessAnUnknownTokenIsAskedFor) {
  nlohmann::json json = small_tokenizer_json({});
  json["model"]["unk_token"] = "<|endoftext|>";
  EXPECT_EQ(tokenizer_of(json).encode("z"),
            Ids{byte_id('z')});  // never unknown: the bytes are complete
  json["model"]["vocab"].erase("z");
  EXPECT_THAT(thrown_by([&] { tokenizer_of(json); }), HasSubstr("unk_token"));
  json["model"]["unk_token"] = nullptr;
  EXPECT_EQ(tokenizer_of(json).encode("azb"), (Ids{byte_id('a'), byte_id('b')}));
}

TEST(ByteLevelTokenizer, HugeWordsComeToAnEnd) {
  const auto tokenizer = tokenizer_of(small_tokenizer_json({"a a", "aa aa", "Ġ Ġ", "Ċ Ċ"}));
  EXPECT_EQ(tokenizer.encode(std::string(1000000, 'a')).size(), 250000u);
  EXPECT_EQ(tokenizer.encode(std::string(1000000, ' ')).size(), 500000u);
  EXPECT_EQ(tokenizer.encode(std::string(1000000, '\n')).size(), 500000u);
  EXPECT_EQ(tokenizer.encode(std::string(300000, '\xff')).size(), 900000u);
}

void expect_round_trips(const Tokenizer& tokenizer, std::uint64_t seed) {
  Rng rng(seed);
  for (int i = 0; i < 1000; ++i) {
    const std::string text = composed(random_unicode(rng, 60));
    const Ids ids = tokenizer.encode(text);
    ASSERT_EQ(tokenizer.decode(ids, Specials::kKeep), text);
    for (const TokenId id : ids) ASSERT_LT(id, tokenizer.size());
  }
}

TEST(RoundTrip, OfRandomTextInTheSmallTokenizer) {
  expect_round_trips(tokenizer_of(small_tokenizer_json({"Ġ t", "h e", "Ã ©"})), 8);
}

TEST(RoundTrip, OfRandomTextInGptNeoX) {
  RGU_DATA_FILE(path, "tokenizers/gpt-neox-20B_tokenizer.json");
  const auto tokenizer = open_tokenizer(path);
  expect_round_trips(*tokenizer, 9);
  Rng rng(10);
  for (int i = 0; i < 2000; ++i) {
    const std::string bytes = random_bytes(rng, 60);
    ASSERT_EQ(tokenizer->decode(tokenizer->encode(bytes), Specials::kKeep),
              composed(with_replacements(bytes)));
  }
}

}  // namespace
}  // namespace rgu::llm
